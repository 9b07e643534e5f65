"""Nouns put in the singular or the plural."""

_IRREGULAR = {
    "children": "child",
    "mice": "mouse",
    "calves": "calf",
    "loaves": "loaf",
    "leaves": "leaf",
    "people": "person",
}
"""Plurals that no rule takes back to one."""
_PLURALS = {one: many for many, one in _IRREGULAR.items()}


def singular_of(noun: str) -> str:
    """Return a noun in the singular: "dairy farms" as "dairy farm"."""
    *before, last = noun.split()
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif last.endswith("ies"):
        last = last[:-3] + "y"
    elif last.endswith(("ches", "shes", "xes", "sses")):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith("ss"):
        last = last[:-1]
    return " ".join([*before, last])


def plural_of(noun: str) -> str:
    """Return a noun in the plural: "dairy farm" as "dairy farms"."""
    *before, last = noun.split()
    if last in _PLURALS:
        last = _PLURALS[last]
    elif last.endswith("y") and last[-2:-1] not in tuple("aeiou"):
        last = f"{last[:-1]}ies"
    else:
        last = f"{last}es" if last.endswith(("ch", "sh", "s", "x")) else f"{last}s"
    return " ".join([*before, last])
