"""Which design a brief asks for, asked on a terminal where its text does not tell."""

import sys

import click

from dr_rd.brief import Brief, check_objective
from dr_rd.commands.output import escape_controls
from dr_rd.families import GENERIC
from dr_rd.planning.builtin import Planner
from dr_rd.planning.choice import Choice, check_research


def brief_and_choice(brief: Brief, planner: Planner) -> tuple[Brief, Choice]:
    """Return *brief*, with the family that a person at the terminal named for it, and its choice.

    Raises CallerError if the brief asks for nothing that can be planned.
    """
    check_objective(brief)
    check_research(brief, planner.ranker)
    choice = planner.choose(brief)
    if not choice.asks or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return brief, choice
    named = brief.model_copy(update={"family": _chosen_family(choice)})
    return named, planner.choose(named)


def _chosen_family(choice: Choice) -> str:
    """Ask for one of the families that stand closest, or the generic study."""
    click.echo("Which design does the brief ask for?", err=True)
    for number, match in enumerate(choice.considered, 1):
        click.echo(escape_controls(f"  {number}  {match.design}: {match.why}"), err=True)
    click.echo(
        "  0  none of these: plan the generic study, whose first step is to choose", err=True
    )
    found = click.prompt("Number", type=click.IntRange(0, len(choice.considered)), err=True)
    return choice.considered[found - 1].family if found else GENERIC
