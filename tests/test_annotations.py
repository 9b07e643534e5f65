"""Tags and notes that stand beside the runs."""

import pytest

from core.errors import CallerError
from dr_rd.annotations import ANNOTATIONS, MAX_NOTE, MAX_TAG, Annotation, Annotations


def test_what_is_written_is_read_again_and_replaced_whole(tmp_path):
    kept = Annotations(tmp_path)
    assert kept.read("r1") == Annotation() and kept.all() == {}
    kept.write("r1", ["  for  the board ", "", "draft", "draft"], " Ask Ana. ")
    again = Annotations(tmp_path)
    assert again.read("r1") == Annotation(tags=("for the board", "draft"), note="Ask Ana.")
    again.write("r1", [], "")
    assert again.all() == {"r1": Annotation()}


def test_too_long_a_tag_or_note_is_refused_and_nothing_is_written(tmp_path):
    kept = Annotations(tmp_path)
    with pytest.raises(CallerError, match="at most 40 fit"):
        kept.write("r1", ["x" * (MAX_TAG + 1)], "")
    with pytest.raises(CallerError, match="shorten it"):
        kept.write("r1", [], "x" * (MAX_NOTE + 1))
    assert kept.all() == {}


def test_no_run_id_leads_out_of_the_folder(tmp_path):
    with pytest.raises(CallerError, match="run id"):
        Annotations(tmp_path).write("../r1", ["a"], "")


def test_a_file_that_cannot_be_read_takes_nothing_else_away(tmp_path):
    kept = Annotations(tmp_path)
    kept.write("r1", ["a"], "")
    (tmp_path / ANNOTATIONS / "r2.json").write_text("{")
    assert kept.all() == {"r1": Annotation(tags=("a",))} and kept.read("r2") == Annotation()
