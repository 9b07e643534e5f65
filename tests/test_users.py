"""The file of users: names and digests, never a token; what is wrong with it in one sentence."""

import json
from pathlib import Path

import pytest

from core.errors import CallerError
from dr_rd.cli import main
from dr_rd.users import Users


@pytest.fixture
def users(tmp_path: Path) -> Users:
    return Users(tmp_path / "tokens.json")


def test_a_token_is_its_bearer_s_until_it_is_replaced_or_removed(users: Users) -> None:
    first, other = users.add("ann"), users.add("bob@example.org")
    assert (users.bearer_of(first), users.bearer_of(other)) == ("ann", "bob@example.org")
    assert users.bearer_of("") == users.bearer_of(first + "x") == users.bearer_of("\ud800") == ""
    second = users.add("ann")
    assert (users.bearer_of(first), users.bearer_of(second)) == ("", "ann")
    users.remove("ann")
    assert users.bearer_of(second) == ""
    assert users.names() == ("bob@example.org",)


def test_the_file_holds_no_token_and_is_its_owner_s_alone(users: Users) -> None:
    token = users.add("ann")
    assert token not in users.path.read_text()
    assert users.path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["", "x y", "ann\n", "../ann", "-ann", "a" * 101, "ann/bob"])
def test_a_name_is_one_word(name: str, users: Users) -> None:
    with pytest.raises(CallerError, match="a user cannot be named"):
        users.add(name)
    assert not users.path.exists()


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"users": {"ann": 1}}', '{"users": []}'])
def test_a_file_of_something_else_lets_nobody_in(text: str, users: Users) -> None:
    users.path.write_text(text)
    for asked in (users.names, lambda: users.bearer_of("x"), lambda: users.add("ann")):
        with pytest.raises(CallerError, match="cannot be read as a file of users"):
            asked()
    assert users.path.read_text() == text


def test_a_token_in_the_place_of_its_digest_is_refused(users: Users) -> None:
    users.path.write_text(json.dumps({"users": {"ann": "secret"}}))
    with pytest.raises(CallerError, match="something other than the digests"):
        users.bearer_of("secret")


def test_the_command_line_makes_lists_and_removes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tokens.json"
    assert main(["token", "add", "ann", "--tokens", str(path)]) == 0
    told = capsys.readouterr()
    assert Users(path).bearer_of(told.out.strip()) == "ann"
    assert "is shown this once" in told.err
    monkeypatch.setenv("DRRD_TOKENS", str(path))
    assert main(["token", "list"]) == 0
    assert capsys.readouterr().out == "ann\n"
    assert main(["token", "remove", "bob"]) == 2
    assert "there is no user 'bob'" in capsys.readouterr().err
    assert main(["token", "remove", "ann"]) == 0
    assert main(["token", "add"]) == 2
    assert "a user cannot be named ''" in capsys.readouterr().err
    assert main(["token", "list", "ann"]) == 2
    assert "leave 'ann' out" in capsys.readouterr().err
    monkeypatch.delenv("DRRD_TOKENS")
    assert main(["token", "list"]) == 2
    assert "name the file of users" in capsys.readouterr().err
