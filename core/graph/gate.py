"""Whether an attempt is accepted, tried again, or the best of all attempts must do.

The best is kept, never the last. The score of the best of several attempts leans upwards, the
more the noisier the evaluator is, so an answer tells of every attempt's score. A confirmation by
an evaluator that nobody was told of takes the lean away where evaluators are noisy; on
deterministic ones it would give the same number again, so there is none for them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.graph.state import Answer, Attempt
from core.scores import Score, Scorecard, Status

_ADVICE = 3
"""How many failing scores an author is told of: more than that is not acted upon."""

_PATIENCE = 2
"""Attempts in a row that are no improvement, after which the author is not asked again."""


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
    newest attempt says the same as an earlier one, the last few were no improvement, or there
    is nothing to tell the author, as when an evaluator has failed and not the text; then the
    best attempt stands, which need not be the newest.
    """
    kept, newest = best(attempts), attempts[-1]
    card = newest.answer.evaluation
    if _passed(kept) or newest.answer.status == "failed" or card is None:
        return Accept(_settled(kept, attempts))
    advice = (*_overstepped(newest, kept), *feedback(card)) if _mendable(newest, kept) else ()
    if not advice or len(attempts) > max_retries or _stuck(attempts, kept):
        return Accept(_settled(kept, attempts))
    return Retry(advice[:_ADVICE])


def feedback(card: Scorecard) -> tuple[str, ...]:
    """Return what the author is told: the worst scores' reasons and hints.

    Weights and thresholds stay out, so that the text is improved and not the number; so does
    what is only reported.
    """
    return tuple(_advice(score) for score in _failing(card)[:_ADVICE])


def best(attempts: Sequence[Attempt]) -> Attempt:
    """Return the best attempt: passed, then measured, fewest blockers, highest sure score.

    Of equal ones the earliest stands. One that breaks what the best before it had kept, or adds
    what nobody asked for, does not take its place, whatever it scores.
    """
    kept = attempts[0]
    for attempt in attempts[1:]:
        if _rank(attempt.answer) > _rank(kept.answer) and not _oversteps(attempt, kept):
            kept = attempt
    return kept


def without_tries(answer: Answer) -> Answer:
    """Return the answer without the story of its attempts."""
    return answer.model_copy(update={"kept": 0, "tried": ()})


def _settled(kept: Attempt, attempts: Sequence[Attempt]) -> Answer:
    several = len(attempts) > 1
    story = {
        "attempts": len(attempts),
        "kept": kept.number if several else 0,
        "tried": tuple(_overall(a.answer) for a in attempts) if several else (),
    }
    answer = kept.answer.model_copy(update=story)
    card = answer.evaluation
    if answer.status != "done" or card is None or card.verdict == "pass":
        return answer
    return answer.model_copy(update={"status": "below_gate", "reason": _why(card, attempts)})


def _why(card: Scorecard, attempts: Sequence[Attempt]) -> str:
    if card.blockers:
        return "; ".join(card.blockers)
    if card.verdict == "inconclusive":
        unmeasured = [f"{s.key}: {s.rationale}" for s in card.scores if s.failed]
        return "; ".join(("it could not be judged in full", *unmeasured))
    weakest = ", ".join(f"{s.key} {s.score:.2f}" for s in _failing(card)[:_ADVICE])
    tried = f"the best of {len(attempts)} attempts" if len(attempts) > 1 else "its one attempt"
    return f"{tried} scores {card.overall:.2f}, below {card.threshold:.2f}; weakest: {weakest}"


def _failing(card: Scorecard) -> list[Score]:
    """The scores that keep a text from passing, the worst first."""
    blocked = {b.split(":")[0].split(" ")[0] for b in card.blockers}
    failing = [
        s
        for s in card.scores
        if s.status is Status.SCORED
        and s.score is not None
        and s.key not in card.report_only
        and (s.score < card.threshold or s.key in blocked)
    ]
    return sorted(failing, key=lambda s: (s.key not in blocked, s.score))


def _passed(attempt: Attempt) -> bool:
    card = attempt.answer.evaluation
    return card is not None and card.verdict == "pass"


def _mendable(newest: Attempt, kept: Attempt) -> bool:
    """Whether the author can do something about it: the text failed, or oversteps."""
    card = newest.answer.evaluation
    return card is not None and (card.verdict == "fail" or _oversteps(newest, kept) != [])


def _stuck(attempts: Sequence[Attempt], kept: Attempt) -> bool:
    """Whether the newest attempt says the same again, or the last few were no improvement."""
    *earlier, newest = attempts
    repeated = any(a.answer.content == newest.answer.content for a in earlier)
    return repeated or newest.number - kept.number >= _PATIENCE


def _overstepped(newest: Attempt, kept: Attempt) -> Iterable[str]:
    for score in _oversteps(newest, kept):
        yield f"{score.key}: the revision oversteps what was kept before. {score.rationale}"


def _oversteps(attempt: Attempt, kept: Attempt) -> list[Score]:
    """Return the scores that say what *attempt* breaks or adds and *kept* does not."""
    if kept.answer.evaluation is None:
        return []
    before = {breach for score in _scores(kept) for breach in score.breaks}
    return [score for score in _scores(attempt) if set(score.breaks) - before]


def _scores(attempt: Attempt) -> tuple[Score, ...]:
    card = attempt.answer.evaluation
    return card.scores if card else ()


def _overall(answer: Answer) -> float | None:
    return answer.evaluation.overall if answer.evaluation else None


def _rank(answer: Answer) -> tuple[bool, bool, bool, int, float]:
    card = answer.evaluation
    if answer.status == "failed" or card is None:
        return answer.status != "failed", False, False, 0, 0.0
    sure = card.verdict != "inconclusive"
    return True, card.verdict == "pass", sure, -len(card.blockers), card.low


def _advice(score: Score) -> str:
    return f"{score.key}: {score.rationale} {score.fix_hint}".strip()
