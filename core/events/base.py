"""What every event can say of itself: its JSON, what it names, and how it is shown."""

from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from core.values import Frozen, canonical

Judgement = Literal["pass", "fail", "inconclusive", "not_judged"]
"""How the gate read what it was shown."""

Section = Literal["trace", "tool_trace", "retrieval_trace"]
"""The parts of the derived view."""

Replay = Literal["repeated", "process", "external"]
"""How a replay treats an event: it is made again; it is what a process did, and made again if one
process did it all; or it came from outside and is only copied."""


class Ref(NamedTuple):
    """A file that an event names, by the digest that the file must have."""

    what: str
    """What the file is, for a sentence about it."""
    digest: str
    file: str = ""
    """The file's name in the run's folder; "" is the artifact of that digest."""
    key: str = ""
    """The part of a JSON file whose canonical form is digested; "" is all of it."""
    form: Literal["json", "bytes"] = "json"
    """Whether the canonical JSON is digested, or the bytes as they are."""


class Fact(Frozen):
    """Something that happened."""

    once: ClassVar[bool] = False
    """Whether saying the same thing again, after a crash, adds nothing and is left out."""
    section: ClassVar[Section] = "trace"
    replay: ClassVar[Replay] = "repeated"
    readings: ClassVar[tuple[str, ...]] = ()
    """Fields that were read from a clock or from the machine."""
    _sorted: ClassVar[tuple[tuple[str, str, Callable[[Any], bool] | None], ...]] = ()
    """Each field's name, how its JSON begins, and when it is left out."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        fields = sorted(cls.model_fields.items())
        cls._sorted = tuple((name, f'"{name}":', f.exclude_if) for name, f in fields)

    def canonical(self) -> str:
        """Return the event's canonical JSON, in less time: each line of a trace has it."""
        held, parts = self.__dict__, list[str]()
        for name, begun, without in self._sorted:
            value = held[name]
            if without is None or not without(value):
                kind = type(value)
                if kind is str:
                    text = encode_basestring(value)
                elif kind is int:
                    text = int.__repr__(value)
                else:
                    text = _canonical(value)
                parts.append(begun + text)
        return f"{{{','.join(parts)}}}"

    def refs(self) -> tuple[Ref, ...]:
        """Return the files that the event names; of several events on one file the last counts."""
        return ()

    def headline(self) -> str:
        """Return what a person who watches the run is told in a line; "" for nothing."""
        return ""

    def row(self) -> dict[str, JsonValue]:
        """Return the event's own columns in the derived view."""
        return self.model_dump(mode="json", exclude={"kind"})


class Lasting(Fact):
    """Something that stays true once it has happened."""

    once: ClassVar[bool] = True


def artifacts(what: str, *names: str) -> tuple[Ref, ...]:
    """Return references to the artifacts of those digests; "" is none."""
    return tuple(Ref(what, name) for name in names if name)


def _canonical(value: object) -> str:
    return canonical(to_jsonable_python(value, inf_nan_mode="null"))
