"""Sections of a proposal that a model writes and code checks, sentence by sentence."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import TaskError
from core.values import Frozen
from dr_rd.checks import Ledger
from dr_rd.language import UNKNOWN
from dr_rd.models.typed.ask import Model, Question
from dr_rd.prompts import delimiter, prompt
from dr_rd.report.material import Material
from dr_rd.report.vetting import Draft, Vetted, What, vet
from dr_rd.templates import render


class Section(Frozen):
    """What a model wrote of one section."""

    text: str = ""
    """Markdown, each sentence with its sources; "" if nothing could be kept."""
    model: str
    removed: Mapping[What, int] = {}
    """How many sentences, ids and links code took out."""
    reason: str = ""
    """Why there is no text."""

    def without(self, broken: Mapping[str, str]) -> "Section":
        """Return the section without its text, which breaks those items of the ledger."""
        gone = self.removed.get("sentence", 0) + len(_SENTENCE.findall(self.text))
        return self.model_copy(
            update={
                "text": "",
                "removed": {**self.removed, "sentence": gone},
                "reason": f"beside the rest of the proposal it breaks {', '.join(broken)}",
            }
        )

    @property
    def shown(self) -> str:
        """The section as the proposal shows it: the text and who wrote it, or that there is none."""
        return render("written.md.j2", {"section": self}).strip()


_SENTENCE = re.compile(r"\][.!?…]")
"""Each sentence of a section ends so."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes sections, each from its own material.

    Args:
        model: The model that writes.
        ledger: What no sentence may break.
        seed: Where the lines that the material stands between come from; nobody who wrote it can
            know them.

    """

    model: Model
    ledger: Ledger
    seed: str

    async def write_sections(self, materials: Sequence[Material]) -> Mapping[str, Section]:
        """Return a section for each of *materials*, by its id; one that fails spoils no other.

        Raises:
            Stopped: A person, a signal or a cap ended the run.

        """
        return {m.id: await self._section(m) for m in materials}

    async def _section(self, material: Material) -> Section:
        """Ask once, tell the author of its faults once, then leave out what is at fault."""
        drafts: list[Vetted] = []

        def check(draft: Draft) -> None:
            drafts.append(vet(draft, material, self.ledger))
            if drafts[-1].faults:
                raise ValueError(drafts[-1].complaint)

        try:
            await self.model.ask(self._question(material), Draft, check=check)
        except TaskError as failed:
            if not drafts:
                return Section(model=self.model.name, reason=str(failed))
        vetted = drafts[-1]
        return Section(
            text=vetted.text,
            model=self.model.name,
            removed=dict(Counter(f.what for f in vetted.faults)),
            reason="" if vetted.kept else vetted.complaint,
        )

    def _question(self, material: Material) -> Question:
        tongue, told = material.language, "\n".join(s.text for s in material.sources)
        filled = prompt(
            "section",
            {
                "ask": material.ask,
                "words": material.words,
                "language": "the brief's language" if tongue == UNKNOWN else tongue.capitalize(),
                "mark": delimiter(self.seed, told),
                "sources": material.sources,
            },
        )
        return Question(purpose="write", system=filled.system, user=filled.user)
