"""A live room: people and voices at once, by the same moves as a run, on an injected clock.

Whatever changes the game does so inside the room's lock and takes no longer than that change.
Whoever is to speak or vote is checked and marked inside it; what a slow voice says is made outside,
and the phase is looked at again before it counts. Readers need no lock: a game is a frozen value.
"""

import logging
from contextlib import suppress
from math import inf

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from core.clock import Clock, RandomFor
from core.modes.downselect import play
from core.modes.downselect.state import Ballot, Broadcast, Game, Player, Refused, Wish
from core.modes.downselect.views import GameView, view_for
from core.modes.downselect.voices import Voice, VoiceOf, ballot_of, look, speech_of, wish_of

_LOG = logging.getLogger(__name__)

_BEAT_S = 0.5
"""How often a room looks at its clock."""

_UNREAD = 200
"""Events that a listener may be behind; one that is further behind is let go."""

Events = MemoryObjectReceiveStream[Broadcast]


class Room:
    """One game that is played now.

    Args:
        game: A game in its lobby.
        voice_of: Gives each voice.
        clock: The time, of which all timers are read.
        chance: The room's sources of chance, by name.

    """

    def __init__(self, game: Game, voice_of: VoiceOf, clock: Clock, chance: RandomFor) -> None:
        self.game = game
        self._clock, self._chance = clock, chance
        labels = {o: game.label(o) for o in game.options}
        self._voices: dict[str, Voice] = {
            p.id: voice_of(p, labels) for p in game.players.values() if p.role == "ai"
        }
        self._lock = anyio.Lock()
        self._processing: set[tuple[str, str, int]] = set()
        """Voices that are about to speak or to vote, each with the phase and round it is for."""
        self._listeners: list[MemoryObjectSendStream[Broadcast]] = []
        self._began = clock.monotonic()
        self._triggered = -inf
        """When the voices were last asked whether they speak."""
        self._heard = 0
        """How many messages there were then."""
        self._closed = False
        self._drawn = 0
        self.discarded = 0
        """Messages and ballots that came after their phase."""

    @property
    def now(self) -> float:
        """Seconds since the game began."""
        return self._clock.monotonic() - self._began

    def view(self, player: str = "") -> GameView:
        """Return what a player sees, or anybody who takes no part; never waits."""
        now = self.now if self.game.phase != "lobby" else 0.0
        return view_for(self.game, player, now)

    def listen(self) -> Events:
        """Return a stream of what everybody is told from now on; it ends with the room."""
        send, receive = anyio.create_memory_object_stream[Broadcast](_UNREAD)
        if self._closed:
            send.close()
        else:
            self._listeners.append(send)
        return receive

    def close(self) -> None:
        """End the streams of all who listen; nobody is told anything after that."""
        self._closed = True
        for send in self._listeners:
            send.close()
        self._listeners.clear()

    async def run(self) -> None:
        """Play the game from its lobby to its end, or until it is cancelled."""
        try:
            async with self._lock:
                self._began = self._clock.monotonic()
                self._update(play.begin_round(self.game))
                self._update(play.open_discussion(self.game, self._chance))
            async with anyio.create_task_group() as tasks:
                while self.game.phase != "game_over":
                    await self._beat(tasks)
                    await self._clock.sleep(_BEAT_S)
                tasks.cancel_scope.cancel()
        finally:
            self.close()

    async def say(self, player: str, text: str) -> None:
        """Take a person's message; raises Refused with the reason where it is not taken."""
        words = text.strip()
        if not words:
            raise Refused("the message is empty; write something, or say nothing")
        async with self._lock:
            play.check_may_say_more(self.game, player)
            self._update(play.with_message(self._timed(), player, words))

    async def vote(self, player: str, label: str) -> None:
        """Take a person's secret ballot; raises Refused with the reason where it is not taken."""
        async with self._lock:
            play.check_may_vote(self.game, player)
            target = self.game.by_label(label)
            ballot = Ballot(round=self.game.round, voter=player, target=target)
            self._update(play.with_ballot(self._timed(), ballot))

    async def typing(self, player: str, *, active: bool) -> None:
        """Tell everybody that a person types, or has stopped."""
        async with self._lock:
            play.check_may_speak(self.game, player)
            self._update(play.changed(self.game, self._typing(player, active=active)))

    async def leave(self, player: str) -> None:
        """Take a person out of the game; nobody waits for it any more."""
        async with self._lock:
            gone = self.game.players[player].model_copy(update={"eliminated": True})
            players = {**self.game.players, player: gone}
            after = self.game.model_copy(update={"players": players})
            labels = [after.label(p) for p in after.active]
            told = Broadcast(event="player_list", data={"players": labels})
            self._update(play.changed(after, told))

    async def _beat(self, tasks: TaskGroup) -> None:
        """Look at the clock once: end a phase that is due, and mark who is to act."""
        async with self._lock:
            game = self.game = self._timed()
            if game.phase == "discussion" and (play.due(game) or self._silent(game)):
                self._update(play.open_voting(game))
            elif game.phase == "voting" and play.due(game):
                self._close_round(game)
            marked = self._marked()
        for player in marked:
            act = self._chat if self.game.phase == "discussion" else self._ballot
            tasks.start_soon(act, player, self.game.round)

    def _close_round(self, game: Game) -> None:
        """Count the ballots, and go on to the next round or the end."""
        after = play.check_win(play.eliminate(game, self._chance))
        if after.winner:
            self._update(play.reveal(after))
            return
        self._update(play.open_discussion(play.begin_round(after), self._chance))
        self._triggered = -inf

    def _marked(self) -> list[str]:
        """Mark the voices that are to act now; inside the lock."""
        game = self.game
        if game.phase == "voting":
            found = [p for p in game.pending_ai_votes if p in self._voices]
        elif game.phase == "discussion" and self._asks(game):
            order = [p for p in game.pending_ai_messages if p in self._voices]
            found = [p for p in order if p in game.active]
            self._triggered, self._heard = game.now, len(game.chat_history)
        else:
            found = []
        free = [p for p in found if (p, game.phase, game.round) not in self._processing]
        self._processing.update((p, game.phase, game.round) for p in free)
        return free

    def _asks(self, game: Game) -> bool:
        """Whether the voices are asked now: after each message, and after a silence."""
        if game.now - self._triggered < game.rules.between_triggers_s:
            return False
        if play.said_this_round(game) >= game.rules.messages_a_round:
            return False
        last = max(game.last_message_time, game.phase_start_time)
        fresh = self._triggered == -inf or len(game.chat_history) > self._heard
        quiet = game.now - max(last, self._triggered) > game.rules.silence_s
        if quiet and not fresh:
            self._update(game.model_copy(update={"proactive": True}))
        return fresh or quiet

    def _silent(self, game: Game) -> bool:
        """Whether a room of voices alone has nothing more to say."""
        alone = not any(p.role == "human" and not p.eliminated for p in game.players.values())
        full = play.said_this_round(game) >= game.rules.messages_a_round
        last = max(game.last_message_time, game.phase_start_time)
        asked = game.proactive and self._triggered > last
        busy = any(phase == "discussion" for _, phase, _ in self._processing)
        return alone and not busy and (full or asked)

    async def _chat(self, player: str, number: int) -> None:
        """Let a voice decide, and speak if it wants to and still may; typing always stops."""
        voice, typing = self._voices[player], False
        try:
            self._drawn += 1
            name = f"wish/{number}/{player}/{self._drawn}"
            wish = await wish_of(voice, look(self.game, player), self._chance, name)
            async with self._lock:
                typing = self._noted(player, number, wish)
            if not typing:
                return
            speech = await speech_of(voice, look(self.game, player))
            shortest, longest = self.game.rules.typing_s
            await self._clock.sleep(self._chance(f"typing/{name}").uniform(shortest, longest))
            while (wait := self._cooldown()) > 0:
                await self._clock.sleep(wait)
            async with self._lock:
                if self._may_speak(player, number):
                    said = play.with_message(
                        self._timed(),
                        player,
                        speech.text,
                        marks=speech.marks[:1],
                        told=speech.told,
                    )
                    self._update(said)
                else:
                    self.discarded += 1
        finally:
            with anyio.CancelScope(shield=True):
                async with self._lock:
                    self._processing.discard((player, "discussion", number))
                    if typing:
                        told = self._typing(player, active=False)
                        self._update(play.changed(self.game, told))

    def _noted(self, player: str, number: int, wish: Wish) -> bool:
        """Note what a voice decided, and tell that it types if it may; inside the lock."""
        noted = wish.model_copy(update={"round": number, "player": player})
        game = self.game.model_copy(update={"wishes": (*self.game.wishes, noted)})
        types = wish.should_respond and self._may_speak(player, number)
        told = (self._typing(player, active=True),) if types else ()
        self._update(play.changed(game, *told))
        return types

    def _may_speak(self, player: str, number: int) -> bool:
        """Whether a voice still may: the same phase and round, and never twice running."""
        game = self.game
        return (
            game.phase == "discussion"
            and game.round == number
            and player in game.active
            and play.last_speaker(game) != game.label(player)
            and play.said_this_round(game) < game.rules.messages_a_round
        )

    def _cooldown(self) -> float:
        """Return the seconds until a voice may send the next message."""
        game = self.game
        said = play.said_this_round(game)
        return game.last_message_time + game.rules.cooldown_s - self.now if said else 0.0

    async def _ballot(self, player: str, number: int) -> None:
        """Let a voice vote; a ballot that comes after the voting is discarded."""
        try:
            game = self.game
            ballot = await ballot_of(
                self._voices[player], look(game, player), game, player, self._chance
            )
            async with self._lock:
                if self.game.phase == "voting" and self.game.round == number:
                    with suppress(Refused):  # it was taken out meanwhile
                        self._update(play.with_ballot(self._timed(), ballot))
                else:
                    self.discarded += 1
        finally:
            with anyio.CancelScope(shield=True):
                async with self._lock:
                    self._processing.discard((player, "voting", number))

    def _timed(self) -> Game:
        return self.game.model_copy(update={"now": round(self.now, 3)})

    def _typing(self, player: str, *, active: bool) -> Broadcast:
        return Broadcast(event="typing", data={"by": self.game.label(player), "active": active})

    def _update(self, game: Game) -> None:
        """Make *game* the room's, and send what it tells once; inside the lock."""
        queue = game.broadcast_queue
        self.game = game.model_copy(update={"broadcast_queue": ()})
        for told in queue:
            if told.event in ("phase", "game_over"):
                _LOG.info("room %s: %s in round %d", game.room_code, told.event, game.round)
            for listener in tuple(self._listeners):
                try:
                    listener.send_nowait(told)
                except (anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
                    self._listeners.remove(listener)
                    listener.close()


def seats_of(game: Game) -> tuple[Player, ...]:
    """Return the seats that people may take, in the order of their labels."""
    people = [p for p in game.players.values() if p.role == "human"]
    return tuple(sorted(people, key=lambda p: game.label(p.id)))
