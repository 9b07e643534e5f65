"""What a word on the command line names: a file, or the text itself."""

from pathlib import Path

from core.errors import CallerError

SUFFIXES = (
    ".yaml", ".yml", ".json", ".md", ".markdown", ".txt", ".text", ".docx", ".pdf", ".html", ".htm"
)  # fmt: skip
"""Of files that hold briefs."""


def is_file_name(source: str | Path) -> bool:
    """Whether *source* names a file, not the idea itself."""
    if isinstance(source, Path):
        return True
    if len(source) > 1024 or "\n" in source or "\0" in source:
        return False
    return (
        Path(source).suffix.lower() in SUFFIXES
        or (" " not in source.strip() and source.isascii() and source.strip() != "")
        or source.startswith(("/", "./", "../", "~/"))
        or _exists(source)
    )


def check_there(source: str) -> None:
    """Raise CallerError if *source* names a file that is not there; "-" is standard input."""
    if source != "-" and is_file_name(source) and not _exists(source):
        raise missing(source)


def missing(source: str | Path) -> CallerError:
    """Build the sentence for a file that is not there."""
    return CallerError(
        f"there is no file {str(source)!r}; name a YAML, JSON, Markdown, text, Word, PDF or HTML "
        "file, or write the objective as a sentence in quotes"
    )


def _exists(source: str) -> bool:
    try:
        return Path(source).exists()
    except OSError:  # a sentence can be too long for a file name
        return False
