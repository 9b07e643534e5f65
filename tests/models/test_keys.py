"""Whose key goes where."""

import pytest
from pydantic import SecretStr

from core.clock import seeded
from core.errors import CallerError
from core.settings import Served
from dr_rd.models.privacy.masking import typed_mask
from dr_rd.models.served.keys import Keys, Masks, environment_key

HERE = "http://127.0.0.1:8080/v1"
ELSEWHERE = "https://api.example.org/v1"


def test_a_run_sends_the_key_that_was_given_for_it_and_no_other_run_does():
    keys = Keys()
    keys.hold("run-1", SecretStr("typed-by-mina"))
    assert (
        keys.key("run-1", HERE, {"DRRD_API_KEY": "of-all"}).get_secret_value() == "typed-by-mina"
    )
    assert keys.key("run-2", HERE, {}).get_secret_value() == ""
    assert "mina" not in repr(vars(keys))


@pytest.mark.parametrize(
    ("home", "base_url", "sent"),
    [
        ("", HERE, "of-all"),
        (HERE, HERE, "of-all"),
        (HERE, "http://127.0.0.1:8080", "of-all"),
        (HERE, ELSEWHERE, ""),
        (HERE, "http://127.0.0.1:8081/v1", ""),
    ],
)
def test_the_environment_s_key_goes_to_the_server_that_the_environment_names(home, base_url, sent):
    environ = {"DRRD_ENDPOINT": home, "DRRD_API_KEY": "of-all"}
    assert environment_key(environ, base_url).get_secret_value() == sent


def words(*listed, seed=1):
    return typed_mask("\n".join(listed), seeded(seed)("mask"))


def hiding(mask, **kept) -> Served:
    """Return what a run keeps that began with *mask*."""
    salt, marks = mask.sealed()
    about = {"salt": salt, "marks": marks, "masked": mask.count, **kept}
    return Served(base_url=HERE, models={}, **about)


def goes_on(served, *listed):
    masks = Masks()
    if listed:
        masks.hold("run-1", words(*listed, seed=2))
    return masks.mask("run-1", served)


@pytest.mark.parametrize(
    "listed", [("Acme", "Jane Doe"), ("jane doe", "ACME"), ("Zeta", "Acme", "Jane Doe")]
)
def test_a_run_goes_on_with_a_list_that_holds_all_it_began_with(listed):
    assert goes_on(hiding(words("Acme", "Jane Doe")), *listed).hide("Acme") != "Acme"


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ((), "2 in all, from its model's server, and they are not here now"),
        (("Acme",), "1 of them are not listed"),
        (("Zeta", "Omega"), "2 of them are not listed"),
        (("Acme", "Omega", "Jane"), "1 of them are not listed"),
    ],
)
def test_a_run_goes_on_with_no_list_that_lacks_a_word_of_its_first(listed, said):
    with pytest.raises(CallerError, match=f"{said}; give them all again, .*dr-rd resume --mask"):
        goes_on(hiding(words("Acme", "Jane Doe")), *listed)


def test_a_run_of_an_earlier_release_goes_on_with_as_many_words():
    served = hiding(words("Acme", "Jane Doe"), salt="", marks=())
    assert goes_on(served, "Acme", "Jane Doe")
    with pytest.raises(CallerError, match="1 of them are not listed"):
        goes_on(served, "Acme")
