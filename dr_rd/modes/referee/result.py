"""The result of a refereed run: result.md for people, result.json for programs, by one schema."""

from collections.abc import Mapping

from pydantic import JsonValue

from core.modes.referee.state import Played, Turn
from core.rules import RuleOutcome
from core.values import Frozen
from dr_rd.referee import AnyRules
from dr_rd.referee.offer import Reporting
from dr_rd.templates import fill

_TEXT = """\
# {{ title }}: {{ outcome.summary | stop }}

## Moves

{{ refused | counted("decision") }} {{ "was" if refused == 1 else "were" }} refused; the referee \
moved {{ forced | counted("time") }}.

|#|Who|What|
|---|---|---|
{% for line in log %}
|{{ line.round }}|{{ line.author | cell }}|{{ line.text | cell }}\
{{ " (forced)" if "forced" in line.marks else "" }}|
{% endfor %}
"""
"""What is written where a rule set has no report of its own."""


class RulesNamed(Frozen):
    """Which rules were played by."""

    id: str
    title: str


class Line(Frozen):
    """One line of the public log."""

    turn: int
    author: str
    text: str
    marks: tuple[str, ...] = ()


class RefereeResult(Frozen):
    """The schema of result.json."""

    schema_version: int = 1
    rules: RulesNamed
    outcome: RuleOutcome
    finding: str = ""
    """What it comes to, in a sentence; runs of earlier releases have none."""
    turns: tuple[Turn, ...]
    refused: int
    """Decisions that were sent back."""
    forced: int
    """Moves that the referee made for a player."""
    log: tuple[Line, ...]
    report: Mapping[str, JsonValue] = {}
    """What the rule set reports beyond the outcome, by its own schema."""


def written(rules: AnyRules, position: Frozen, played: Played) -> tuple[str, RefereeResult]:
    """Return the result of a game or an allocation that is over."""
    own = rules.report(position, played) if isinstance(rules, Reporting) else None
    result = RefereeResult(
        rules=RulesNamed(id=rules.id, title=rules.title),
        outcome=played.outcome,
        finding=(own and own.finding) or played.outcome.summary,
        turns=played.turns,
        refused=sum("refused" in message.marks for message in played.log),
        forced=sum(turn.forced for turn in played.turns),
        log=tuple(
            Line(turn=m.round, author=m.author, text=m.text, marks=m.marks) for m in played.log
        ),
        report=own.facts if own else {},
    )
    if own:
        return own.text, result
    values = {
        "title": rules.title,
        "outcome": played.outcome,
        "log": played.log,
        "refused": result.refused,
        "forced": result.forced,
    }
    return fill(_TEXT, values), result
