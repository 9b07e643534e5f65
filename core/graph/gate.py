"""Whether an attempt is accepted, tried again, or the best of all attempts must do."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.graph.state import Answer, Attempt
from core.scores import Score, Scorecard, Status

_ADVICE = 3
"""How many failing scores an author is told of: more than that is not acted upon."""


@dataclass(frozen=True, slots=True)
class Accept:
    """The task is settled with this answer."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Retry:
    """The task goes back to its author with this feedback."""

    feedback: tuple[str, ...]


def decide(attempts: Sequence[Attempt], max_retries: int) -> Accept | Retry:
    """Judge the attempts at a task, the newest last.

    A pass is accepted. Otherwise the author tries again, unless the retries are used up, the
    newest attempt says the same as an earlier one, or there is nothing to tell the author; then
    the best attempt stands, which need not be the newest.
    """
    newest = attempts[-1].answer
    card = newest.evaluation
    if newest.status == "failed" or card is None or card.verdict == "pass":
        return Accept(_settled(attempts))
    repeated = any(a.answer.content == newest.content for a in attempts[:-1])
    advice = feedback(card)
    if repeated or not advice or len(attempts) > max_retries:
        return Accept(_settled(attempts))
    return Retry(advice)


def feedback(card: Scorecard) -> tuple[str, ...]:
    """Return what the author is told: the worst scores' reasons and hints.

    Weights and thresholds stay out, so that the text is improved and not the number.
    """
    blocked = {b.split(":")[0].split(" ")[0] for b in card.blockers}
    failing = [
        s
        for s in card.scores
        if s.status is Status.SCORED
        and s.score is not None
        and (s.score < card.threshold or s.key in blocked)
    ]
    worst = sorted(failing, key=lambda s: (s.key not in blocked, s.score))
    return tuple(_advice(score) for score in worst[:_ADVICE])


def best(attempts: Sequence[Attempt]) -> Attempt:
    """Return the best attempt: passed, then measured, fewest blockers, highest sure score.

    Of equal ones the earliest stands.
    """
    return max(attempts, key=lambda a: (*_rank(a.answer), -a.number))


def _settled(attempts: Sequence[Attempt]) -> Answer:
    answer = best(attempts).answer.model_copy(update={"attempts": len(attempts)})
    card = answer.evaluation
    if answer.status != "done" or card is None or card.verdict == "pass":
        return answer
    reason = "; ".join(card.blockers) or f"the best of {len(attempts)} attempts did not pass"
    return answer.model_copy(update={"status": "below_gate", "reason": reason})


def _rank(answer: Answer) -> tuple[bool, bool, int, float]:
    card = answer.evaluation
    if answer.status == "failed":
        return False, False, -(10**6), 0.0
    if card is None:
        return False, False, 0, 0.0
    sure = card.verdict != "inconclusive"
    return card.verdict == "pass", sure, -len(card.blockers), card.low


def _advice(score: Score) -> str:
    return f"{score.key}: {score.rationale} {score.fix_hint}".strip()
