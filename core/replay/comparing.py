"""Where a replay first differs from the record, in a sentence."""

from collections.abc import Iterator

from core.diff import diff_files, diff_texts, only_adds
from core.driving import Outcome
from core.files import SUMS, lasting
from core.replay.recording import Recording
from core.replay.tape import Tape, placed
from core.store import TRACE, VIEW, RunFolder


def first(tape: Tape, recording: Recording, folder: RunFolder, outcome: Outcome) -> str:
    """Return the first difference of events and lines, in their order."""
    tape.end("" if outcome.ended else f" ({outcome.reason})")
    found = [*tape.differences, *_changed_line(recording, folder)]
    if found:
        return min(found, key=lambda difference: difference[0])[1]
    loose = recording.loose_end
    if loose and (loose.endswith(b"\n") or recording.folder.has(SUMS)):
        return f"the last {len(loose)} bytes of {TRACE} are no event"
    return ""


def _changed_line(recording: Recording, folder: RunFolder) -> Iterator[tuple[float, str]]:
    """Yield the first recorded line that is not as it was written."""
    ours = folder.trace_path.read_bytes().splitlines(keepends=True)
    for row, line, again in zip(recording.rows, recording.lines, ours, strict=False):
        if line != again:
            yield row.seq, f"{placed(row)}: its line was changed after it was written"
            return


def diff_folders(recording: Recording, folder: RunFolder, *, same_release: bool) -> str:
    """Return the first difference of the files that last, "" if there is none."""
    theirs, ours = set(lasting(recording.folder.path)), set(lasting(folder.path))
    excused = _left_behind(recording, theirs - ours)
    whole = recording.ended and recording.folder.has(SUMS)  # else the view may be an older one
    if not whole or (not same_release and _view_grew(recording.folder, folder)):
        excused.add(VIEW)
    names = (theirs | ours if recording.ended else theirs) - excused - {TRACE}
    for name in sorted(names):
        if difference := diff_files(name, recording.folder.path, folder.path):
            return difference
    if not recording.ended or not recording.folder.has(SUMS):
        return ""
    sums = (_sums(place, excused) for place in (recording.folder, folder))
    return diff_texts(SUMS, *sums)


def _left_behind(recording: Recording, only_theirs: set[str]) -> set[str]:
    """Artifacts that a crash left and no event names."""
    if recording.ended and not recording.restarted:
        return set()
    named = {f"artifacts/{name}" for name in recording.names()}
    return {name for name in only_theirs if name.startswith("artifacts/")} - named


def _view_grew(was: RunFolder, now: RunFolder) -> bool:
    """Whether a later release says more of each event, and nothing else."""
    return was.has(VIEW) and only_adds(was.read_json(VIEW), now.read_json(VIEW))


def _sums(folder: RunFolder, excused: set[str]) -> str:
    lines = folder.read_text(SUMS).splitlines()
    return "\n".join(line for line in lines if line.partition("  ")[2] not in excused)
