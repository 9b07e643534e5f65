"""One evaluator, one text, one score: whatever an evaluator does costs its own score and no more.

An evaluator of this package runs in a thread of its own, for a thread costs next to nothing. A
thread cannot be ended: one that is late is left behind and the score says so. Code of others
runs in a child process (`dr_rd.evaluation.plugins`); docs/adr/0010 has the measurements.
"""

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread

from pydantic import ValidationError

from core.scores import Criterion, Evaluator, Score, Status
from dr_rd.evaluation.subject import Subject

DEADLINE_S = 30.0
"""Seconds that an evaluator may take where its criterion does not say."""

_LOOKS = 2
"""How often an evaluator is asked while it fails: the text is not to blame."""

_CLIPPED = 200
"""Characters of what an evaluator said that a reason repeats."""

Metric = Callable[[Subject], object]
"""Measures a text; should return a Score, or a number from 0 to 1."""


def measure(criterion: Criterion, metric: Metric, subject: Subject, by: Evaluator) -> Score:
    """Return what *metric* finds, or how it failed; it never raises and never takes for ever."""
    return asked_again(lambda: _once(criterion, metric, subject, by))


def asked_again(ask: Callable[[], Score]) -> Score:
    """Return what *ask* gives; if that is a failure, what it gives the next time."""
    scores = (ask() for _ in range(_LOOKS))
    last = next(scores)
    for score in scores if last.failed else ():
        last = score
    return last


def failed(
    key: str, why: str, by: Evaluator | None = None, status: Status = Status.ERROR
) -> Score:
    """Return the score of an evaluator that failed."""
    return Score(key=key, status=status, rationale=why, by=by)


def late(key: str, seconds: float, by: Evaluator | None = None) -> Score:
    """Return the score of an evaluator that did not answer in time."""
    return failed(key, f"it took more than {seconds:g} s", by, Status.TIMEOUT)


def filed(criterion: Criterion, found: object, subject: Subject, by: Evaluator) -> Score:
    """Return what an evaluator found as the criterion's score, if it is one.

    That is a number from 0 to 1, or a Score that answers this criterion and quotes nothing that
    the text does not say.
    """
    key = criterion.key
    try:
        score = found if isinstance(found, Score) else _bare(key, found)
    except ValidationError:
        return failed(key, f"it answered {_short(found)}, which is no number from 0 to 1", by)
    if score.key != key:
        return failed(key, f"it answered for {_short(score.key)} instead", by)
    if invented := next((q for q in score.quotes if not _contains_quote(q, subject)), ""):
        return failed(key, f"it quotes {_short(invented)}, which the text does not say", by)
    return score.model_copy(update={"by": by})


def _once(criterion: Criterion, metric: Metric, subject: Subject, by: Evaluator) -> Score:
    future: Future[object] = Future()
    Thread(target=_settle, args=(future, metric, subject), daemon=True).start()
    seconds = criterion.timeout_s or DEADLINE_S
    if not wait([future], seconds).done:
        return late(criterion.key, seconds, by)
    if error := future.exception():
        return failed(criterion.key, f"it failed ({_short_error(error)})", by)
    return filed(criterion, future.result(), subject, by)


def _settle(future: Future[object], metric: Metric, subject: Subject) -> None:
    try:
        future.set_result(metric(subject))
    except BaseException as error:  # noqa: BLE001 - whatever it raises is its own failure
        future.set_exception(error)


def _bare(key: str, found: object) -> Score:
    return Score.model_validate({"key": key, "score": found, "rationale": "It gave no reason."})


def _contains_quote(quote: str, subject: Subject) -> bool:
    """Whether the text says *quote*, however its lines are broken."""
    wanted = _plain(quote)
    return any(wanted in _plain(text) for text in (subject.text, subject.visible))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _short(found: object) -> str:
    text = repr(found)
    return text if len(text) <= _CLIPPED else f"{text[:_CLIPPED]}…"


def _short_error(error: BaseException) -> str:
    text = f"{type(error).__name__}: {error}".removesuffix(": ")
    return text if len(text) <= _CLIPPED else f"{text[:_CLIPPED]}…"
