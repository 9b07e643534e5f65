"""Sections of a proposal that a model writes and code checks, sentence by sentence."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.errors import TaskError
from core.values import Frozen
from dr_rd.checks import Ledger
from dr_rd.language import UNKNOWN
from dr_rd.models.typed.ask import Model, Question
from dr_rd.models.window import Window
from dr_rd.prompts import delimiter, prompt
from dr_rd.report.material import Material
from dr_rd.report.vetting import Drafts, Vetted, What, vet
from dr_rd.templates import render


class Section(Frozen):
    """What a model wrote of one section."""

    text: str = ""
    """Markdown, each sentence with its sources; "" if nothing could be kept."""
    model: str
    removed: Mapping[What, int] = {}
    """How many sentences, ids and links code took out."""
    left_out: tuple[str, ...] = ()
    """What code took out, and why."""
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


_PROMPT_TOKENS = 900
"""What the rules of writing take of the window."""

_TOKENS_A_WORD = 5
"""Tokens of a written word, with its share of ids and JSON."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes sections, each from its own material, as many in one call as the model reads at once.

    Args:
        model: The model that writes.
        ledger: What no sentence may break.
        seed: Where the lines that the material stands between come from; nobody who wrote it can
            know them.
        window: How much the model reads and writes at once.

    """

    model: Model
    ledger: Ledger
    seed: str
    window: Window = field(default_factory=Window)

    async def write_sections(self, materials: Sequence[Material]) -> Mapping[str, Section]:
        """Return a section for each of *materials*, by its id; one that fails spoils no other.

        Raises:
            Stopped: A person, a signal or a cap ended the run.

        """
        return await self._written(materials, {}, ())

    async def revise_sections(
        self,
        materials: Sequence[Material],
        sections: Mapping[str, Section],
        advice: Sequence[str],
    ) -> Mapping[str, Section]:
        """Return *sections* written anew by that *advice*; one that fails stays as it was."""
        found = await self._written(materials, sections, advice)
        return {key: it if it.text else sections.get(key, it) for key, it in found.items()}

    async def _written(
        self,
        materials: Sequence[Material],
        before: Mapping[str, Section],
        advice: Sequence[str],
    ) -> Mapping[str, Section]:
        found: dict[str, Section] = {}
        for batch in self._batches(materials):
            found |= await self._sections(batch, before, advice)
        return found

    def _batches(self, materials: Sequence[Material]) -> Iterator[Sequence[Material]]:
        """Part the materials into calls: as many as have room, and one where none has."""
        batch, used = list[Material](), 0
        for material in materials:
            needed = self._tokens(material)
            if batch and used + needed > self.window.room(_PROMPT_TOKENS, 0):
                yield batch
                batch, used = [], 0
            batch.append(material)
            used += needed
        if batch:
            yield batch

    def _tokens(self, material: Material) -> int:
        """What a section takes of the window: its material, and what is written of it."""
        told = "\n".join(f"[{s.id}] {s.text}" for s in material.sources)
        return self.window.tokens(told) + _TOKENS_A_WORD * material.words

    async def _sections(
        self,
        materials: Sequence[Material],
        before: Mapping[str, Section],
        advice: Sequence[str],
    ) -> Mapping[str, Section]:
        """Ask once, tell the author of its faults once, then leave out what is at fault."""
        tries: list[Mapping[str, Vetted]] = []

        def check(drafts: Drafts) -> None:
            given = {d.id: d for d in drafts.sections}
            tries.append(
                {m.id: vet(given[m.id], m, self.ledger) for m in materials if m.id in given}
            )
            faults = [f"{k}: {v.complaint}" for k, v in tries[-1].items() if v.faults]
            missing = [m.id for m in materials if m.id not in given]
            faults += [f"the sections {', '.join(missing)} are missing"] if missing else []
            if faults:
                raise ValueError("; ".join(faults))

        try:
            await self.model.ask(self._question(materials, before, advice), Drafts, check=check)
        except TaskError as failed:
            if not tries and len(materials) > 1:  # one that fails spoils no other
                alone = [await self._sections([m], before, advice) for m in materials]
                return {key: section for found in alone for key, section in found.items()}
            if not tries:
                return {materials[0].id: Section(model=self.model.name, reason=str(failed))}
        return {m.id: self._section(_best(m.id, tries)) for m in materials}

    def _section(self, vetted: Vetted | None) -> Section:
        if vetted is None:
            return Section(model=self.model.name, reason="the model left it out")
        return Section(
            text=vetted.text,
            model=self.model.name,
            removed=dict(Counter(f.what for f in vetted.faults)),
            left_out=tuple(f.named for f in vetted.faults),
            reason="" if vetted.kept else vetted.complaint,
        )

    def _question(
        self,
        materials: Sequence[Material],
        before: Mapping[str, Section],
        advice: Sequence[str],
    ) -> Question:
        tongue = materials[0].language
        told = "\n".join((*(s.text for m in materials for s in m.sources), *advice))
        filled = prompt(
            "section",
            {
                "language": "the brief's language" if tongue == UNKNOWN else tongue.capitalize(),
                "mark": delimiter(self.seed, told),
                "sections": materials,
                "before": {k: s.text for k, s in before.items() if s.text},
                "advice": advice,
            },
        )
        purpose = "revise" if advice else "write"
        return Question(purpose=purpose, system=filled.system, user=filled.user)


def _best(key: str, tries: Sequence[Mapping[str, Vetted]]) -> Vetted | None:
    """Return the last try at a section of which anything stands; else the last."""
    found = [t[key] for t in tries if key in t]
    return next((v for v in reversed(found) if v.kept), found[-1] if found else None)
