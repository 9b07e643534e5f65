"""`dr-rd check`: any text against a brief's limits, by code and, where it was shown to help, a model."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import click

from core.errors import CallerError
from dr_rd.checks import Ledger, build_ledger, check, remarks, to_json
from dr_rd.commands.codes import FAILED, FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.inputs import text_of
from dr_rd.commands.judges import Panel, panel_of
from dr_rd.commands.output import escape_controls, print_json
from dr_rd.evaluation.reader_calibration import ReaderCalibration, read_reader_calibration
from dr_rd.evaluation.second_reader import SecondReader
from dr_rd.reading import read_brief


def execute(
    context: CliContext,
    *,
    brief: str,
    text: str,
    endpoint: str | None,
    judges: tuple[str, ...],
    local_only: bool,
    mask: Path | None,
    calibration: Path | None,
    as_json: bool,
) -> int:
    """Print the verdict on each limit of the brief."""
    panel = panel_of(context, endpoint, judges, local_only=local_only, mask=mask)
    known = read_reader_calibration(calibration) if calibration else None
    ledger = build_ledger(read_brief(brief))
    if not ledger.items:
        click.echo("the brief lists no limits; nothing can be held against the text", err=True)
    for remark in remarks(ledger):
        click.echo(escape_controls(f"warning: {remark}"), err=True)
    found = _verdicts(context, panel, known, ledger, text_of(text))
    if as_json:
        print_json(found)
    else:
        for line in _lines(found):
            click.echo(escape_controls(line))
    return FAILED if found["violated"] else FINISHED


def _verdicts(
    context: CliContext,
    panel: Panel | None,
    known: ReaderCalibration | None,
    ledger: Ledger,
    text: str,
) -> dict[str, Any]:
    """The verdicts as they are printed: code's, and the second reader's if one is named and helps."""
    if panel is None:
        return to_json(check(ledger, text))
    refusal = known.refusal(panel.models) if known else "no calibration shows that it helps"
    if known is None or refusal:
        return _alone(panel, f"it is not asked, since {refusal}", ledger, text)
    try:
        items = anyio.run(_read, context, panel, ledger, text)
    except CallerError as failure:
        return _alone(panel, f"it gave nothing: {failure}", ledger, text)
    reader = {"asked": True, "note": known.sentence, "calibration": known.model_dump(mode="json")}
    violated = sum(i["verdict"] == "violated" for i in items)
    return {"items": items, "violated": violated, "reader": reader}


def _alone(panel: Panel, why: str, ledger: Ledger, text: str) -> dict[str, Any]:
    """Code's verdicts, with a sentence on why nobody reads along."""
    note = f"no second reader {', '.join(panel.models)}: {why}"
    return {**to_json(check(ledger, text)), "reader": {"asked": False, "note": note}}


async def _read(
    context: CliContext, panel: Panel, ledger: Ledger, text: str
) -> list[dict[str, Any]]:
    async with panel.opened(context.clock) as models:
        reader = SecondReader(models, seed="check")
        return [second.to_json() async for second in reader.verdicts(ledger, text)]


def _lines(found: dict[str, Any]) -> Iterator[str]:
    for item in found["items"]:
        quote = f" “{item['quote']}”" if item["quote"] else ""
        alone = item.get("code", item["verdict"])
        before = f" (by code alone {alone})" if alone != item["verdict"] else ""
        yield f"{item['id']}  {item['verdict']}{before}: {item['reason']}{quote}"
    yield f"{found['violated']} violated"
    if "reader" in found:
        yield found["reader"]["note"]
