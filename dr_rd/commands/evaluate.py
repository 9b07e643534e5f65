"""`dr-rd evaluate`: the scorecard of any text."""

from pathlib import Path

import anyio
import click

from core.scores import Rubric, Scorecard
from core.settings import read_flags
from dr_rd.checks import build_ledger
from dr_rd.commands.codes import FAILED, FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.inputs import folders, text_of
from dr_rd.commands.judges import Panel, panel_of
from dr_rd.commands.output import escape_controls, print_json
from dr_rd.evaluation.calibration import Calibration, read_calibration
from dr_rd.evaluation.judge import Judge, load_criteria
from dr_rd.evaluation.opinions import with_opinions
from dr_rd.evaluation.scorecard import check_weights, load_rubric, load_template, score
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.ingest import read_documents
from dr_rd.reading import read_brief
from dr_rd.report.proposal import FOOTER


def execute(
    context: CliContext,
    *,
    text: str,
    brief: str | None,
    rubric: str,
    docs: tuple[Path, ...],
    settings: tuple[str, ...],
    endpoint: str | None,
    judges: tuple[str, ...],
    local_only: bool,
    mask: Path | None,
    author: str,
    calibration: Path | None,
    as_json: bool,
) -> int:
    """Print the scorecard of a text under a rubric, with a judge's opinions if there is one."""
    panel = panel_of(context, endpoint, judges, local_only=local_only, mask=mask)
    known = read_calibration(calibration) if calibration else None
    flags = read_flags(context.environ, settings)
    used, template = load_rubric(rubric), load_template(rubric)
    check_weights(flags.EVALUATOR_WEIGHTS, (used,))
    asked = read_brief(brief) if brief else None
    subject = Subject(
        text=text_of(text).partition(FOOTER)[0],
        brief=asked,
        ledger=build_ledger(asked) if asked else None,
        corpus=read_documents(folders(docs)) if docs else None,
        template=template,
    )
    card = score(
        subject, used, threshold=flags.EVALUATOR_MIN_OVERALL, weights=flags.EVALUATOR_WEIGHTS
    )
    if panel:
        card = anyio.run(
            _scorecard_with_opinions, context, panel, author, known, card, used, subject.text
        )
    if as_json:
        print_json(card.model_dump(mode="json"))
    else:
        _show(card)
    return FINISHED if card.verdict == "pass" else FAILED


async def _scorecard_with_opinions(
    context: CliContext,
    panel: Panel,
    author: str,
    known: Calibration | None,
    card: Scorecard,
    rubric: Rubric,
    text: str,
) -> Scorecard:
    async with panel.opened(context.clock) as models:
        judge = Judge(models, seed=rubric.digest, author=author)
        for warning in judge.warnings:
            click.echo(f"warning: {warning}", err=True)
        return await with_opinions(card, rubric, text, judge, load_criteria(), known)


def _show(card: Scorecard) -> None:
    for s in card.scores:
        value = f"{s.score:.2f}" if s.score is not None else s.status.value
        click.echo(escape_controls(f"{s.key}  {value}  {s.rationale}"))
    overall = "–" if card.overall is None else f"{card.overall:.2f}"
    click.echo(f"overall {overall} [{card.low:.2f}, {card.high:.2f}]: {card.verdict}")
    for blocker in card.blockers:
        click.echo(escape_controls(f"blocker: {blocker}"))
