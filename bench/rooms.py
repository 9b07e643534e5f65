"""How fast a room's state is answered while a hundred rooms wait for slow voices.

    python -m bench.rooms [--rooms 100] [--seconds 20] [--write]

Every room has five voices that each take two seconds for a decision, a message or a ballot, and one
person who writes now and then. Meanwhile the state of one room after the other is asked for over the
ASGI application, without a socket. Prints what it measured; `--write` saves it as
results/rooms.md.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import perf_counter, process_time

import httpx
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from core.clock import SystemClock, seeded
from core.modes.downselect.play import dealt
from core.modes.downselect.room import Room
from core.modes.downselect.state import Player, Rules, Wish
from core.modes.downselect.voices import Choice, Look, Speech
from dr_rd.api.rooms import Rooms, Seats, routes

RESULT = Path(__file__).parent / "results" / "rooms.md"
BAR_MS = 200
"""What the slowest twentieth of the answers may take."""
SLOW_S = 2.0


class SlowVoice:
    """A voice that thinks for two seconds before whatever it does."""

    async def wish(self, look: Look) -> Wish:
        """Always want to speak."""
        await asyncio.sleep(SLOW_S)
        return Wish(should_respond=look.round > 0, reason="always")

    async def speak(self, look: Look) -> Speech:
        """Say how many have spoken."""
        await asyncio.sleep(SLOW_S)
        return Speech(text=f"message {len(look.all_lines)}")

    async def vote(self, look: Look, refused: str) -> Choice:
        """Drop the last one."""
        del refused
        await asyncio.sleep(SLOW_S)
        return Choice(vote=look.targets[-1], reason="the last one")


def slow(player: Player, labels: Mapping[str, str]) -> SlowVoice:
    """Return a voice for any seat."""
    del player, labels
    return SlowVoice()


def made(number: int) -> Room:
    voices = tuple(Player(id=f"v{n}", role="ai", personality="slow") for n in range(5))
    rules = Rules(vote_for="players", messages_a_round=50, cooldown_s=1.0, discussion_s=10.0)
    game = dealt(
        room_code=f"R{number:03}",
        rules=rules,
        players=(*voices, Player(id="p1", role="human")),
        topics=("rain", "snow"),
        seed=number,
        chance=seeded(number),
    )
    return Room(game, slow, SystemClock(), seeded(number))


async def measured(count: int, seconds: float) -> Mapping[str, float]:
    rooms = Rooms(SystemClock())
    opened: dict[str, Seats] = rooms._seats
    for number in range(count):
        room = made(number)
        opened[room.game.room_code] = Seats(room, "bench", [], {f"token{number}": "p1"})
    found: list[BaseRoute] = list(routes(lambda: None, rooms))  # type: ignore[arg-type,return-value]
    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(Starlette(routes=found)), base_url="http://localhost"
    )
    for seats in opened.values():
        seats.task = asyncio.create_task(seats.room.run())
    await asyncio.sleep(1)
    times: list[float] = []
    began, used = perf_counter(), process_time()
    while perf_counter() - began < seconds:
        for number, code in enumerate(opened):
            if number % 10 == 0:
                line = {"token": f"token{number}", "text": "so it is"}
                await client.post(f"/api/rooms/{code}/message", json=line)  # 409 while they vote
            started = perf_counter()
            answer = await client.get(
                f"/api/rooms/{code}/state", headers={"Authorization": f"Bearer token{number}"}
            )
            times.append((perf_counter() - started) * 1000)
            answer.raise_for_status()
            await asyncio.sleep(0.005)
    rooms.close()
    tasks = [seats.task for seats in opened.values() if seats.task]
    await asyncio.gather(*tasks, return_exceptions=True)
    times.sort()
    said = sum(len(seats.room.game.chat_history) for seats in opened.values())
    return {
        "rooms": count,
        "requests": len(times),
        "messages": said,
        "seconds": round(perf_counter() - began, 1),
        "cpu_s": round(process_time() - used, 1),
        "p50_ms": round(times[len(times) // 2], 2),
        "p95_ms": round(times[int(len(times) * 0.95)], 2),
        "max_ms": round(times[-1], 2),
    }


def report(found: Mapping[str, float], load: float) -> Iterator[str]:
    met = "met" if found["p95_ms"] < BAR_MS else "missed"
    yield "# Rooms: the state endpoint while voices are slow"
    yield ""
    yield f"{found['rooms']:.0f} rooms at once in one process, each with five voices that take {SLOW_S:g} s for"
    yield "every decision, message and ballot, and a person, who writes in every tenth. Meanwhile"
    yield "`GET /api/rooms/{code}/state` asks for one room after the other over the ASGI application."
    yield f"Two cores, shared with other work: the load average when it began was {load:.1f}."
    yield ""
    yield "| requests | messages said meanwhile | p50 | p95 | slowest | CPU of the process |"
    yield "|---|---|---|---|---|---|"
    yield (
        f"| {found['requests']:,.0f} in {found['seconds']:.0f} s | {found['messages']:,.0f} | "
        f"{found['p50_ms']:.1f} ms | {found['p95_ms']:.1f} ms | {found['max_ms']:.1f} ms | "
        f"{found['cpu_s']:.1f} s |"
    )
    yield ""
    yield f"Bar: p95 below {BAR_MS} ms. It is {met}."


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rooms", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    found = asyncio.run(measured(given.rooms, given.seconds))
    text = "\n".join(report(found, load)) + "\n"
    sys.stdout.write(text)
    if given.write:
        RESULT.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
