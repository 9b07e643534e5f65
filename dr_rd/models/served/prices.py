"""What replies cost, and what a run will: from published prices, and unknown where there is none."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import yaml
from pydantic import Field, ValidationError

from core.errors import CallerError
from core.events import CallEnded, Row
from core.requests import Reply, Request
from core.settings import Flags
from core.values import Amount, Frozen
from dr_rd.files import parse_yaml, read_yaml
from dr_rd.models.address import is_local

_MILLION = 1_000_000


class Rate(Frozen):
    """What a model costs at one host, in US dollars for a million tokens."""

    models: tuple[str, ...] = Field(min_length=1)
    """The names under which the server answers for it."""
    host: str = ""
    """Where that price holds; "" is everywhere."""
    input_usd: Amount
    output_usd: Amount
    as_of: date | None = None
    """A day on which that was the price; None if it is a rule."""
    source: str
    """Where it is published."""

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        """Return what so many tokens cost, in US dollars; input that was cached costs less."""
        return (prompt_tokens * self.input_usd + completion_tokens * self.output_usd) / _MILLION

    def covers(self, endpoint: str, model: str) -> bool:
        """Whether the price holds for that model on that server."""
        at_home = not self.host or urlsplit(endpoint).hostname == self.host
        return at_home and model in self.models


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices that are known; `price` is what `core.calls.Caller` asks."""

    rates: Sequence[Rate]
    """Those that come first count."""

    def rate(self, endpoint: str, model: str) -> Rate | None:
        """Return what a model costs on a server; None if nobody knows.

        A server on this machine costs nothing, unless a price says otherwise.
        """
        named = next((r for r in self.rates if r.covers(endpoint, model)), None)
        free = Rate(models=(model,), input_usd=0, output_usd=0, source="local server")
        return named or (free if is_local(endpoint) else None)

    def price(self, request: Request, reply: Reply) -> float | None:
        """Return what a reply cost, in US dollars; None if the price or the tokens are unknown.

        It is the model that answered, where the server says which, and not the one asked.
        """
        rate = self.rate(request.endpoint, reply.model or request.model)
        if rate is None:
            return None
        if not rate.input_usd and not rate.output_usd:
            return 0.0
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            return None
        return rate.cost(reply.prompt_tokens, reply.completion_tokens)

    def check_cap(self, flags: Flags, endpoint: str, models: Iterable[str]) -> None:
        """Refuse a cap on money that somebody set where it could not hold.

        Raises CallerError if what one of *models* costs is unknown.
        """
        if flags.MAX_COST_USD == Flags().MAX_COST_USD:
            return
        unknown = [name for name in dict.fromkeys(models) if self.rate(endpoint, name) is None]
        if unknown:
            named = ", ".join(map(repr, unknown))
            raise CallerError(
                f"MAX_COST_USD={flags.MAX_COST_USD:g} cannot be kept: what {named} costs at "
                f"{endpoint} is not known; name the price in a file and the file in DRRD_PRICES, or "
                "cap tokens with MAX_TOKENS"
            )


def spent_usd(rows: Iterable[Row]) -> float | None:
    """Add up what a run's calls cost, in US dollars; None if that of one is unknown.

    Calls that were answered from the record were paid before. One that failed on this machine
    cost nothing; elsewhere nobody knows what of it is charged.
    """
    calls = [e for e in (row.event for row in rows) if isinstance(e, CallEnded) and e.tries]
    costs = [0.0 if _failed_here(e) else e.cost_usd for e in calls]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _failed_here(call: CallEnded) -> bool:
    return not call.ok and not call.reply_digest and is_local(call.endpoint)


def dollars(cost: float | None) -> str:
    """Write a sum for a reader; what is unknown is said to be so, and never nothing."""
    if cost is None:
        return "unknown"
    return f"{cost:,.2f} US dollars" if cost >= 1 or not cost else f"{cost:.2g} US dollars"


class _Listed(Frozen):
    prices: tuple[Rate, ...]


def read_prices(environ: Mapping[str, str], path: Path | None = None) -> Prices:
    """Read the prices: those of the file at *path*, or else in DRRD_PRICES, then our own.

    Raises CallerError with the first thing wrong in that file.
    """
    named = path or (Path(environ["DRRD_PRICES"]) if environ.get("DRRD_PRICES") else None)
    theirs = _theirs(named) if named else ()
    return Prices((*theirs, *_Listed.model_validate(read_yaml("models", "prices.yaml")).prices))


def _theirs(path: Path) -> tuple[Rate, ...]:
    try:
        return _Listed.model_validate(parse_yaml(path.read_text(encoding="utf-8"))).prices
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as wrong:
        raise CallerError(
            f'the prices in {str(path)!r} cannot be read; write a YAML file with a list "prices", '
            "each with models, input_usd, output_usd and source"
        ) from wrong
    except ValidationError as wrong:
        first = wrong.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise CallerError(f"{str(path)!r}: {place}: {first['msg']}") from wrong
