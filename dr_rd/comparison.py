"""Runs of several modes and seeds over one brief, side by side: figures, their spread, findings."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from core.budget import spent
from core.decisions import open_questions
from core.graph.files import PLAN, read_scorecard
from core.store import TRACE, RunFolder
from core.trace import read_events, status_of
from core.values import Frozen
from dr_rd.checks import LedgerVerdict
from dr_rd.findings import Finding, Measure, RunFindings
from dr_rd.models.served.prices import spent_usd
from dr_rd.outcome import Outcome, read_outcome
from dr_rd.workbench import ResearchRun


class ComparedRun(Frozen):
    """One run and what it came to."""

    run_id: str
    run_dir: str
    mode: str
    seed: int
    status: str
    asks: Mapping[str, str] = {}
    """What it waits for people to say, by question; its figures are then of a part of it."""
    score: float | None = None
    """The proposal's overall score; None where none was judged."""
    ledger: Mapping[str, int] = {}
    """How many limits have each verdict."""
    cost_usd: float | None = None
    """What its calls to models cost; None if a price is unknown."""
    seconds: float = 0.0
    """Of work, by the clock; pauses do not count."""
    outcome: Outcome = Outcome()
    found: RunFindings = RunFindings()


class Spread(Frozen):
    """A figure of a mode over its seeds."""

    mode: str
    name: str
    unit: str = ""
    low: float
    middle: float
    """The median."""
    high: float
    runs: int


class OnlyHere(Frozen):
    """A finding of one mode that no other one made."""

    mode: str
    text: str
    runs: int
    """In how many of the mode's runs."""
    of: int


class Comparison(Frozen):
    """The same brief through several modes."""

    runs: tuple[ComparedRun, ...]
    spreads: tuple[Spread, ...]
    only: tuple[OnlyHere, ...]
    """What each mode found that the others did not."""
    shared: tuple[str, ...]
    """What more than one of them found, and which."""

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes, in the order of their runs."""
        return tuple(dict.fromkeys(run.mode for run in self.runs))

    def table(self) -> list[tuple[str, dict[str, str]]]:
        """Return each figure's name, and how each mode has it: its median, and its range."""
        rows: dict[str, dict[str, str]] = {}
        if any(run.status != _FINISHED for run in self.runs):
            rows["runs"] = {mode: self._standing(mode) for mode in self.modes}
        for spread in self.spreads:
            name = ", ".join(filter(None, (spread.name, spread.unit)))
            row = rows.setdefault(name, dict.fromkeys(self.modes, "–"))
            low, middle, high = map(_figure, (spread.low, spread.middle, spread.high))
            row[spread.mode] = middle if low == high else f"{middle} ({low} to {high})"
        return list(rows.items())

    def _standing(self, mode: str) -> str:
        """Say how many runs of a mode finished, wait for people, or stopped otherwise."""
        counts = Counter(run.status for run in self.runs if run.mode == mode)
        return ", ".join(f"{count} {status}" for status, count in counts.items())

    def unfinished(self) -> list[str]:
        """Return a sentence for each run that has not finished: what it waits for, and where."""
        return [
            f"{run.mode}, seed {run.seed}, {_stands(run)}; its figures are of what it has so far."
            for run in self.runs
            if run.status != _FINISHED
        ]

    def found_only_by(self, mode: str) -> list[str]:
        """Return what that mode found alone, with in how many of its runs where there are several."""
        return [
            only.text if only.of == 1 else f"({only.runs} of {only.of}) {only.text}"
            for only in self.only
            if only.mode == mode
        ]


_FINISHED = "finished"


def _stands(run: ComparedRun) -> str:
    if not run.asks:
        return f"is {run.status.replace('_', ' ')} (dr-rd resume {run.run_dir})"
    first, text = next(iter(run.asks.items()))
    more = f" and {len(run.asks) - 1} more" if len(run.asks) > 1 else ""
    goes_on = f"dr-rd resume {run.run_dir} --answer {first}=VALUE"
    return f"waits for a person: “{text}”{more} ({goes_on})"


