"""What a game of discussion, ballots and elimination knows; what is secret is sealed on disk.

Options or participants stand under neutral labels ("Option A", "Player 3"). Who is behind a label,
what was voted and who is to act next is sealed in every copy of the state that is written before
the game is over, with a key that follows from the run's seed: it keeps from a reader of the files
what a replay can make again.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from core.errors import CallerError
from core.messages import MessageLog
from core.values import Frozen, canonical, digest

Phase = Literal["lobby", "discussion", "voting", "elimination", "game_over"]
Rule = Literal["most ballots", "lower Borda sum", "drawn by the seed"]
"""What decided a round."""
Winner = Literal["human", "ai", "none"]

SECRET = (
    "players",
    "options",
    "pseudonym_map",
    "human_external_name",
    "ai_personalities",
    "votes",
    "ballots",
    "wishes",
    "pending_ai_messages",
    "pending_ai_votes",
)
"""Fields that nobody reads before the game is over."""


class Refused(CallerError):
    """A message or a ballot that the phase does not take, or not from that participant."""


class Player(Frozen):
    """Somebody who talks and votes."""

    id: str
    role: Literal["human", "ai"]
    personality: str = ""
    """What a voice is: a role of the workbench or a character; "" of a person."""
    name: str = ""
    """Outside the game: who a person is, or the role's title."""
    eliminated: bool = False


class Option(Frozen):
    """Something that is chosen between."""

    id: str
    text: str
    eliminated: bool = False


class Ballot(Frozen):
    """One voter's secret vote in one round; targets and rankings are ids, never labels."""

    round: int
    voter: str
    target: str
    reason: str = ""
    ranking: tuple[str, ...] = ()
    """From the one to be kept before all others to the one to be dropped; empty where not said."""
    scores: Mapping[str, float] = {}
    """What the voter's own rule gave each; empty where it has none."""
    changed: str = ""
    """The fact that was said since and that changed the voter's mind; "" if nothing did."""
    heard: int = 0
    """How many facts had been said aloud when it was cast."""
    tries: int = 1
    marks: tuple[str, ...] = ()
    """"by chance" where the voter gave no legal target."""


class Wish(Frozen):
    """Whether a participant wants to speak, and why."""

    should_respond: bool
    reason: str
    round: int = 0
    player: str = ""


class Closed(Frozen):
    """How a round ended."""

    round: int
    out: str
    """The id of what is out."""
    drops: Mapping[str, int]
    """Ballots against each, by id."""
    borda: Mapping[str, int]
    """Borda points of those ballots, by id."""
    rule: Rule


class Broadcast(Frozen):
    """One thing that everybody is told."""

    event: Literal[
        "player_list",
        "topic",
        "phase",
        "typing",
        "message",
        "voted",
        "elimination",
        "new_round",
        "game_over",
    ]
    data: Mapping[str, Any] = {}


class Rules(Frozen):
    """What a game is played by; times in seconds."""

    vote_for: Literal["options", "players"] = "options"
    keep: int = Field(default=1, ge=1)
    """How many options remain; for participants see *rounds_to_win*."""
    rounds_to_win: int = Field(default=3, ge=1)
    """How many voices must be out before the people have won."""
    discussion_s: float = Field(default=180.0, gt=0)
    voting_s: float = Field(default=60.0, gt=0)
    messages_a_round: int = Field(default=3, ge=1, le=50)
    """After so many the ballot is opened, where nobody holds the floor by hand."""
    messages_a_person: int = Field(default=20, ge=1, le=200)
    """How many a person may send in one round of a live room."""
    cooldown_s: float = Field(default=10.0, ge=0)
    """Between two messages of voices."""
    silence_s: float = Field(default=10.0, gt=0)
    """Silence after which a voice may speak unasked."""
    between_triggers_s: float = Field(default=2.0, ge=0)
    typing_s: tuple[float, float] = (2.0, 6.0)
    """Shortest and longest time that typing takes; of voices it is drawn."""


