"""A task as the one who does it would tell it."""

from dr_rd.modes.delivery.dossier import Dossier, Story
from dr_rd.planning.library import Library


def stories(dossier: Dossier, library: Library) -> tuple[Story, ...]:
    """Return a story for each task that answers for a requirement, in the plan's order."""
    titles = {role.id: role.title for role in library.roles}
    found = []
    for task in dossier.tasks:
        owned = tuple(r.id for r in dossier.requirements if r.owner == task.id)
        if owned:
            role = titles.get(task.role, task.role)
            why = f": {_inside(task.description)}" if task.description else ""
            text = f"As {_inside(role)} I {_inside(task.title)}{why}".rstrip(".")
            found.append(
                Story(
                    id=f"ST-{task.id}",
                    task=task.id,
                    role=role,
                    text=f"{text}.",
                    requirements=owned,
                )
            )
    return tuple(found)


def _inside(text: str) -> str:
    """Return a text as it stands inside a sentence; a name of capitals stays one."""
    text = text.strip().rstrip(".")
    first = text.split(" ", 1)[0]
    return text if first.isupper() and len(first) > 1 else text[:1].lower() + text[1:]
