"""The file of secrets: it stands in for an environment that names no endpoint."""

import pytest

from core.errors import CallerError
from dr_rd.ui.secrets import with_secrets

HELD = '[models]\nendpoint = "http://localhost:1/v1"\nmodel = "m"\nkey = "k"\njudge = "j"\n'


@pytest.fixture
def secrets(tmp_path):
    path = tmp_path / "secrets.toml"
    path.write_text(HELD)
    return path


def test_the_file_names_server_models_and_key(secrets):
    assert with_secrets({"HOME": "/h"}, secrets) == {
        "HOME": "/h",
        "DRRD_ENDPOINT": "http://localhost:1/v1",
        "DRRD_MODEL": "m",
        "DRRD_API_KEY": "k",
        "DRRD_MODEL_JUDGE": "j",
    }


def test_an_environment_with_an_endpoint_stands_as_it_is_and_gets_no_key_of_another(secrets):
    environ = {"DRRD_ENDPOINT": "https://api.example.org/v1", "DRRD_MODEL": "large"}
    assert with_secrets(environ, secrets) == environ


def test_a_key_without_an_endpoint_is_left_out(tmp_path):
    assert with_secrets({"DRRD_API_KEY": "k"}, tmp_path / "none.toml") == {}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[models", "cannot be read as TOML"),
        ("[models]\nkey = 1\n", "other than text"),
        ('[models]\nendpont = "x"\n', "did you mean 'endpoint'"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_in_one_sentence(tmp_path, text, told):
    path = tmp_path / "secrets.toml"
    path.write_text(text)
    with pytest.raises(CallerError, match=told) as mistake:
        with_secrets({}, path)
    assert str(path) in str(mistake.value)
