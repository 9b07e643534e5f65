"""`dr-rd endpoint test`: what an endpoint can do."""

import anyio
import click

from core.clock import Clock
from core.errors import CallerError
from dr_rd.commands.codes import FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.inputs import allowed_endpoint
from dr_rd.commands.output import print_json
from dr_rd.models.chat.send import chat_send
from dr_rd.models.served.endpoint import Endpoint, Purpose
from dr_rd.models.served.probe import Abilities, Ability, probe


def execute(context: CliContext, *, endpoint: str | None, model: str | None, as_json: bool) -> int:
    """Try each ability with one request and print which work."""
    found = allowed_endpoint(context, endpoint, model)
    if found is None:
        raise CallerError(
            "no endpoint is set; give --endpoint URL and --model NAME, or set DRRD_ENDPOINT and "
            "DRRD_MODEL"
        )
    abilities = anyio.run(probe_purpose, found, "work", context.clock)
    if as_json:
        print_json({**abilities.model_dump(mode="json"), "form": abilities.reply_format})
    else:
        click.echo("\n".join(report_lines(abilities)))
    return FINISHED


async def probe_purpose(endpoint: Endpoint, purpose: Purpose, clock: Clock) -> Abilities:
    """Try what the model that does *purpose* can do; raises CallerError if it answers nothing."""
    key = endpoint.key.get_secret_value()
    async with chat_send(endpoint.base_url, key, clock=clock) as send:
        return await probe(send, endpoint, purpose)


_FORMS = {
    "schema": "by a JSON schema",
    "json": "by its JSON mode, and by the schema in words",
    "text": "by words alone",
}


def report_lines(abilities: Abilities) -> tuple[str, ...]:
    """Say in lines what was found; those of single abilities are indented."""
    return (
        f"{abilities.model} at {abilities.host}",
        *(f"  {_ability_line(ability)}" for ability in abilities.tried),
        f"  {abilities.window.description}",
        f"It is held to JSON {_FORMS[abilities.reply_format]}.",
    )


def _ability_line(ability: Ability) -> str:
    said = f": {ability.said}" if ability.said else ""
    return f"{'yes' if ability.works else 'no '}  {ability.name}{said}"
