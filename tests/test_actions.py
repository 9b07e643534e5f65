"""Which actions limits name, and that everything of the library declares what it does."""

import json
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from dr_rd.actions import Reader, load_vocabulary
from dr_rd.files import data_folder
from dr_rd.planning.library import Library, load_library
from dr_rd.planning.methods import Step

DATA = Path(__file__).parent / "data" / "actions"


@pytest.fixture(scope="module")
def reader():
    return Reader(load_vocabulary())


@pytest.fixture(scope="module")
def library():
    return load_library()


def cases(name):
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


def named(reader, case):
    """The actions that a case is read to name, in the way that it is meant."""
    ban = case["kind"] == "ban"
    return {n.action for n in reader.named(case["text"], ban=ban) if n.banned == ban}


@pytest.mark.parametrize("case", cases("named_visible"), ids=lambda c: c["text"][:50])
def test_the_actions_that_a_limit_names_are_read(case, reader):
    found = named(reader, case)
    assert set(case["actions"]) <= found <= {*case["actions"], *case.get("may", ())}


@pytest.mark.parametrize("case", cases("innocent_visible"), ids=lambda c: c["text"][:50])
def test_a_limit_that_shares_words_with_a_step_names_nothing_else(case, reader):
    assert named(reader, case) == set(case["actions"])


def test_of_limits_that_nobody_wrote_the_vocabulary_for_most_are_read_and_none_wrongly(reader):
    """Counted after the reader was done; nothing was changed for them."""
    right, lost, wrong = 0, 0, 0
    for case in (*cases("named_held_out"), *cases("innocent_held_out")):
        found, meant = named(reader, case), set(case["actions"])
        right += len(found & meant)
        lost += len(meant - found)
        wrong += len(found - meant - set(case.get("may", ())))
    assert (right, lost, wrong) == (17, 2, 0)


@pytest.mark.parametrize(
    ("text", "ban", "action", "whole"),
    [
        ("No interviews", True, "interview-people", True),
        (
            "include qualitative interviews with residents or planners",
            True,
            "interview-people",
            False,
        ),
        ("no new data are collected", False, "collect-new-data", True),
        ("Animals must not be used", False, "use-animals", True),
        ("Randomisation is not permitted", False, "assign-at-random", True),
        ("We will not buy any equipment", False, "buy-equipment", True),
        ("Use existing records only", False, "collect-new-data", True),
        ("enrol patients older than 80", True, "enrol-people", False),
        ("a model with no gradient updates", False, "train-model", False),
    ],
)
def test_what_narrows_a_ban_leaves_the_rest_of_the_action(text, ban, action, whole, reader):
    found = {n.action: n for n in reader.named(text, ban=ban)}
    assert found[action].banned
    assert found[action].whole == whole


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("include a control group", True),
        ("include a control group of the same age and school", False),
        ("include a sensitivity analysis excluding patients with reduced doses", False),
        ("a pilot study, and a report on it", False),
    ],
)
def test_an_action_is_asked_for_whole_where_a_limit_asks_for_nothing_else(text, whole, reader):
    (found,) = reader.named(text, ban=False)
    assert (found.banned, found.whole) == (False, whole)


@pytest.mark.parametrize("text", ["", "%", "…", "no", "not", "15 % of it, or", "to be"])
def test_a_limit_of_hardly_any_words_names_nothing(text, reader):
    assert reader.named(text, ban=True) == reader.named(text, ban=False) == ()


def test_the_vocabulary_is_closed_and_small():
    vocabulary = load_vocabulary()
    assert len(vocabulary.actions) <= 60
    raw = yaml.safe_load((data_folder() / "actions.yaml").read_text("utf-8"))
    raw["actions"][0]["of"] = "enrol-peple"
    with pytest.raises(ValidationError, match="unknown action 'enrol-peple'; did you mean"):
        type(vocabulary).model_validate(raw)


def test_every_step_of_the_library_says_which_actions_it_takes():
    """`actions: []` says that it takes none; a step without the line is refused."""
    for folder in ("methods", "techniques"):
        for file in (data_folder() / folder).iterdir():
            held = yaml.safe_load(file.read_text("utf-8"))
            steps = [s for them in held.get("phases", {}).values() for s in them]
            steps += [s for p in held.get("packages", ()) for s in p.get("steps", ())]
            assert steps, file.name
            assert all(set(s) == {"text", "actions"} for s in steps), file.name
    with pytest.raises(ValidationError, match="actions"):
        Step.model_validate({"text": "Draw lots"})


def test_an_action_that_nobody_knows_is_refused_with_its_place_and_the_choices(library):
    technique = library.techniques[0]
    wrong = technique.model_copy(update={"actions": ("sacrifice-time",)})
    raw = {**dict(library), "techniques": (wrong, *library.techniques[1:])}
    with pytest.raises(
        ValidationError, match=rf"{wrong.id}: unknown action .*Choose from: add-arm"
    ):
        Library.model_validate(raw)


def test_what_rules_out_an_action_rules_out_its_kinds(library):
    assert library.vocabulary.wider("catch-wildlife") == ("catch-wildlife", "use-animals")
