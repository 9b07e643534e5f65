"""`dr-rd check`: any text against a brief's limits."""

import click

from dr_rd.checks import build_ledger, check, remarks, to_json
from dr_rd.commands.codes import FAILED, FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.inputs import text_of
from dr_rd.commands.output import escape_controls, print_json
from dr_rd.reading import read_brief


def execute(context: CliContext, *, brief: str, text: str, as_json: bool) -> int:  # noqa: ARG001
    """Print the verdict on each limit of the brief."""
    ledger = build_ledger(read_brief(brief))
    if not ledger.items:
        click.echo("the brief lists no limits; nothing can be held against the text", err=True)
    for remark in remarks(ledger):
        click.echo(escape_controls(f"warning: {remark}"), err=True)
    found = to_json(check(ledger, text_of(text)))
    if as_json:
        print_json(found)
    else:
        for item in found["items"]:
            quote = f" “{item['quote']}”" if item["quote"] else ""
            click.echo(
                escape_controls(f"{item['id']}  {item['verdict']}: {item['reason']}{quote}")
            )
        click.echo(f"{found['violated']} violated")
    return FAILED if found["violated"] else FINISHED
