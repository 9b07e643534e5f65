"""Live rooms: create, list, info, join, leave, state, message, vote, typing, and a WebSocket.

A room lives as long as the process. Who joins is given a neutral label and a token; the token, in
`Seat-Token` or in a request's body, is what a viewer's own label and ballot are shown for. Where a
server has users, its code is the invitation: a list has the rooms that its reader opened or joined. Nobody is told a role, a map of labels or a ballot before the game is over.
"""

import asyncio
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any

import anyio
from pydantic import Field, JsonValue
from starlette.requests import HTTPConnection, Request
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from typing_extensions import TypedDict  # Python 3.12 has one that pydantic reads

from core.clock import Clock, fresh_random, seeded
from core.errors import CallerError
from core.modes.downselect.play import dealt
from core.modes.downselect.room import Room, seats_of
from core.modes.downselect.state import Refused
from core.modes.downselect.views import GameView
from core.settings import SEEDS, RunOptions
from core.values import Frozen
from dr_rd.api.access import current_user
from dr_rd.api.bodies import brief_of
from dr_rd.api.problems import (
    NotFound,
    ServiceOf,
    TooSoon,
    json_route,
    off_loop,
    read_body,
)
from dr_rd.api.seats import seat_token
from dr_rd.checks import build_ledger
from dr_rd.evidence.corpus import Corpus
from dr_rd.modes.downselect.scenario import Scenario
from dr_rd.modes.downselect.table import ResearchTable
from dr_rd.modes.scenario import load_scenario, read_scenario, scenario_brief, shipped_scenarios
from dr_rd.modes.spec import Material, ModeInputs
from dr_rd.workbench import Workbench

MOST_ROOMS = 500
"""Rooms of a process; those that are over make place for new ones."""
LOBBY_S = 1_800.0
"""How long a room waits for people before it is closed."""
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_GONE = 4404
"""How a WebSocket is closed whose room is not there."""


class CreateRoom(Frozen):
    """What a room is made of."""

    scenario: str | dict[str, JsonValue] | None = None
    """The name of a shipped scenario, or one in full."""
    brief: str | dict[str, JsonValue] | None = None
    """A brief whose directions are the options, where the scenario has none."""
    people: int | None = Field(default=None, ge=0, le=20)
    """Seats for people; None takes the scenario's."""
    seed: int | None = Field(default=None, ge=0, lt=SEEDS)
    """None draws one, so that nobody can work out the labels."""


class Join(Frozen):
    """Who wants a seat."""

    name: str = Field(default="", max_length=60)


class Leave(Frozen):
    """Who gives up its seat."""

    token: str


class Message(Frozen):
    """What somebody says."""

    token: str
    text: str = Field(min_length=1, max_length=2_000)


class Vote(Frozen):
    """Which label somebody drops."""

    token: str
    vote: str


class Typing(Frozen):
    """Whether somebody types."""

    token: str
    active: bool = True


class RoomInfo(TypedDict):
    """What everybody may know of a room without looking at the talk."""

    room_code: str
    title: str
    phase: str
    round: int
    players: int
    open_seats: int
    vote_for: str


class Seat(RoomInfo):
    """A seat in a room, for whoever joins."""

    player: str
    """The neutral label."""
    token: str


class RoomList(TypedDict):
    """The rooms there are."""

    rooms: list[RoomInfo]


@dataclass
class Seats:
    """A room and who sits in it."""

    room: Room
    title: str
    free: list[str]
    """Ids of the seats for people that nobody has taken."""
    tokens: dict[str, str] = field(default_factory=dict)
    """Player ids by token."""
    opened: float = 0.0
    """When, on the rooms' clock."""
    task: "asyncio.Task[None] | None" = None
    users: set[str] = field(default_factory=set)
    """Who opened or joined it, where there are users."""

    def player(self, token: str) -> str:
        """Return the player of a token; raises CallerError for an unknown one."""
        for known, player in self.tokens.items():
            if hmac.compare_digest(known.encode(), token.encode()):
                return player
        raise CallerError("the token is not one of this room; join it first")

    @property
    def info(self) -> RoomInfo:
        """What everybody may know without looking at the talk."""
        game = self.room.game
        return {
            "room_code": game.room_code,
            "title": self.title,
            "phase": game.phase,
            "round": game.round,
            "players": len(game.players),
            "open_seats": len(self.free),
            "vote_for": game.rules.vote_for,
        }


