"""Models in two stages, where the run has an endpoint: code checks what they write and takes it or not."""

import re
from collections.abc import Sequence

from core.errors import TaskError
from core.values import Frozen
from dr_rd.models.typed.ask import Question
from dr_rd.modes.delivery.bench import Bench
from dr_rd.modes.delivery.dossier import DecisionRecord, Dossier, Requirement, Test
from dr_rd.modes.delivery.wording import data, repeats, stems

_NUMBER = re.compile(r"(?<![\w.-])\d+(?:[.,]\d+)*")
_FEWEST = 2


class Written(Frozen):
    """A test that a model wrote."""

    requirement: str
    given: str
    when: str
    then: str

    @property
    def text(self) -> str:
        """The test as a sentence."""
        return f"Given {self.given}, when {self.when}, then {self.then}."


class Tests(Frozen):
    """The tests that a model wrote."""

    tests: tuple[Written, ...]


class Argued(Frozen):
    """An option that a model chose, and why."""

    record: str
    option: str
    because: str


class Decisions(Frozen):
    """The choices that a model made."""

    decisions: tuple[Argued, ...]


async def written_tests(
    bench: Bench, dossier: Dossier, number: int
) -> tuple[Dossier, tuple[str, ...]]:
    """Return the dossier with a model's tests where they are sharper than a template's, and marks."""
    wanted = [t for t in dossier.tests if t.source == "template"]
    models = bench.material.models
    if models is None or not models.does("work") or not wanted or number == 0:
        return dossier, ()
    needs = [dossier.requirement(t.requirement) for t in wanted]
    prompts = data("prompts.yaml")
    asked = "\n".join(
        f"{r.id} ({r.form}): {r.text} [{t.text}]" for r, t in zip(needs, wanted, strict=True)
    )
    question = Question(
        purpose="work", system=prompts["tests"], user=asked, task_id="dev", attempt=number
    )
    try:
        found = await models.model("work").ask(question, Tests)
    except TaskError as failure:
        return dossier, (f"model failed: {failure}",)
    by_id = {t.requirement: t for t in wanted}
    taken, refused = list[Test](), list[str]()
    for written in found.tests:
        test = by_id.get(written.requirement)
        why = (
            _fault(dossier.requirement(test.requirement), test, written)
            if test
            else "no such requirement"
        )
        if test is None or why:
            refused.append(f"refused {written.requirement[:20]}: {why}")
        else:
            taken.append(test.model_copy(update={"text": written.text, "source": "model"}))
    return dossier.with_tests(taken), tuple(refused)


def _fault(needed: Requirement, template: Test, written: Written) -> str:
    """Return why a model's test is not taken; "" where it is."""
    text = written.text
    known = set(_NUMBER.findall(f"{needed.text} {template.text}"))
    if strange := [n for n in _NUMBER.findall(text) if n not in known]:
        return f"the figure {strange[0]} stands nowhere in the plan"
    if repeats(f"{written.when} {written.then}", needed.text):
        return "it adds nothing to the limit"
    if len(stems(text) & stems(needed.text)) < _FEWEST:
        return "it is about something else"
    return ""


async def decided(
    bench: Bench, records: Sequence[DecisionRecord]
) -> tuple[tuple[DecisionRecord, ...], tuple[str, ...]]:
    """Return the records with a model's choice where figures decide nothing, and marks."""
    models, still = bench.material.models, [r for r in records if not r.decision]
    if models is None or not models.does("work") or not still:
        return tuple(records), ()
    asked = "\n".join(
        f"{r.id}: {r.title} Options: {'; '.join(f'{o.id} = {o.text}' for o in r.options)}. {r.context}"
        for r in still
    )
    question = Question(
        purpose="work", system=data("prompts.yaml")["decisions"], user=asked, task_id="architect"
    )
    try:
        found = await models.model("work").ask(question, Decisions)
    except TaskError as failure:
        return tuple(records), (f"model failed: {failure}",)
    chosen = {d.record: d for d in found.decisions}
    marks = tuple(
        f"refused {name[:20]}: no such record" for name in chosen.keys() - {r.id for r in still}
    )
    made = []
    for record in records:
        argued = chosen.get(record.id)
        if argued and not record.decision and argued.option in {o.id for o in record.options}:
            update = {"decision": argued.option, "because": argued.because, "by_model": True}
            record = record.model_copy(update=update)
        elif argued and not record.decision:
            marks = (*marks, f"refused {record.id}: {argued.option[:20]!r} is no option of it")
        made.append(record)
    return tuple(made), marks
