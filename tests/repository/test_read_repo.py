"""A repository is read within its folder, whatever lies in it and whoever changes it meanwhile."""

import os
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from pydantic import ValidationError

from core.errors import TaskError
from core.settings import environment
from core.testing import FakeClock
from dr_rd import enclosure
from dr_rd.repository import contents
from dr_rd.repository.symbols import installed
from dr_rd.tools.read_repo import ReadRepo, repo_tool

OUTSIDE = "the canary sings outside"


@pytest.fixture
def root(tmp_path):
    (tmp_path / "outside.txt").write_text(OUTSIDE)
    folder = tmp_path / "repo"
    (folder / "src/deep").mkdir(parents=True)
    (folder / "src/main.py").write_text("class Loaf:\n    def bake(self):\n        return 44\n")
    (folder / "src/deep/oven.c").write_text("int heat(void) { return 200; }\n")
    (folder / "tests").mkdir()
    (folder / "tests/test_main.py").write_text("def test_bake(): pass\n")
    (folder / "README.md").write_text("# Loaf\n\nBakes a loaf, and a Loaf.\n")
    return folder


def look(root, **args):
    return repo_tool(root).run(ReadRepo(**args))


def refused(root, **args):
    with pytest.raises(TaskError) as error:
        look(root, **args)
    assert OUTSIDE not in str(error.value)
    return str(error.value)


def aside(root):
    return {row["path"]: row["reason"] for row in look(root, action="tree")["refused"]["first"]}


# --- what it is for


def test_a_tree_counts_folders_and_names_their_files(root):
    found = look(root, action="tree", depth=1)
    assert found["entries"] == [
        {"path": "README.md", "files": 1, "bytes": 34},
        {"path": "src/", "files": 2, "bytes": 81},
        {"path": "tests/", "files": 1, "bytes": 22},
    ]
    assert found["files"] == 4
    below = look(root, action="tree", path="src/", depth=1)
    assert [row["path"] for row in below["entries"]] == ["src/deep/", "src/main.py"]


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("*.py", ["src/main.py", "tests/test_main.py"]),
        ("src/*", ["src/main.py"]),
        ("src/**", ["src/deep/oven.c", "src/main.py"]),
        ("**/deep/*.c", ["src/deep/oven.c"]),
        ("*.rs", []),
    ],
)
def test_files_are_found_by_pattern(root, glob, paths):
    assert [row["path"] for row in look(root, action="files", glob=glob)["paths"]] == paths


def test_lines_are_read_by_number(root):
    found = look(root, action="read", path="src/main.py", first=2, last=2)
    assert (found["lines"], found["of"], found["more"]) == (["    def bake(self):"], 3, 0)
    assert "line 9 is not among them" in refused(root, action="read", path="README.md", first=9)


def test_text_is_found_letter_by_letter(root):
    def finds(text, **args):
        rows = look(root, action="search", text=text, **args)["finds"]
        return [(row["path"], row["line"]) for row in rows]

    assert finds("Loaf") == [("README.md", 1), ("README.md", 3), ("src/main.py", 1)]
    assert finds("loaf", whole_word=True) == [("README.md", 3)]
    assert finds("OAF", ignore_case=True, glob="*.py") == [("src/main.py", 1)]
    assert finds(".*") == []
    assert finds("(void) {") == [("src/deep/oven.c", 1)]


def test_an_overview_says_languages_tests_and_landmarks(root):
    found = look(root)
    assert {row["language"]: row["files"] for row in found["languages"]} == {
        "Python": 2, "Markdown": 1, "C": 1,
    }  # fmt: skip
    assert found["tests"] == {"files": 1, "first": ["tests/test_main.py"]}
    assert found["landmarks"]["readme"] == ["README.md"]
    assert found["landmarks"]["licence"] == []
    assert "not the top of a git repository" in found["history"]["absent"]


@pytest.mark.skipif(not installed(), reason="universal-ctags is not installed")
def test_symbols_are_listed_with_their_place(root):
    found = look(root, action="symbols", glob="*.py")["symbols"]
    assert {"name": "Loaf", "kind": "class", "path": "src/main.py", "line": 1} in found
    bake = {"name": "bake", "kind": "member", "in": "Loaf", "path": "src/main.py", "line": 2}
    assert bake in found


