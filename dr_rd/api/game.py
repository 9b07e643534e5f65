"""Games of Dou Dizhu: start one in the background, and poll what a viewer may see of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field, JsonValue
from starlette.requests import Request
from starlette.routing import BaseRoute

from core.clock import fresh_random, seeded
from core.errors import CallerError, unknown
from core.modes.referee import MODE
from core.modes.referee.state import Game
from core.modes.referee.views import read_state, states
from core.settings import RunOptions, Served, read_services
from core.store import RunFolder
from core.values import Frozen, Name
from dr_rd.api.problems import NotFound, Parameter, ServiceOf, json_route, off_loop, read_body
from dr_rd.api.seats import check_holds, new_tokens, seats_file
from dr_rd.brief import project_id
from dr_rd.models.privacy.egress import check_allowed
from dr_rd.models.served.endpoint import NOBODY, PURPOSES, Endpoint, read_endpoint
from dr_rd.models.served.run import find_served
from dr_rd.modes.scenario import load_scenario, scenario_brief
from dr_rd.modes.spec import read_inputs
from dr_rd.referee.doudizhu import RULES
from dr_rd.referee.doudizhu.combinations import Variants
from dr_rd.referee.doudizhu.position import PLAYERS, Action
from dr_rd.referee.doudizhu.views import ONLOOKER, action_log, refusals
from dr_rd.service import ResearchService

_SCENARIO = "doudizhu"
"""The shipped scenario that a game is made of."""

_DEAL = "start"
"""The mode's name for the chance that a game begins with."""

_SEEDS = 2**31

_FIELDS = (
    "game_status",
    "turn_player_id",
    "last_move",
    "players",
    "landlord_extra_cards",
    "winner",
)
"""What of a view is served, besides the game's id and its log."""


_VIEWER = Parameter("viewer", "query", "Whose view; that of an onlooker where it is left out.")


class GameStart(Frozen):
    """What a game is started with; all of it may be left out."""

    seed: int | None = Field(default=None, ge=0, lt=_SEEDS)
    """Drawn where there is none."""
    models: Mapping[str, str] = {}
    """The model that decides for a player, by player; the others are played by the built-in one."""
    names: tuple[Name, Name, Name] = PLAYERS
    variants: Variants = Variants()
    retries: int = Field(default=2, ge=0, le=10)
    """How often a player is asked again in one turn."""


def routes(service: ServiceOf) -> Sequence[BaseRoute]:
    """Return the routes of games."""

    async def start(request: Request) -> Mapping[str, JsonValue]:
        """Start a game in the background and return what everybody sees of its deal."""
        return await _start(service(), await read_body(request, GameStart))

    async def state(request: Request) -> Mapping[str, JsonValue]:
        """Return the latest position as everybody sees it, or as the holder of a seat does.

        *viewer* names the seat, whose token is sent as Seat-Token: TOKEN.
        """
        found: Mapping[str, JsonValue] = await off_loop(_snapshot, service(), request)
        return found

    return (
        json_route("/api/game/start", start, "POST", 201, body=GameStart),
        json_route("/api/game/{game_id}/state", state, parameters=[_VIEWER], problems=[403]),
    )


async def _start(service: ResearchService, asked: GameStart) -> Mapping[str, JsonValue]:
    """Start the run and return what everybody sees of its first position, and the seats' tokens."""
    endpoint = _endpoint(service.environ, asked.models)
    served = await find_served(endpoint, service.clock) if endpoint else None
    seed = fresh_random().randrange(_SEEDS) if asked.seed is None else asked.seed
    run_id = service.runs.new_id()
    if endpoint:
        service.workbench.keys.hold(run_id, endpoint.key)
    position = RULES.start(_setup(asked), seeded(seed)(_DEAL))
    tokens = new_tokens(PLAYERS)
    await off_loop(_launch, service, run_id, seed, served, asked, tokens)
    return {**_served(run_id, RULES.view(position, ONLOOKER), []), "tokens": {**tokens}}


def _launch(
    service: ResearchService,
    run_id: str,
    seed: int,
    served: Served | None,
    asked: GameStart,
    tokens: Mapping[str, str],
) -> None:
    scenario = {**load_scenario(_SCENARIO), "setup": _setup(asked), "retries": asked.retries}
    brief = scenario_brief(scenario)
    options = RunOptions(
        mode=MODE.id,
        seed=seed,
        project_id=project_id(brief),
        served=served,
        flags=service.defaults,
    )
    service.start(options, brief, run_id, scenario, more=seats_file(tokens))


def _setup(asked: GameStart) -> dict[str, JsonValue]:
    return {"names": list(asked.names), "variants": asked.variants.model_dump(mode="json")}


def _endpoint(environ: Mapping[str, str], models: Mapping[str, str]) -> Endpoint | None:
    """Return the server that decides for some players; None where no model does.

    Raises CallerError if there is none, if it may not be asked, or for a player who is not there.
    """
    stranger = next((player for player in models if player not in PLAYERS), None)
    if stranger is not None:
        raise unknown("player", stranger, PLAYERS)
    if not models:
        return None
    found = read_endpoint(environ, model=next(iter(models.values())))
    if found is None:
        raise CallerError("models: a model without a name; name one, or leave the player out")
    check_allowed(found.base_url, read_services(environ).endpoints_allowed)
    nobody = dict.fromkeys(PURPOSES, NOBODY)
    return found.model_copy(update={"models": nobody, "roles": dict(models)})


def _snapshot(service: ResearchService, request: Request) -> Mapping[str, JsonValue]:
    game_id = request.path_params["game_id"]
    viewer = request.query_params.get("viewer", ONLOOKER)
    folder = _game(service, game_id)
    if viewer not in (*PLAYERS, ONLOOKER):
        raise unknown("viewer", viewer, PLAYERS)
    if viewer != ONLOOKER:
        check_holds(folder, viewer, request)
    found = states(service.runs.snapshot(game_id).events)
    if not found:  # not dealt yet: it is known what will be
        setup: Any = (read_inputs(folder).scenario or {}).get("setup", {})
        position = RULES.start(setup, seeded(folder.options().seed)(_DEAL))
        return _served(game_id, RULES.view(position, viewer), [])
    state = read_state(folder, found[-1])
    return _served(game_id, state.views[viewer], _log(state, viewer))


def _game(service: ResearchService, game_id: str) -> RunFolder:
    """Return the run of that game; raises NotFound if there is none."""
    missing = NotFound(f"there is no game {game_id!r}; start one with POST /api/game/start")
    try:
        folder = service.store.find(game_id)
    except CallerError as wrong:
        raise missing from wrong
    played = folder.options().mode == MODE.id
    if not played or (read_inputs(folder).scenario or {}).get("rules") != RULES.id:
        raise missing
    return folder


def _log(state: Game, viewer: str) -> list[str]:
    """Return the public log, with how often a player was refused and not why."""
    seen: Any = state.views[viewer]
    actions = [Action.model_validate(action) for action in seen["actions"]]
    turns = state.turn_history
    forced = [place for place, turn in enumerate(turns) if turn.forced]
    lines = action_log(actions, [turn.refused for turn in turns], forced)
    waiting = [refusals(state.current_player_id, len(state.refused))] if state.refused else []
    return [*lines, *waiting]


def _served(
    game_id: str, view: Mapping[str, JsonValue], log: Sequence[str]
) -> Mapping[str, JsonValue]:
    return {"game_id": game_id, **{name: view[name] for name in _FIELDS}, "action_log": list(log)}