class Game(Frozen):
    """One game, from its first label to its last ballot."""

    room_code: str
    key: str = Field(default="", exclude=True)
    """Seals what is secret; never written."""
    rules: Rules = Rules()
    round: int = 0
    phase: Phase = "lobby"
    num_ai_players: int = 0
    players: Mapping[str, Player] = {}
    options: Mapping[str, Option] = {}
    topics: tuple[str, ...] = ()
    topic: str = ""
    chat_history: MessageLog = MessageLog()
    told: tuple[str, ...] = ()
    """Keys of the facts that have been said aloud."""
    votes: Mapping[str, str] = {}
    """This round's targets by voter, in ids."""
    ballots: tuple[Ballot, ...] = ()
    wishes: tuple[Wish, ...] = ()
    closed: tuple[Closed, ...] = ()
    ai_personalities: Mapping[str, str] = {}
    pseudonym_map: Mapping[str, str] = {}
    """Ids to labels, of players and of options."""
    human_external_name: str = ""
    now: float = 0.0
    """Seconds since the game began."""
    last_message_time: float = 0.0
    round_start_time: float = 0.0
    phase_start_time: float = 0.0
    proactive: bool = False
    """Whether the silence of this round has been used for an unasked turn."""
    winner: Winner | None = None
    """"none" once a game between options is over."""
    eliminated_player: str = ""
    """The label of what the last round took out."""
    pending_ai_messages: tuple[str, ...] = ()
    pending_ai_votes: tuple[str, ...] = ()
    broadcast_queue: tuple[Broadcast, ...] = ()

    @model_serializer(mode="wrap")
    def _written(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Seal what is secret until the game is over."""
        plain: dict[str, Any] = handler(self)
        if self.phase == "game_over":
            return plain
        closed = [{"round": c.round} for c in self.closed]
        hidden = {name: plain.pop(name) for name in (*SECRET, "closed") if name in plain}
        return {**plain, "rounds_closed": len(closed), "sealed": sealed(hidden, self.key)}

    def label(self, thing_id: str) -> str:
        """Return the neutral label of a player or an option."""
        return self.pseudonym_map[thing_id]

    def by_label(self, label: str) -> str:
        """Return the id behind a label; raises Refused for an unknown one."""
        found = {name: key for key, name in self.pseudonym_map.items()}
        if label not in found:
            raise Refused(f"there is no {label!r}; choose from: {', '.join(sorted(found))}")
        return found[label]

    @property
    def active(self) -> tuple[str, ...]:
        """Ids of the players who still talk and vote, in the order of their labels."""
        return self._by_label(k for k, p in self.players.items() if not p.eliminated)

    @property
    def left(self) -> tuple[str, ...]:
        """Ids of what may be voted out, in the order of their labels."""
        if self.rules.vote_for == "players":
            return self.active
        return self._by_label(k for k, o in self.options.items() if not o.eliminated)

    def targets(self, voter: str) -> tuple[str, ...]:
        """Ids that *voter* may vote against: never itself."""
        return tuple(t for t in self.left if t != voter)

    def _by_label(self, ids: Any) -> tuple[str, ...]:  # noqa: ANN401 - any iterable of ids
        return tuple(sorted(ids, key=lambda k: _natural(self.pseudonym_map.get(k, k))))


def _natural(label: str) -> tuple[str, int, str]:
    """Order "Player 10" after "Player 9"."""
    word, _, tail = label.rpartition(" ")
    return (word, int(tail), "") if tail.isdigit() else (word, 0, tail)


def key_of(seed: int) -> str:
    """Return what seals the games of a seed."""
    return digest(["sealed", seed])


def sealed(hidden: Mapping[str, Any], key: str) -> str:
    """Return *hidden* as text that shows nothing of it; the same key opens it."""
    plain = canonical(hidden).encode()
    return base64.b64encode(_mixed(plain, key)).decode()


def opened(text: str, key: str) -> dict[str, Any]:
    """Return what was sealed with *key*."""
    found: dict[str, Any] = json.loads(_mixed(base64.b64decode(text), key))
    return found


def _mixed(data: bytes, key: str) -> bytes:
    """Add a stream of SHA-256 in counter mode, which a second time takes it away again."""
    blocks = (len(data) + 31) // 32
    stream = b"".join(
        hashlib.sha256(f"{key}/{number}".encode()).digest() for number in range(blocks)
    )
    return bytes(a ^ b for a, b in zip(data, stream, strict=False))
