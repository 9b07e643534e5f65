"""`dr-rd endpoint test`: what an endpoint can do."""

import anyio
import click

from core.errors import CallerError
from dr_rd.commands.codes import FINISHED
from dr_rd.commands.output import print_json
from dr_rd.commands.world import World
from dr_rd.models.chat import chat_send
from dr_rd.models.endpoint import Abilities, Endpoint, probe, read_endpoint


def execute(world: World, *, endpoint: str | None, model: str | None, as_json: bool) -> int:
    """Try each ability with one request and print which work."""
    found = read_endpoint(world.environ, endpoint, model)
    if found is None:
        raise CallerError(
            "no endpoint is set; give --endpoint URL and --model NAME, or set DRRD_ENDPOINT and "
            "DRRD_MODEL"
        )
    abilities = anyio.run(_probed, world, found)
    if as_json:
        print_json({**abilities.model_dump(mode="json"), "form": abilities.form})
    else:
        _tell(abilities)
    return FINISHED


async def _probed(world: World, endpoint: Endpoint) -> Abilities:
    key = endpoint.key.get_secret_value()
    async with chat_send(endpoint.base_url, key, clock=world.clock) as send:
        return await probe(send, endpoint)


_FORMS = {
    "schema": "by a JSON schema",
    "json": "by its JSON mode, and by the schema in words",
    "text": "by words alone",
}


def _tell(abilities: Abilities) -> None:
    click.echo(f"{abilities.model} at {abilities.host}")
    for ability in abilities.tried:
        said = f": {ability.said}" if ability.said else ""
        click.echo(f"  {'yes' if ability.works else 'no '}  {ability.name}{said}")
    click.echo(f"  {abilities.window.told}")
    click.echo(f"It is held to JSON {_FORMS[abilities.form]}.")
