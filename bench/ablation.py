"""What a rule earns: stub it, and count the labelled texts again.

    python -m bench.ablation dr_rd.text.context:answered=0 lexicon.yaml:same things.yaml

A rule is a function, which then gives back its argument of that number (or None where none is
named), or a language file or one of its lists, which is then empty. A rule that gains nothing on
the blind sets, on texts that it was not written for, is to go.

    python -m bench.ablation --idle

prints the functions that are never called there, or whose every result is empty: they gain nothing
without any stub being tried. Limits are read of the blind sets' briefs, texts of their cases.
"""

import pkgutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import getsourcelines, isfunction
from types import FrameType

import dr_rd.checks
import dr_rd.files
import dr_rd.text
from bench import ledger_check


def _emptied(value: object) -> object:
    """A value of the same shape that holds nothing."""
    if isinstance(value, dict):
        return {key: _emptied(inner) for key, inner in value.items()}
    return [] if isinstance(value, list) else value


def _stub_data(rule: str) -> None:
    name, _, key = rule.partition(":")
    read = dr_rd.files.read_yaml

    def stubbed(*parts: str) -> object:
        found = read(*parts)
        if parts[-1] != name:
            return found
        return {**found, key: _emptied(found[key])} if key else _emptied(found)

    _replace(read, stubbed)


def _stub_function(rule: str) -> None:
    place, _, argument = rule.partition("=")
    module, _, name = place.partition(":")
    _replace(
        getattr(import_module(module), name),
        lambda *args, **_: args[int(argument)] if argument else None,
    )


def _replace(old: object, new: Callable[..., object]) -> None:
    """Put *new* wherever a loaded module of the product holds *old*."""
    for module in [m for n, m in sys.modules.items() if n.startswith("dr_rd")]:
        for key in [k for k, v in vars(module).items() if v is old]:
            setattr(module, key, new)


def count(rule: str) -> None:
    """Print the blind shares with *rule* stubbed; "" stubs nothing."""
    if rule:
        _stub_data(rule) if ".yaml" in rule else _stub_function(rule)
    for row in ledger_check.rows(ledger_check.BLIND):
        print(f"{rule or 'nothing':40} {row}", flush=True)


def idle() -> Iterator[str]:
    """Yield the functions that do nothing on the blind sets, with their lines and calls."""
    functions = {f.__code__: f for f in _functions()}
    called, told = Counter[object](), Counter[object]()

    def note(frame: FrameType, event: str, result: object) -> None:
        if event == "return" and frame.f_code in functions:
            called[frame.f_code] += 1
            told[frame.f_code] += bool(result)

    sys.setprofile(note)
    try:
        for part in ledger_check.BLIND:
            ledger_check.planted(part)
        for name in ledger_check.PLANS:
            ledger_check.plans(name)
    finally:
        sys.setprofile(None)
    for code, function in functions.items():
        if not told[code]:
            lines = len(getsourcelines(function)[0])
            yield f"{function.__module__}:{function.__qualname__} {lines} lines, {called[code]} calls"


def _functions() -> Iterator[Callable[..., object]]:
    """Every function and method of the check that no cache hides."""
    for package in (dr_rd.checks, dr_rd.text):
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            module = import_module(found.name)
            held = [v for v in vars(module).values() if getattr(v, "__module__", "") == found.name]
            methods = [m for c in held if isinstance(c, type) for m in vars(c).values()]
            for value in (*held, *methods):
                inner = getattr(value, "__wrapped__", value)
                if isfunction(inner) and inner.__module__ == found.name:
                    yield inner


def main() -> None:
    """Count each rule of the command line in a process of its own."""
    if sys.argv[1:2] == ["--idle"]:
        print("\n".join(idle()))
        return
    if sys.argv[1:2] == ["--one"]:
        count(sys.argv[2])
        return
    for rule in ["", *sys.argv[1:]]:
        subprocess.run([sys.executable, "-m", "bench.ablation", "--one", rule], check=True)


if __name__ == "__main__":
    main()