def test_without_ctags_it_says_so(root, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "universal-ctags is not installed" in refused(root, action="symbols")


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"action": "read"}, "needs the path of a file"),
        ({"action": "search", "text": "  "}, "needs a text"),
        ({"action": "tree", "text": "x"}, "does not take 'text', but depth, path"),
        ({"action": "history", "path": "x"}, "does not take 'path', but no argument"),
        ({"action": "read", "path": "x", "first": 3, "last": 2}, "last 2 comes before first 3"),
        ({"action": "write"}, "Input should be"),
    ],
)
def test_arguments_that_do_not_fit_are_a_reason(args, reason):
    with pytest.raises(ValidationError, match=reason):
        ReadRepo(**args)


# --- hostile paths


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../outside.txt", "no plain path"),
        ("src/../../outside.txt", "no plain path"),
        ("..", "no plain path"),
        ("./src/main.py", "no plain path"),
        ("src//main.py", "no plain path"),
        ("/etc/passwd", "no plain path"),
        ("//etc/passwd", "no plain path"),
        ("..\\outside.txt", "backslash"),
        ("C:\\Windows\\win.ini", "backslash"),
        ("src/main.py\0.txt", "not printable"),
        ("src/main.py\n", "not printable"),
        ("src/\u202emain.py", "not printable"),
        ("\udcff", "not printable"),
        ("%2e%2e/outside.txt", "does not exist"),
        ("~/outside.txt", "does not exist"),
        ("file:///etc/passwd", "no plain path"),
        ("a/" * 900, "longer than 1,000 characters"),
        ("x" * 900, "cannot be opened"),
        ("README.md/x", "no folder"),
        ("src", "is a folder"),
        (".", "is a folder"),
        (".git/config", "version control"),
        (".GIT/config", "version control"),
        (".g\u200cit/config", "not printable"),
        ("git~1/config", "version control"),
        (".git./config", "version control"),
        ("src/.env", "may hold secrets"),
        ("src/.env.production", "may hold secrets"),
        (".ssh/known_hosts", "may hold secrets"),
        ("id_rsa", "may hold secrets"),
        ("server.PEM", "may hold secrets"),
        (".aws/config", "may hold secrets"),
        ("credentials", "may hold secrets"),
        ("node_modules/a/index.js", "installed or generated"),
    ],
)
def test_a_hostile_path_is_a_reason_and_nothing_else(root, path, reason):
    assert reason in refused(root, action="read", path=path)


@pytest.mark.parametrize("action", ["tree", "files", "search", "symbols"])
@pytest.mark.parametrize("path", ["..", "/", "src/../..", ".git", "link"])
def test_a_look_begins_below_the_root_too(root, action, path):
    (root / "link").symlink_to(root.parent)
    args = {"text": "canary"} if action == "search" else {}
    refused(root, action=action, path=path, **args)


def test_links_lead_nowhere(root):
    (root / "file").symlink_to(root.parent / "outside.txt")
    (root / "folder").symlink_to(root.parent)
    (root / "loop").symlink_to("loop")
    assert "is a link" in refused(root, action="read", path="file")
    assert "a link" in refused(root, action="read", path="folder/outside.txt")
    assert "is a link" in refused(root, action="read", path="loop")
    assert set(aside(root)) == {"file", "folder", "loop"}
    assert look(root, action="search", text="canary")["finds"] == []


def test_a_second_name_of_an_outside_file_is_refused(root):
    os.link(root.parent / "outside.txt", root / "twin.txt")
    assert "second name" in refused(root, action="read", path="twin.txt")
    assert "twin.txt" in aside(root)