def compared_run(folder: RunFolder, parts: ResearchRun) -> ComparedRun:
    """Return what the run in *folder* came to, so far as it is."""
    rows = tuple(read_events(folder.trace_path)) if folder.has(TRACE) else ()
    status = status_of(folder.trace_path, driven=folder.is_driven())
    options, text = folder.options(), parts.mode.result_files[0]
    written = folder.read_text(text) if folder.has(text) else ""
    planned = written and folder.has(PLAN)
    verdicts: Sequence[LedgerVerdict] = parts.verdicts(written) if planned else ()
    card = read_scorecard(folder)
    return ComparedRun(
        run_id=folder.run_id,
        run_dir=str(folder.path),
        mode=options.mode,
        seed=options.seed,
        status=status,
        asks={o.question.id: o.question.text for o in open_questions(rows, folder)},
        score=card.overall if card else None,
        ledger=Counter(v.verdict for v in verdicts),
        cost_usd=spent_usd(rows),
        seconds=round(spent(rows).wall_s, 3),
        outcome=read_outcome(written),
        found=parts.findings(),
    )


def compare(runs: Iterable[ComparedRun]) -> Comparison:
    """Lay runs side by side."""
    runs = tuple(runs)
    return Comparison(
        runs=runs,
        spreads=tuple(_spreads(runs)),
        only=tuple(_only(runs)),
        shared=tuple(_shared(runs)),
    )


def _figure(value: float) -> str:
    """Write a figure with three digits, or whole where it is larger."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _spreads(runs: Sequence[ComparedRun]) -> Iterator[Spread]:
    figures: dict[tuple[str, str, str], list[float]] = {}
    for run in runs:
        for measure in _figures(run):
            place = (measure.name, measure.unit, run.mode)
            figures.setdefault(place, []).append(measure.value)
    order = list(dict.fromkeys((name, unit) for name, unit, _ in figures))
    for (name, unit, mode), values in sorted(
        figures.items(), key=lambda item: order.index(item[0][:2])
    ):
        yield Spread(
            mode=mode,
            name=name,
            unit=unit,
            low=min(values),
            middle=median(values),
            high=max(values),
            runs=len(values),
        )


def _figures(run: ComparedRun) -> Iterator[Measure]:
    """Yield what every run has, and then what its mode measured."""
    if run.score is not None:
        yield Measure(name="score", value=run.score)
    for verdict, count in sorted(run.ledger.items()):
        yield Measure(name=f"limits {verdict.replace('_', ' ')}", value=count)
    if run.cost_usd is not None:
        yield Measure(name="cost of models", value=run.cost_usd, unit="USD")
    yield Measure(name="time", value=run.seconds, unit="s")
    yield from run.found.measures


def _by_key(runs: Sequence[ComparedRun]) -> dict[str, dict[str, list[Finding]]]:
    """Return the findings by key and mode."""
    found: dict[str, dict[str, list[Finding]]] = {}
    for run in runs:
        for finding in run.found.findings:
            found.setdefault(finding.key, {}).setdefault(run.mode, []).append(finding)
    return found


def _only(runs: Sequence[ComparedRun]) -> Iterator[OnlyHere]:
    count = Counter(run.mode for run in runs)
    found = [made for made in _by_key(runs).values() if len(made) == 1]
    for mode in count:
        for made in found:
            if mode in made and len(count) > 1:
                yield OnlyHere(
                    mode=mode, text=made[mode][0].text, runs=len(made[mode]), of=count[mode]
                )


def _shared(runs: Sequence[ComparedRun]) -> Iterator[str]:
    for made in _by_key(runs).values():
        if len(made) > 1:
            first = next(iter(made.values()))[0].text
            yield f"{first} ({', '.join(made)})"