class Rooms:
    """The rooms of a process; all of it runs on the server's event loop.

    Args:
        clock: The time of all rooms.

    """

    def __init__(self, clock: Clock) -> None:
        self._clock, self._chance = clock, fresh_random()
        self._seats: dict[str, Seats] = {}

    def open(self, table: ResearchTable, seed: int) -> Seats:
        """Open a room; one without seats for people begins at once."""
        self._make_place()
        code = self._code()
        opening = table.opening
        game = dealt(
            room_code=code,
            rules=opening.rules,
            players=opening.players,
            options=opening.options,
            topics=opening.topics,
            seed=seed,
            chance=seeded(seed),
        )
        if opening.rules.vote_for == "options" and len(game.left) <= opening.rules.keep:
            raise CallerError(
                "there is nothing to vote on: too few options keep every hard limit; "
                "name more directions, or run the brief to see what each breaks"
            )
        room = Room(game, table.voice_of, self._clock, seeded(seed))
        free = [p.id for p in seats_of(game)]
        seats = Seats(room, table.scenario.title, free, opened=self._clock.monotonic())
        seats.users.add(current_user())
        self._seats[code] = seats
        self._begin_if_full(seats)
        return seats

    def list(self) -> Sequence[RoomInfo]:
        """Return every room that is the user's, newest last."""
        self._expire()
        return [s.info for s in self._seats.values() if current_user() in s.users]

    def find(self, code: str) -> Seats:
        """Return the room of that code; raises NotFound."""
        self._expire()
        if code not in self._seats:
            raise NotFound(f"there is no room {code!r}; GET /api/rooms lists those there are")
        return self._seats[code]

    def join(self, code: str) -> Seat:
        """Give somebody a seat; the last one begins the game."""
        seats = self.find(code)
        if not seats.free:
            raise TooSoon(f"room {code} has no free seat; create another")
        player, token = seats.free.pop(0), token_urlsafe(24)
        seats.tokens[token] = player
        seats.users.add(current_user())
        label = seats.room.game.label(player)
        self._begin_if_full(seats)
        return {"player": label, "token": token, **seats.info}

    async def leave(self, code: str, token: str) -> None:
        """Free a seat before the game, or take its player out of it."""
        seats = self.find(code)
        player = seats.player(token)
        del seats.tokens[token]
        if seats.room.game.phase == "lobby":
            seats.free.append(player)
        else:
            await seats.room.leave(player)

    def close(self) -> None:
        """End every room."""
        for seats in self._seats.values():
            seats.room.close()
            if seats.task:
                seats.task.cancel()

    def _begin_if_full(self, seats: Seats) -> None:
        if not seats.free and seats.task is None:
            seats.task = asyncio.get_running_loop().create_task(seats.room.run())

    def _code(self) -> str:
        while (code := "".join(self._chance.choices(_LETTERS, k=6))) in self._seats:
            continue
        return code

    def _expire(self) -> None:
        """Close the rooms that have waited too long for somebody to come."""
        before = self._clock.monotonic() - LOBBY_S
        late = [c for c, s in self._seats.items() if s.task is None and s.opened < before]
        for code in late:
            self._seats.pop(code).room.close()

    def _make_place(self) -> None:
        self._expire()
        over = [c for c, s in self._seats.items() if s.room.game.phase == "game_over"]
        if len(self._seats) >= MOST_ROOMS:
            if not over:
                raise TooSoon(f"{MOST_ROOMS} rooms are open already; wait for one to end")
            del self._seats[over[0]]


def table_for(workbench: Workbench, asked: CreateRoom, seed: int) -> ResearchTable:
    """Return the table that a room is made of; seconds of computing.

    Raises CallerError where it names neither options nor characters.
    """
    if asked.scenario is None and asked.brief is None:
        names = ", ".join(shipped_scenarios())
        raise CallerError(f"name a scenario ({names}) or give a brief with directions")
    given = _scenario(asked)
    scenario = read_scenario(Scenario, given) if given else Scenario(title="Directions of a brief")
    if asked.people is not None:
        people = [{"name": f"person {n}"} for n in range(1, asked.people + 1)]
        scenario = Scenario.model_validate({**scenario.model_dump(), "people": people})
    brief = brief_of(asked.brief) if asked.brief is not None else scenario_brief(given)
    material = Material(
        options=RunOptions(seed=seed),
        brief=brief,
        ledger=build_ledger(brief),
        library=workbench.planner.library,
        inputs=ModeInputs(),
        make_design=lambda: workbench.design(brief, ()),
        read_corpus=Corpus,
    )
    table = ResearchTable(material, scenario, seeded(seed))
    _ = table.opening  # made here, off the event loop, and kept
    return table


def _scenario(asked: CreateRoom) -> Mapping[str, JsonValue]:
    if isinstance(asked.scenario, str):
        if asked.scenario not in shipped_scenarios():
            names = ", ".join(shipped_scenarios())
            raise CallerError(f"there is no scenario {asked.scenario!r}; shipped are: {names}")
        return load_scenario(asked.scenario)
    return asked.scenario or {}