def test_pipes_sockets_and_devices_are_refused_at_once(root):
    os.mkfifo(root / "pipe")
    home = os.getcwd()
    os.chdir(root)  # the path of a socket may have a hundred characters
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        os.chdir(home)
        for name in ("pipe", "socket"):
            assert "pipe, socket or device" in refused(root, action="read", path=name)
        assert set(aside(root)) == {"pipe", "socket"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x7fELF\0\0", "is binary"),
        (b"\xff\xfe\xfa", "another coding than UTF-8"),
        ("bänk".encode("latin-1"), "another coding than UTF-8"),
        (b"x" * (contents.MAX_BYTES + 1), "has 1,000,001 bytes"),
        (b"# note\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n", "holds a private key"),
    ],
)
def test_what_is_no_text_or_a_secret_is_refused_by_name(root, data, reason):
    (root / "odd").write_bytes(data)
    assert reason in refused(root, action="read", path="odd")
    first = look(root, action="search", text="MIIE")["refused"]["first"]
    assert [row["path"] for row in first] == ["odd"]
    assert reason in first[0]["reason"]


def test_a_sparse_file_of_a_terabyte_costs_nothing(root):
    with open(root / "huge", "wb") as file:
        file.truncate(2**40)
    assert "files of up to 1,000,000 are read" in refused(root, action="read", path="huge")


def test_secrets_are_taken_out_and_cannot_be_probed(root):
    key = "ghp_" + "a1B2" * 9
    (root / "conf.py").write_text(f'TOKEN = "{key}"\nnext = 1\n')
    found = look(root, action="read", path="conf.py")
    assert found["lines"] == ['TOKEN = "[redacted]"', "next = 1"]
    assert look(root, action="search", text=key[:12])["finds"] == []


def test_nothing_that_is_read_steers_a_screen(root):
    (root / "odd.txt").write_text("a\x1b[2Jb\u202ec\rd\te\n")
    found = look(root, action="read", path="odd.txt")["lines"]
    assert found == ["a\\x1b[2Jb\\u202ec\\x0dd\te"]


def test_names_that_are_no_text_are_refused_and_shown_harmlessly(root):
    (root / "new\nline").write_text(OUTSIDE)
    (Path(os.fsdecode(os.fsencode(root) + b"/\xff.py"))).write_text(OUTSIDE)
    assert set(aside(root).values()) == {"has a name that is not printable text"}
    assert all(name.isprintable() for name in aside(root))


def test_caps_on_depth_files_and_rows_are_told(root, monkeypatch):
    monkeypatch.setattr(enclosure, "MAX_DEPTH", 3)
    (root / "a/b/c/d/e").mkdir(parents=True)
    assert aside(root) == {"a/b/c/d": "lies more than 3 folders deep"}
    monkeypatch.setattr(enclosure, "MAX_ENTRIES", 2)
    assert "come after the first 2" in " ".join(aside(root).values())
    monkeypatch.setattr(contents, "MAX_ROWS", 1)
    (root / "README.md").write_text("a\nb\nc\n" + "y" * 1000)
    assert look(root, action="read", path="README.md")["more"] == 3
    line = look(root, action="read", path="README.md", first=4)["lines"][0]
    assert line == "y" * 400 + "…"


def test_a_folder_of_many_names_ends_at_the_cap(root):
    (root / "many").mkdir()
    for number in range(400):
        (root / f"many/{number}").touch()
    assert look(root, action="files")["files"] == 404
    (root / "deep").mkdir()
    path = root / "deep"
    for _ in range(40):
        path = path / "d"
        path.mkdir()
    assert "folders deep" in " ".join(aside(root).values())


def test_the_time_a_look_may_take_is_bounded(root):
    class Racing(FakeClock):
        def monotonic(self):
            self.slept.append(contents.SECONDS / 3)
            return super().monotonic()

    found = repo_tool(root, Racing()).run(ReadRepo(action="search", text="Loaf"))
    assert "time is up" in " ".join(found["refused"]["counted"])


def test_a_search_cannot_be_made_slow_by_its_text(root):
    (root / "long.txt").write_text("a" * 900_000)
    assert look(root, action="search", text="(a+)+$")["finds"] == []
    assert look(root, action="files", glob="*a" * 90 + "b")["files"] == 0
    assert look(root, action="files", glob="**/" * 60 + "b")["files"] == 0


