"""`dr-rd calibrate`: how far a judge agrees with people, and whether its opinions may count."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import anyio
import click

from core.errors import CallerError
from core.files import write_whole
from core.values import canonical
from dr_rd.commands.codes import FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.judges import Panel, panel_of
from dr_rd.commands.output import print_json
from dr_rd.evaluation.calibration import (
    Calibration,
    CriterionCalibration,
    Label,
    calibrate,
    read_labels,
)
from dr_rd.evaluation.judge import Judge, JudgedCriterion, load_criteria
from dr_rd.evaluation.reader_calibration import (
    LabelledBrief,
    ReaderCalibration,
    measure_reader,
    read_labelled,
    read_limits,
    shipped_limits,
)
from dr_rd.evaluation.second_reader import SecondReader


def execute(
    context: CliContext,
    *,
    labels: Path | None,
    task: str,
    endpoint: str | None,
    judges: tuple[str, ...],
    local_only: bool,
    mask: Path | None,
    repeats: int,
    out: Path | None,
    as_json: bool,
) -> int:
    """Ask the judge about each labelled text, compare, and write the calibration."""
    named = partial(panel_of, context, endpoint, judges, local_only=local_only, mask=mask)
    if task == "ledger":
        briefs = read_limits(labels) if labels else shipped_limits()
        read = _calibrated_reader(context, named(), briefs, repeats)
        target = out or (labels or Path("ledger")).with_suffix(".calibration.json")
        return _written(read, _reader_lines(read), target, as_json=as_json)
    if labels is None:
        raise CallerError("there are no labels; name a file of them, or give --task ledger")
    criteria = load_criteria()
    held = read_labels(labels, criteria)
    recorded = endpoint is None and any(label.judged for label in held)
    panel = None if recorded else named()
    if panel:
        held = anyio.run(_judged_labels, context, panel, criteria, held, repeats)
    elif not recorded:
        raise CallerError(
            "the labels hold no opinion of a judge; give --endpoint URL and --judge NAME to ask "
            'one, or put its levels under "judged"'
        )
    measured = calibrate(held, criteria, panel.models if panel else judges or ("recorded",))
    target = out or labels.with_suffix(".calibration.json")
    return _written(measured, _lines(measured), target, as_json=as_json)


def _written(
    measured: Calibration | ReaderCalibration, lines: Iterable[str], target: Path, *, as_json: bool
) -> int:
    """Write a calibration and print it."""
    found = measured.model_dump(mode="json")
    write_whole(target, (canonical(found) + "\n").encode())
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join((*lines, f"The calibration is in {target}")))
    return FINISHED


def _calibrated_reader(
    context: CliContext, panel: Panel | None, briefs: Sequence[LabelledBrief], repeats: int
) -> ReaderCalibration:
    if panel is None:
        raise CallerError(
            "no model is named to read limits; give --endpoint URL and --judge NAME, or set "
            "DRRD_ENDPOINT and DRRD_MODEL"
        )
    limits = sum(len(t.labels) for b in briefs for t in b.texts)

    async def read() -> ReaderCalibration:
        async with panel.opened(context.clock) as models:
            reader, found = SecondReader(models, seed="calibrate"), []
            async for limit in read_labelled(briefs, reader, repeats):
                found.append(limit)
                click.echo(f"\r{len(found)} of {limits} limits read", err=True, nl=False)
        click.echo(err=True)
        return measure_reader(found, panel.models)

    return anyio.run(read)


def _reader_lines(measured: ReaderCalibration) -> Iterator[str]:
    yield f"{measured.sentence}."
    for reason in measured.because:
        yield f"  it is not asked: {reason}"


async def _judged_labels(
    context: CliContext,
    panel: Panel,
    criteria: Sequence[JudgedCriterion],
    held: tuple[Label, ...],
    repeats: int,
) -> tuple[Label, ...]:
    """Return the labels with what the judge says, asked *repeats* times a text."""
    known = {c.key: c for c in criteria}
    asked = []
    async with panel.opened(context.clock) as models:
        for number, label in enumerate(held):
            judge = Judge(models, seed=f"calibrate/{number}")
            said = [
                (await judge.judge(label.text, known[label.criterion], take=take)).level
                for take in range(repeats)
            ]
            asked.append(label.model_copy(update={"judged": tuple(said)}))
            click.echo(f"\r{number + 1} of {len(held)} texts judged", err=True, nl=False)
    click.echo(err=True)
    return tuple(asked)


def _lines(measured: Calibration) -> Iterator[str]:
    for criterion in measured.criteria:
        yield _line(criterion)
        for reason in criterion.because:
            yield f"  it does not count: {reason}"


def _line(c: CriterionCalibration) -> str:
    figures = {
        "kappa": _figure(c.kappa, c.kappa_interval),
        "alpha": _figure(c.alpha, c.alpha_interval),
        "people": _figure(c.people, None),
        "false pass": _figure(c.false_pass, c.false_pass_interval),
        "flips": _figure(c.flips, c.flips_interval),
    }
    told = ", ".join(f"{name} {figure}" for name, figure in figures.items())
    counts = "counts" if c.counts else "report only"
    return f"{c.key}: {counts}; {c.texts} texts, {c.met:.0%} met, {told}"


def _figure(value: float | None, interval: tuple[float, float] | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" + (f" [{interval[0]:.2f}, {interval[1]:.2f}]" if interval else "")