def routes(service: ServiceOf, rooms: Rooms | None = None) -> Sequence[BaseRoute]:
    """Return the routes of live rooms; a test may give the *rooms*."""
    api, one = _RoomApi(service, rooms), "/api/rooms/{code}"
    return [
        json_route("/api/rooms", api.listed, gives=RoomList),
        json_route(
            "/api/rooms", api.created, "POST", 201, body=CreateRoom, gives=RoomInfo, problems=[409]
        ),
        json_route(one, api.info, gives=RoomInfo),
        json_route(f"{one}/join", api.joined, "POST", body=Join, gives=Seat, problems=[409]),
        json_route(f"{one}/leave", api.left, "POST", body=Leave),
        json_route(f"{one}/state", api.state, gives=GameView),
        json_route(f"{one}/message", api.message, "POST", body=Message, problems=[409]),
        json_route(f"{one}/vote", api.vote, "POST", body=Vote, problems=[409]),
        json_route(f"{one}/typing", api.typing, "POST", body=Typing, problems=[409]),
        WebSocketRoute(f"{one}/events", api.events),
    ]


class _RoomApi:
    def __init__(self, service: ServiceOf, rooms: Rooms | None) -> None:
        self._service, self._rooms = service, rooms

    @property
    def _every(self) -> Rooms:
        if self._rooms is None:
            self._rooms = Rooms(self._service().clock)
        return self._rooms

    async def listed(self, _: Request) -> RoomList:
        """List the rooms."""
        return {"rooms": list(self._every.list())}

    async def created(self, request: Request) -> RoomInfo:
        """Create a room; one without seats for people begins at once."""
        asked = await read_body(request, CreateRoom)
        seed = fresh_random().getrandbits(62) if asked.seed is None else asked.seed
        table = await off_loop(table_for, self._service().workbench, asked, seed)
        return self._every.open(table, seed).info

    async def info(self, request: Request) -> RoomInfo:
        """Say what a room is."""
        return self._seats(request).info

    async def joined(self, request: Request) -> Seat:
        """Take a seat: a neutral label, and the token that it is spoken with."""
        await read_body(request, Join)
        return self._every.join(request.path_params["code"])

    async def left(self, request: Request) -> Mapping[str, JsonValue]:
        """Give up a seat."""
        asked = await read_body(request, Leave)
        await self._every.leave(request.path_params["code"], asked.token)
        return {"left": True}

    async def state(self, request: Request) -> JsonValue:
        """Show what the bearer of the token sees, or anybody without one."""
        return _state(self._seats(request), request)

    async def message(self, request: Request) -> Mapping[str, JsonValue]:
        """Say something in the discussion."""
        asked = await read_body(request, Message)
        seats = self._seats(request)
        await _taken(seats.room.say(seats.player(asked.token), asked.text))
        return {"sent": True}

    async def vote(self, request: Request) -> Mapping[str, JsonValue]:
        """Cast a secret ballot in the voting."""
        asked = await read_body(request, Vote)
        seats = self._seats(request)
        await _taken(seats.room.vote(seats.player(asked.token), asked.vote))
        return {"counted": True}

    async def typing(self, request: Request) -> Mapping[str, JsonValue]:
        """Tell the others that somebody types, or has stopped."""
        asked = await read_body(request, Typing)
        seats = self._seats(request)
        await _taken(seats.room.typing(seats.player(asked.token), active=asked.active))
        return {"typing": asked.active}

    async def events(self, socket: WebSocket) -> None:
        """Send what everybody is told."""
        await _events(self._every, socket)

    def _seats(self, request: Request) -> Seats:
        return self._every.find(request.path_params["code"])


async def _taken(move: Any) -> None:  # noqa: ANN401 - a room's coroutine
    """Make a move; one that its phase does not take does not fit the state."""
    try:
        await move
    except Refused as refusal:
        raise TooSoon(str(refusal)) from refusal


def _state(seats: Seats, connection: HTTPConnection) -> JsonValue:
    """Return what the bearer of the token sees, or anybody without one."""
    token = seat_token(connection)
    player = seats.player(token) if token else ""
    found: JsonValue = seats.room.view(player).model_dump(mode="json")
    return found


async def _events(rooms: Rooms, socket: WebSocket) -> None:
    """Send the state, then whatever everybody is told, until the game or the connection ends."""
    await socket.accept()
    try:
        seats = rooms.find(socket.path_params["code"])
        stream = seats.room.listen()
        shown = _state(seats, socket)
    except CallerError as mistake:
        await socket.close(_GONE, str(mistake))
        return
    await socket.send_json({"event": "state", "data": shown})
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_gone, socket, tasks.cancel_scope)
        async with stream:
            async for told in stream:
                await socket.send_json(told.model_dump(mode="json"))
        tasks.cancel_scope.cancel()
        await socket.close()


async def _until_gone(socket: WebSocket, scope: anyio.CancelScope) -> None:
    """Read what a client sends, which counts for nothing here, until it goes."""
    try:
        while True:
            await socket.receive_text()
    except (WebSocketDisconnect, KeyError):
        scope.cancel()