# --- races


def test_a_folder_that_turns_into_a_link_meanwhile_leaks_nothing(root):
    """One thread swaps the folder for a link to the outside as fast as it can."""
    real, decoy = root / "real", root / "decoy"
    real.mkdir()
    (real / "outside.txt").write_text("inside")
    decoy.symlink_to(root.parent)
    done = threading.Event()

    def swap():
        while not done.is_set():
            os.rename(real, root / "kept")
            os.rename(decoy, real)
            os.rename(real, decoy)
            os.rename(root / "kept", real)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        tool, seen = repo_tool(root), set()
        for _ in range(1500):
            try:
                params = ReadRepo(action="read", path="real/outside.txt")
                seen.update(tool.run(params)["lines"])
            except TaskError as error:
                assert OUTSIDE not in str(error)
        for _ in range(30):
            found = tool.run(ReadRepo(action="search", text="s"))
            seen.update(row["text"] for row in found["finds"] if "outside" in row["path"])
    finally:
        done.set()
        thread.join()
    assert seen == {"inside"}


def test_a_file_that_is_written_to_meanwhile_is_refused(root, monkeypatch):
    read = os.fdopen

    def growing(*args, **kwargs):
        with open(root / "README.md", "a") as file:
            file.write("more")
        return read(*args, **kwargs)

    monkeypatch.setattr(enclosure.os, "fdopen", growing)
    assert "changes while it is read" in refused(root, action="read", path="README.md")


def test_no_descriptor_is_left_open(root):
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for path in ("src", "README.md", "nothing", "README.md/x"):
        try:
            look(root, action="read", path=path)
        except TaskError:
            continue
    look(root, action="tree")
    after = len(os.listdir("/proc/self/fd")) if before else 0
    assert after == before


# --- git


