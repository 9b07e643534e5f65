"""Whose key goes where."""

import pytest
from pydantic import SecretStr

from dr_rd.models.keys import Keys, environment_key

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
