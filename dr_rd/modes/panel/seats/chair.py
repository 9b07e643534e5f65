"""What is weakest in the plan, and so what the round is about."""

from collections.abc import Iterator

from dr_rd.modes.panel.figures import guessed_range
from dr_rd.modes.panel.floor import Finding, Floor, Rule, effect_of, whole
from dr_rd.modes.panel.seats.inference import measured_on_a_scale


def agenda(at: Floor) -> Iterator[Finding]:
    """Name what the plan has only promised, what it can show, and what is left of the money."""
    figures = at.desk.figures(at.plan)
    promised = [k for k, v in figures.verdicts.items() if v == "promised"]
    limit = at.desk.limit
    given = at.sizing.get("given") or at.sizing.get("clusters")
    parts = []
    if promised:
        parts.append(
            f"{', '.join(promised)} {'is' if len(promised) == 1 else 'are'} promised and not yet shown"
        )
    if figures.detectable is not None and given and not measured_on_a_scale(at)[0]:
        parts.append(f"{given:g} {at.unit} show {effect_of(figures.detectable, at.sizing)}")
    if limit and (guess := at.desk.guess(at.plan)):
        parts.append(
            f"{at.desk.priced(at.plan)}, and the library guesses {guessed_range(guess)} "
            f"{at.desk.currency}, to one digit, for the rest; the limit is {whole(limit)}"
        )
    elif limit:
        parts.append(
            f"{whole(limit - figures.money)} {at.desk.currency} of {whole(limit)} are unspent "
            f"at {at.desk.percentile}"
        )
    if parts:
        yield Finding("agenda", {"facts": "; ".join(parts)})


RULES: tuple[Rule, ...] = (agenda,)
