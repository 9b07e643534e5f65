"""A run's events as lines of the page's tables."""

from core.events import (
    ApprovalAsked,
    AttemptJudged,
    Booted,
    CallEnded,
    Event,
    NodeStarted,
    Row,
    TaskFinished,
    ToolCalled,
)
from core.graph.state import Answer, Claim, GraphTask
from core.scores import Criterion, Rubric, Score, aggregate
from dr_rd.checks import LedgerVerdict
from dr_rd.ui import tables

JUDGED = {"attempt": 1, "verdict": "fail", "rationale": "It rambles.", "answer_digest": "0" * 64}


def rows(*events: Event) -> list[Row]:
    """The events, one a second."""
    return [
        Row(seq=n, run_id="r", ts=f"2026-01-01T00:00:{n:02d}.000Z", event=e, prev="", hash="")
        for n, e in enumerate(events)
    ]


def task(task_id: str) -> GraphTask:
    return GraphTask(id=task_id, role="chemist", title=f"Do {task_id}")


def test_progress_tells_each_task_apart():
    events = rows(
        NodeStarted(node="agent", task_id="A"),
        NodeStarted(node="agent", task_id="B"),
        NodeStarted(node="agent", task_id="C"),
        AttemptJudged(task_id="B", score=0.4, retry=True, **JUDGED),
        AttemptJudged(task_id="C", score=0.5, retry=False, **JUDGED),
        TaskFinished(task_id="C", answer_digest="0" * 64, status="below_gate"),
    )
    lines = tables.progress([task(i) for i in "ABCD"], events)
    assert [(x["id"], x["state"], x["tries"], x["score"]) for x in lines] == [
        ("A", "working", "1", None),
        ("B", "trying again", "2", 0.4),
        ("C", "below the gate", "1", 0.5),
        ("D", "waiting", "", None),
    ]


def test_of_several_tries_each_score_and_the_one_that_is_kept_are_told():
    assert tables.tries(Answer(task_id="A", content="")) == "1 try"
    several = Answer(task_id="A", content="", attempts=3, kept=2, tried=(0.3, 0.5, None))
    assert tables.tries(several) == "try 2 of 3 kept as the best (0.30, 0.50, not judged)"


def test_what_is_only_reported_says_so():
    rubric = Rubric(id="r", criteria=(Criterion(key="a"), Criterion(key="b", report_only=True)))
    scores = [Score(key=k, score=0.5, rationale="") for k in "ab"]
    lines = tables.scores(aggregate(rubric, scores, 0.5))
    assert [line["status"] for line in lines] == ["scored", "only reported"]


def test_time_spent_waiting_for_a_person_is_not_work():
    boot = Booted(pid=1, python="3.11")
    assert tables.seconds(rows(boot, boot, ApprovalAsked(plan_digest=""), boot, boot)) == 3.0
    assert tables.seconds([]) == 0.0


def test_a_failed_tool_call_says_why():
    call = {"id": "T01-1", "name": "budget", "task_id": "T01", "role": "chemist", "elapsed_ms": 3}
    good = ToolCalled(**call, args_digest="", output_digest="a" * 64, ok=True)
    bad = ToolCalled(**call, args_digest="", ok=False, error="no cost is known")
    results = [line["result"] for line in tables.calls(rows(good, bad))]
    assert results == ["aaaaaaaa…", "✗ failed: no cost is known"]


def test_a_claim_shows_the_words_it_rests_on():
    claim = Claim(kind="brief", text="at least 8 plots", source="C01", passage="min. 8 plots")
    (line,) = tables.claims(Answer(task_id="A", content="", claims=(claim,)), None)
    assert (line["source"], line["passage"]) == ("C01", "min. 8 plots")


def test_violated_limits_come_first_with_their_quote():
    met = LedgerVerdict(id="C01", kind="constraint", text="a", verdict="met", reason="so")
    broken = LedgerVerdict(
        id="B01", kind="ban", text="b", verdict="violated", reason="it does", quote="we do b"
    )
    lines = tables.ledger([met, broken])
    assert [line["id"] for line in lines] == ["B01", "C01"]
    assert lines[0]["why"] == "it does “we do b”"


def test_what_only_a_commitment_meets_is_promised_on_the_page_too():
    found = LedgerVerdict(
        id="C01", kind="constraint", text="a", verdict="met", reason="so", quote="C01: a"
    )
    assert tables.ledger([found])[0]["verdict"] == "○ promised"


def ended(number: int, **changed) -> CallEnded:
    facts = {
        "call_id": f"T1-{number}",
        "task_id": "T1",
        "purpose": "work",
        "endpoint": "https://api.example.org",
        "model": "m",
        "request_digest": "0" * 64,
        "reply_digest": "0" * 64,
        "ok": True,
        "tries": 1,
        "prompt_tokens": 1_000,
        "completion_tokens": 200,
        "cost_usd": 0.75,
    }
    return CallEnded(**(facts | changed))


def test_what_was_spent_so_far_counts_each_try_and_adds_up_the_cost():
    told = tables.spending_text(rows(ended(1), ended(2, tries=3), ended(3, tries=0)))
    assert told == "4 calls, 2,400 tokens, cost 1.50 US dollars"
    assert tables.spending_text(rows(ended(1))) == "1 call, 1,200 tokens, cost 0.75 US dollars"


def test_a_cost_or_a_count_that_nobody_knows_is_never_nothing():
    unpriced = ended(2, cost_usd=None, completion_tokens=None)
    told = tables.spending_text(rows(ended(1), unpriced))
    assert told == "2 calls, at least 2,200 tokens, cost unknown"
