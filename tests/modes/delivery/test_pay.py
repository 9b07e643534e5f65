"""What the delivery asks of a limit on money where people have rates, and where they have none."""

from pathlib import Path
from typing import Any

from core.decisions import open_questions
from core.store import RunFolder
from core.trace import read_events
from dr_rd.brief import Brief, Person, Resources
from dr_rd.modes.delivery.faults import PAYS
from tests.modes.delivery.real import driven, real_run, result
from tests.modes.panel.test_voices import brief_of, quoted


def paid(**more: Any) -> Brief:
    people = (Person(role="field technician", rate=200, currency="GBP", per="day"),)
    held = {"resources": Resources(people=people), **more}
    return brief_of("agri_01").model_copy(update=held)


def asked(folder: RunFolder) -> list[str]:
    """The questions that a run waits for once it is driven."""
    driven(folder)
    rows = tuple(read_events(folder.trace_path))
    return [one.question.id for one in open_questions(rows, folder)]


def test_whether_a_limit_pays_staff_is_asked_only_where_nothing_says_it(tmp_path: Path) -> None:
    unpaid = quoted(brief_of("agri_01")).brief
    direct = unpaid.model_copy(update={"resources": Resources(covers="direct")})
    assert PAYS in asked(real_run(tmp_path / "unpaid", unpaid))
    assert PAYS not in asked(real_run(tmp_path / "direct", direct))
    assert PAYS not in asked(real_run(tmp_path / "paid", paid()))


def test_pay_for_set_days_is_known_and_pay_for_guessed_days_a_guess(tmp_path: Path) -> None:
    """Quotes for all costs and pay for the seasons break the limit by themselves; without quotes none does."""
    assert asked(real_run(tmp_path / "quoted", quoted(paid()).brief)) == ["against-c04"]
    folder = real_run(tmp_path / "guessed", paid())
    assert asked(folder) == []
    evidence = [t["evidence"] for t in result(folder)["tests"] if "guesses" in t["evidence"]]
    assert evidence == ["the library guesses 20,000 to 60,000 of 50,000 GBP; quotes decide"]