def git(root, *command, **more):
    subprocess.run(
        ["git", "-C", str(root), "-c", "user.name=Ana", "-c", "user.email=ana@example.org",
         "-c", "init.defaultBranch=main", *command],
        check=True, capture_output=True,
        env={"PATH": environment()["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1",
             **more},
    )  # fmt: skip


needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")


@pytest.fixture
def kept(root):
    """The repository, with two commits by two people."""
    git(root, "init")
    git(root, "add", ".")
    day = {"GIT_AUTHOR_DATE": "2024-05-01T10:00:00Z", "GIT_COMMITTER_DATE": "2024-05-01T10:00:00Z"}
    git(root, "commit", "-m", "Bake", **day)
    (root / "src/main.py").write_text("class Loaf: pass\n")
    other = {"GIT_AUTHOR_EMAIL": "bo@example.org", "GIT_COMMITTER_DATE": "2025-06-01T10:00:00Z"}
    git(root, "commit", "-am", "Bake longer", **other)
    return root


@needs_git
def test_the_history_is_summed_up_without_naming_anybody(kept):
    found = look(kept, action="history")
    assert (found["commits"], found["authors"], found["authors_of_half"]) == (2, 2, 1)
    assert (found["first"], found["last"]) == ("2024-05-01", "2025-06-01")
    assert found["years"] == {"2024": 1, "2025": 1}
    assert found["complete"] is True
    assert [row["subject"] for row in found["newest"]] == ["Bake longer", "Bake"]
    assert found["changed_most"][0] == {"path": "src/main.py", "commits": 2}
    assert "example.org" not in str(found)
    assert "Ana" not in str(found)


@needs_git
def test_only_what_git_tracks_is_read(kept):
    (kept / "notes.txt").write_text(OUTSIDE)
    (kept / "build").mkdir()
    (kept / "build/out.txt").write_text(OUTSIDE)
    assert aside(kept)["build"] == "is not tracked by git"
    assert "not tracked by git" in refused(kept, action="read", path="notes.txt")
    assert look(kept, action="search", text="canary")["finds"] == []


@needs_git
def test_a_packed_branch_and_a_shallow_clone_are_read(kept, tmp_path):
    git(kept, "pack-refs", "--all")
    git(kept, "gc")
    assert look(kept, action="history")["commits"] == 2
    clone = tmp_path / "clone"
    git(kept, "clone", "--depth", "1", f"file://{kept}", str(clone))
    assert look(clone, action="history")["commits"] == 1


@needs_git
def test_nothing_that_the_repository_configures_is_run(kept, tmp_path):
    """Everything in a repository that can name a program names one that leaves a mark."""
    mark = tmp_path / "mark"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    for key in (
        "core.fsmonitor", "core.pager", "pager.log", "core.sshCommand", "diff.external",
        "gpg.program", "core.editor", "diff.evil.textconv", "diff.evil.command",
        "filter.evil.smudge", "core.alternateRefsCommand", "credential.helper", "core.askpass",
    ):  # fmt: skip
        git(kept, "config", key, str(script))
    for key, value in {"log.showSignature": "true", "core.hooksPath": str(tmp_path),
                       "alias.log": f"!{script}", "core.worktree": str(tmp_path)}.items():  # fmt: skip
        git(kept, "config", key, value)
    (kept / ".gitattributes").write_text("* diff=evil filter=evil\n")
    for hook in ("post-index-change", "post-checkout", "reference-transaction"):
        shutil.copy(script, tmp_path / hook)
        shutil.copy(script, kept / ".git/hooks" / hook)
    mark.unlink(missing_ok=True)
    assert look(kept, action="history")["commits"] == 2
    assert look(kept)["history"]["commits"] == 2
    assert look(kept, action="tree")["files"] == 4
    assert not mark.exists()
    subprocess.run(["git", "-C", str(kept), "status"], capture_output=True, check=False)
    assert mark.exists(), "git itself would have run it"


@needs_git
def test_a_history_that_is_kept_elsewhere_is_not_read(kept, tmp_path):
    info = kept / ".git/objects/info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(str(tmp_path))
    assert "borrows objects" in refused(kept, action="history")
    (info / "alternates").unlink()
    os.rename(kept / ".git/objects/pack", tmp_path / "pack")
    (kept / ".git/objects/pack").symlink_to(tmp_path / "pack")
    assert "are links" in refused(kept, action="history")
    (kept / ".git/objects/pack").unlink()
    (kept / ".git/objects/pack").mkdir()
    (kept / ".git/objects/pack/pack-1.pack").symlink_to(tmp_path / "pack-1.pack")
    assert "are links" in refused(kept, action="history")


@needs_git
def test_a_repository_without_a_commit_has_neither_history_nor_tracked_files(root):
    git(root, "init")
    assert "no commit yet" in refused(root, action="history")
    assert look(root)["files"] == 0
    git(root, "add", "README.md")
    assert look(root)["files"] == 1


@needs_git
@pytest.mark.parametrize(
    "head",
    ["", "ref: ../../outside.txt", "ref: refs/heads/../../../outside.txt", "ref: refs/heads/none",
     "--output=mark", "f" * 40, "ref: refs/heads/\0", "x" * 10_000],
)  # fmt: skip
def test_a_head_that_names_no_commit_is_a_reason(kept, head):
    (kept / ".git/HEAD").write_text(head)
    refused(kept, action="history")
    assert not (kept / ".git/objects/mark").exists()


@needs_git
def test_records_elsewhere_make_no_history(kept, tmp_path):
    os.rename(kept / ".git", tmp_path / "records")
    (kept / ".git").write_text(f"gitdir: {tmp_path / 'records'}\n")
    assert "not the top of a git repository" in refused(kept, action="history")
    (kept / ".git").unlink()
    (kept / ".git").symlink_to(tmp_path / "records")
    assert "not the top of a git repository" in refused(kept, action="history")


@needs_git
def test_broken_records_are_a_reason(kept):
    (kept / ".git/index").write_bytes(b"DIRC" + b"\xff" * 400)
    assert "git" in refused(kept, action="tree")
    for path in (kept / ".git/objects").rglob("*"):
        if path.is_file():
            path.chmod(0o644)
            path.write_bytes(b"\x78\x01junk")
    assert "git" in refused(kept, action="history")
