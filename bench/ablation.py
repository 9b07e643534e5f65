"""What a rule earns: stub it, and count the labelled texts again.

    python -m bench.ablation dr_rd.text.context:answered=0 lexicon.yaml:same things.yaml

A rule is a function, which then gives back its argument of that number (or None where none is
named), or a language file or one of its lists, which is then empty. A rule that gains nothing on
the blind sets, on texts that it was not written for, is to go.
"""

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module

import dr_rd.files
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


def main() -> None:
    """Count each rule of the command line in a process of its own."""
    if sys.argv[1:2] == ["--one"]:
        count(sys.argv[2])
        return
    for rule in ["", *sys.argv[1:]]:
        subprocess.run([sys.executable, "-m", "bench.ablation", "--one", rule], check=True)


if __name__ == "__main__":
    main()
