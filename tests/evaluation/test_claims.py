"""Claims of answers and texts, each held against what it cites."""

import pytest

from core.graph.state import Answer, Claim
from dr_rd.brief import Brief
from dr_rd.evaluation.claims import (
    claims_of,
    evidence_claims,
    judge_claims,
    tally,
    to_json,
    unborne,
)
from dr_rd.evaluation.metrics.support import support
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.ingest import read_documents

LIVE = (
    "---\ndate: 2025-02-01\n---\n# Kiln log 2025\n\nThe second firing reached 1,210 C after 6 hours. "
    "The glaze of the test tiles did not crack.\n\n## Costs\n\nIt used 84 kWh of electricity.\n"
)
STALE = "# Kiln log 2023 (superseded by kiln-2025)\n\nThe second firing reached 1,180 C after 6 hours.\n"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    docs = tmp_path_factory.mktemp("docs")
    (docs / "kiln-2025.md").write_text(LIVE)
    (docs / "kiln-2023.md").write_text(STALE)
    return read_documents([docs])


def source(corpus, words):
    return next(p.id for p in corpus.passages if words in p.text)


def verdict(corpus, text, words, **given):
    claim = Claim(kind="quoted", text=text, source=source(corpus, words), **given)
    return judge_claims([("T01", claim)], Subject(text="", corpus=corpus))[0]


def test_a_heading_says_what_it_is(corpus):
    assert verdict(corpus, "The kiln used 84 kWh of electricity.", "84 kWh").verdict == "supported"


def test_a_claim_from_a_stale_document_is_contradicted_by_the_one_that_holds(corpus):
    found = verdict(corpus, "The second firing reached 1,180 C after 6 hours.", "1,180")
    assert found.verdict == "contradicted"
    assert "kiln-2025.md" in found.reason


def test_words_that_the_passage_does_not_have_are_no_quotation(corpus):
    found = verdict(corpus, "The glaze did not crack.", "crack", passage="the glaze was flawless")
    assert found.verdict == "unsupported"


def test_a_quotation_is_found_whatever_its_spaces_and_quotes(corpus):
    quote = "The glaze of the\u00a0test tiles  did not crack"
    assert verdict(corpus, quote, "crack", passage=quote).verdict == "supported"


def test_two_sources_support_a_claim_unless_one_contradicts_it(corpus):
    both = f"{source(corpus, '84 kWh')}, {source(corpus, 'crack')}"
    right = Claim(kind="quoted", text="The second firing reached 1,210 C.", source=both)
    wrong = right.model_copy(update={"text": "The second firing reached 1,120 C."})
    found = judge_claims([("", right), ("", wrong)], Subject(text="", corpus=corpus))
    assert [j.verdict for j in found] == ["supported", "contradicted"]


def test_sentences_that_cite_evidence_are_the_claims_of_a_text():
    text = (
        "# Plan\n\n- The firing reached 1,210 C [E001]. It is repeated in May.\n"
        "The glaze did not crack. [E001, kiln.md, Results]\n\nSee [E002], quoted in T02.\n"
        "“It used 84 kWh of electricity.” [E002; E003]\n- [E004] prices.csv, in T02\n"
        "| C01 | [E005] | a row is no sentence |\n"
    )
    assert [(c.text, c.source) for c in evidence_claims(text)] == [
        ("The firing reached 1,210 C.", "E001"),
        ("The glaze did not crack.", "E001"),
        ("It used 84 kWh of electricity.", "E002, E003"),
    ]


def test_a_claim_on_record_is_not_counted_again_where_the_text_cites_it():
    claim = Claim(kind="quoted", text="It used 84 kWh.", source="E002")
    answer = Answer(task_id="T01", content="- “It used 84 kWh.” [E002]\n", claims=(claim,))
    assert list(claims_of([answer])) == [("T01", claim)]


def test_the_rate_counts_what_can_be_checked_and_names_the_rest_with_its_place(corpus):
    here = source(corpus, "84 kWh")
    claims = [
        Claim(
            kind="quoted",
            text="The second firing reached 1,210 C.",
            source=source(corpus, "1,210"),
        ),
        Claim(kind="quoted", text="It used 48 kWh of electricity.", source=here),
        Claim(kind="quoted", text="We will fire again.", source=here),
        Claim(kind="computed", text="x", source="T09-1"),
        Claim(kind="brief", text="a cup", source="C01", passage="a cup"),
    ]
    subject = Subject(text="", corpus=corpus, brief=Brief(objective="Make a cup."))
    found = judge_claims((("T03", c) for c in claims), subject)
    counted = tally(found)
    assert (counted.claims, counted.checked, counted.supported) == (5, 4, 2)
    assert counted.rate == 0.5
    assert counted.kinds == {"quoted": (1, 2), "computed": (0, 1), "brief": (1, 1)}
    assert [j.verdict for j in unborne(found)] == ["contradicted", "unsupported"]
    assert to_json(found)["not_supported"][0]["place"] == "T03"


def test_a_text_without_a_record_is_scored_by_what_it_cites(corpus):
    good, bad = (f"It used {n} kWh of electricity [{source(corpus, '84 kWh')}]." for n in (84, 48))
    assert support(Subject(text=good, corpus=corpus)).score == 1
    score = support(Subject(text=f"{good} {bad}", corpus=corpus))
    assert score.score == 0.5
    assert "contradicted" in score.rationale
    assert support(Subject(text="It used [E999] much electricity.", corpus=corpus)).score == 0
    assert support(Subject(text="It used 84 kWh.", corpus=corpus)).score is None
