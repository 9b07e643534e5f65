"""A proposal with sections that a model wrote: what is theirs, what stays the code's, in which language."""

import json
import re

import anyio
import pytest

from core.errors import TaskError
from core.graph.files import read_answers, read_plan
from core.graph.state import GraphState
from core.requests import Reply
from core.testing import FakeCalls
from dr_rd.brief import Brief
from dr_rd.evaluation.scorecard import load_rubric, score
from dr_rd.evaluation.sentences import sentences
from dr_rd.language import UNKNOWN, language
from dr_rd.models.typed.ask import Model
from dr_rd.report.proposal import Synthesizer
from dr_rd.report.writing import Section, Writer
from tests.scripted import sections

MULCH = Brief(
    objective="Test whether mulch reduces weeding time relative to bare soil in a field trial.",
    hard_constraints=("minimum of 12 plots", "budget under 30000 GBP"),
    banned_moves=("herbicide treatment of any plot",),
    deadline="36 months",
)
MULCH_DE = Brief(
    objective="Prüfe in einem Feldversuch, ob Mulch die Zeit für das Jäten gegenüber offenem Boden verringert.",
    hard_constraints=("mindestens 12 Parzellen", "kein Herbizid auf den Parzellen"),
)
GERMAN = "Der Plan vergleicht die Parzellen und misst, wie lange das Jäten auf ihnen dauert."
ENGLISH = "The plan compares plots, measures how long it takes to weed them and reports it."


class Scripted(FakeCalls):
    """A model that says one thing of everything it is given, and fails where it is told to."""

    def __init__(self, *said, failing=""):
        super().__init__([])
        self.said, self.failing = said, failing

    async def call(self, request, slot=None):
        self.asked.append(request)
        user = request.body["messages"][1]["content"]
        if self.failing and self.failing in user:
            raise TaskError("the server closed the line")
        found = sections(request.body)
        said = [
            {"id": key, "paragraphs": [{"sentences": self._told(p)}]} for key, p in found.items()
        ]
        return Reply(text=json.dumps({"sections": said}), finish="stop")

    def _told(self, pieces):
        return [{"text": t, "sources": [_nearest(t, [*pieces.items()])]} for t in self.said]


def _nearest(text, pieces):
    """The id of the piece that has most of the text's words, by how they begin."""
    return max(pieces, key=lambda piece: len(_begun(text) & _begun(piece[1])))[0]


def _begun(text):
    return {word[:4] for word in re.findall(r"[^\W\d_]{4,}", text.lower())}


def composer(run, calls=None):
    bench = run.bench
    writer = Writer(Model(calls, "http://here", "m 2.5"), bench.ledger, "7") if calls else None
    library = bench._workbench.planner.library
    return Synthesizer(bench.brief, bench.ledger, bench.design, library, bench.corpus, writer)


def state_of(run):
    tasks = read_plan(run.folder).tasks
    return GraphState(
        idea=run.bench.brief.objective, tasks=tasks, answers=read_answers(run.folder, tasks)
    )


def compose(run, calls):
    made, state = composer(run, calls), state_of(run)

    async def go():
        return made.body(state, await made.sections(state))

    return anyio.run(go)


@pytest.fixture(scope="module")
def mulch(finish):
    return finish(MULCH)


@pytest.fixture(scope="module")
def mulch_de(finish):
    return finish(MULCH_DE)


def written(body):
    """The paragraphs that say that a model wrote them."""
    return re.findall(r"(.+)\n\n\*Written by", body)


def test_without_a_writer_the_proposal_is_that_of_the_run(mulch):
    assert composer(mulch).body(state_of(mulch)) == mulch.body
    assert "without a model; risk posture" in mulch.body


def test_every_section_is_woven_in_and_marked_and_the_computed_parts_stay(mulch):
    body = compose(mulch, Scripted(ENGLISH))
    phases = {t.phase for t in state_of(mulch).tasks}
    # a section whose material has no word of what is said of it stays the code's
    assert len(written(body)) >= len(phases) + 2
    assert "were written by `m 2.5`" in body
    kept = [line for line in body.splitlines() if line in mulch.body.splitlines()]
    lost = [line for line in mulch.body.splitlines() if line not in kept]
    assert [line.split(",")[0] for line in lost] == [
        "Planned and worked by the built-in method library"
    ]


def test_where_one_section_fails_the_others_and_all_answers_stay(mulch):
    body = compose(mulch, Scripted(ENGLISH, failing="The risks in words"))
    risks = body.split("## Risks")[1].split("## Gates")[0]
    assert "*`m 2.5` wrote nothing for this part that could be kept" in risks
    assert "| Risk | Early sign |" in risks
    assert len(written(body)) > len({t.phase for t in state_of(mulch).tasks})
    for task in state_of(mulch).tasks:
        assert f"### {task.id} {task.title}" in body


def test_the_evaluation_accepts_what_was_written_and_what_it_cites(mulch):
    body = compose(mulch, Scripted(ENGLISH))
    rubric, answers = load_rubric("proposal"), state_of(mulch).answers
    cards = [
        score(mulch.bench.proposal_subject(b, answers), rubric, threshold=0.6, weights={}).by_key()
        for b in (mulch.body, body)
    ]
    for key in ("citations", "numbers", "support", "compliance", "completeness", "consistency"):
        assert cards[1][key].score == cards[0][key].score, key


def test_a_section_that_breaks_the_ledger_beside_the_rest_is_left_out(mulch):
    good = Section(text="The plots are compared [plan].", model="m")
    bad = Section(text="Each plot gets a herbicide treatment [T01].", model="m")
    body = composer(mulch).body(state_of(mulch), {"summary": bad, "risks": good})
    assert "gets a herbicide" not in body
    assert "The plots are compared [plan]." in body
    assert "`m` wrote nothing for this part that could be kept" in body.split("## Objective")[0]
    assert "| violated |" not in body


def test_an_english_brief_has_no_notice_and_another_says_which_parts_are_in_english(
    mulch, mulch_de
):
    assert "Überschriften, Tabellen, Rechnungen" not in mulch.body
    top = mulch_de.body.split("## Decision")[0]
    assert "> Der Auftrag ist auf Deutsch. Überschriften, Tabellen" in top
    assert language(top.split("> ")[1]) == "german"


def test_what_is_written_is_in_the_briefs_language_and_nothing_else_is_kept(mulch_de):
    body = compose(
        mulch_de, Scripted(GERMAN, ENGLISH, "Daher ist es so, wie die Parzellen zeigen.")
    )
    assert written(body)
    for paragraph in written(body):
        assert {language(s.text) for s in sentences(paragraph)} <= {"german", UNKNOWN}
    assert ENGLISH not in body
    assert "one sentence left out" in body


def test_a_model_that_writes_in_another_language_throughout_writes_nothing(mulch_de):
    body = compose(mulch_de, Scripted(ENGLISH))
    assert not written(body)
    assert ENGLISH not in body


def test_the_model_is_told_the_language_of_the_brief(mulch_de):
    calls = Scripted(GERMAN)
    compose(mulch_de, calls)
    assert all(
        "Write in German throughout" in r.body["messages"][0]["content"] for r in calls.asked
    )
