"""Library sentences in the brief's own terms, with every assumed number marked."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from core.values import Frozen
from dr_rd.planning.methods import Method, Parameter

_SLOT = re.compile(r"\{([a-z0-9_.]+)\}")

_SHARED = ("power", "alpha", "attrition", "icc")
"""Parameters that mean the same in every file of the library: one plan has the method's."""

_NONE: Mapping[str, Parameter] = MappingProxyType({})


class Assumption(Frozen):
    """A number or premise that nobody gave and somebody should confirm."""

    id: str
    """Such as "A01"; cited in square brackets wherever it is used."""
    text: str
    """What is assumed, with its value."""
    why: str


class Assumptions:
    """The assumptions made while one plan is written, numbered as they are first used."""

    def __init__(self) -> None:
        self._known: dict[str, Assumption] = {}

    def cite(self, text: str, why: str) -> str:
        """Return the id under which *text* is assumed."""
        known = self._known
        new = Assumption(id=f"A{len(known) + 1:02}", text=text, why=why)
        return known.setdefault(text, new).id

    def all(self) -> tuple[Assumption, ...]:
        """Every assumption so far, in order."""
        return tuple(self._known.values())


class Wording:
    """Fills the slots of library sentences."""

    def __init__(
        self,
        said: Mapping[str, str],
        method: Method,
        assumptions: Assumptions,
        stated: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._slots = {**method.fallbacks, **said}
        self._parameters = method.parameters
        self._assumptions = assumptions
        self._stated = {k: v for k, v in stated.items() if k in method.parameters}
        """What parameters of the method are by the brief, so that nothing is assumed."""

    def slot(self, name: str) -> str:
        """Return what a slot says, by the brief or else by the method."""
        return self._slots[name]

    def say(self, text: str, parameters: Mapping[str, Parameter] = _NONE) -> str:
        """Return *text* with its slots filled and its parameters cited.

        *parameters* are those of the file that *text* is from, beside the method's.
        """
        mine = self._parameters
        known = {**mine, **parameters, **{k: mine[k] for k in _SHARED if k in mine}}

        def value(found: re.Match[str]) -> str:
            name = found[1]
            if name.startswith("p."):
                return self._parameter(name[2:], known[name[2:]])
            return self._slots[name]

        said = _SLOT.sub(value, text)
        return said[:1].upper() + said[1:] if text.startswith("{") else said

    def all(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return each of *texts* so filled."""
        return tuple(self.say(t) for t in texts)

    def _parameter(self, name: str, parameter: Parameter) -> str:
        if name in self._stated:
            return self._stated[name]
        label = name.replace("_", " ")
        cited = self._assumptions.cite(f"{label}: {parameter.value}", parameter.why)
        return f"{parameter.value} [{cited}]"
