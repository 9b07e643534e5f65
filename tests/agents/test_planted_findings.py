"""Findings that are worth less than they say lower the counts: ten kinds, planted one at a time."""

import pytest

from dr_rd.agents.statements import Checker, Finding, Source, claims
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.evaluation.claims import judge_claims, tally
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.ingest import read_documents
from dr_rd.planning.signals import stems

BRIEF = Brief(
    objective="Do tablets in lessons change how well pupils of the fifth form read?",
    hard_constraints=("At most 40 classes.",),
)
KNOWN = "Pupils with tablets read 12 % fewer words of a text in one minute than those with books."
OTHER = "Teachers of 30 schools were trained for two days before the lessons began."
GOOD = (
    Finding(text="Pupils with tablets read 12 % fewer words of a text in one minute.", sources=("E001",)),
    Finding(text="Teachers of 30 schools were trained for two days.", sources=("E002",)),
)  # fmt: skip
SIZE = "At a power of 80 % the trial needs 36 classes."

# the finding, and by how much each of supported, unsupported and unchecked grows
PLANTED = {
    "of another field": (
        Finding(text="Rye roots raise carbon stocks below arable fields."), (0, 1, 0)),
    "a source that is not there": (
        Finding(text="Pupils read better from paper than tablets.", sources=("E777",)), (0, 1, 0)),
    "a source that says something else": (
        Finding(text="Parents of pupils prefer books at home.", sources=("E002",)), (0, 1, 0)),
    "a figure that its source does not give": (
        Finding(text="Pupils with tablets read 12 % fewer words of a text in one minute, and 61 of them gave up.", sources=("E001",)),
        (0, 1, 0)),
    "what its source contradicts": (
        Finding(text="Pupils with tablets read 12 % more words of a text in one minute.", sources=("E001",)),
        (0, 0, 0)),
    "a calculation that gave another figure": (
        Finding(text="The trial needs 18 classes.", sources=("T1-1",)), (0, 1, 0)),
    "a brief that does not say so": (
        Finding(text="Every pupil has a tablet at home already.", sources=("C01",)), (0, 1, 0)),
    "a source claimed and not named": (
        Finding(text="Pupils read slower from tablets at night.", basis="source"), (0, 1, 0)),
    "a publication nobody looked up": (
        Finding(text="Pupils read slower from tablets (Smith and Jones 2019).", basis="knowledge"),
        (0, 0, 1)),
    "what nobody has checked": (
        Finding(text="Pupils tire of tablets after a lesson."), (0, 0, 1)),
}  # fmt: skip


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """Count what findings come to: supported, not supported, unchecked, and the share supported."""
    folder = tmp_path_factory.mktemp("docs")
    (folder / "a.md").write_text(f"{KNOWN}\n", encoding="utf-8")
    (folder / "b.md").write_text(f"{OTHER}\n", encoding="utf-8")
    corpus = read_documents([folder])
    sources = [Source(p.id, "quoted", p.text, "a study") for p in corpus.passages]
    sources += [Source("T1-1", "computed", SIZE), Source("C01", "brief", "At most 40 classes.")]
    checker = Checker(
        {s.id: s for s in sources}, build_ledger(BRIEF), "T1-M", "english", stems(BRIEF.words),
        frozenset({"T1", "T2"}),
    )  # fmt: skip

    def count(*findings):
        _, found, _, removed = checker.checked([], findings, [])
        made = claims(found, checker.sources)
        assumed = tuple(c.text for c in made if c.kind == "assumption")
        subject = Subject(text="", brief=BRIEF, corpus=corpus, assumed=assumed)
        told = tally(judge_claims([("T1", c) for c in made], subject))
        unsupported = told.checked - told.supported
        return (told.supported, unsupported, told.assumptions), told, found, removed

    return count


def test_what_is_good_is_counted_as_supported(counted):
    found, told, _, _ = counted(*GOOD)
    assert found == (2, 0, 0)
    assert told.rate == 1


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_finding_is_never_supported_and_is_counted_for_what_it_is(counted, kind):
    finding, grown = PLANTED[kind]
    found, told, kept, removed = counted(*GOOD, finding)
    assert found == tuple(a + b for a, b in zip((2, 0, 0), grown, strict=True))
    if grown[1]:
        assert told.rate < 1
    if grown == (0, 0, 0):
        assert removed.named == [
            "a sentence that begins “Pupils with tablets read 12 %”, because E001 says otherwise"
        ]
    else:
        assert kept[-1].assumption
        assert not kept[-1].sources


def test_a_run_of_nothing_but_planted_findings_has_none_supported(counted):
    found, told, _, _ = counted(*(finding for finding, _ in PLANTED.values()))
    assert found == (0, 7, 2)
    assert told.told.startswith("0 of 7 claims are supported")


def test_a_publication_is_kept_and_marked(counted):
    _, _, kept, _ = counted(PLANTED["a publication nobody looked up"][0])
    assert kept[0].text.endswith("(Smith and Jones 2019, unverified).")


def test_whoever_cites_the_task_itself_says_it_on_their_own(counted):
    said = Finding(text="Pupils tire of tablets after a lesson.", sources=("T1",))
    found, _, kept, _ = counted(*GOOD, said)
    assert found == (2, 0, 1)
    assert not kept[-1].fault


def test_a_task_of_the_plan_whose_answer_is_not_there_exists_all_the_same(counted):
    said = Finding(text="Pupils tire of tablets after a lesson.", sources=("T2",))
    found, _, kept, _ = counted(*GOOD, said)
    assert found == (2, 1, 0)
    assert kept[-1].fault == "it cites T2, of which no answer is given here"
