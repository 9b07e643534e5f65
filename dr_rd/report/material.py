"""What a section may be written from: pieces of one run, each under the id that is cited for it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.graph.state import Answer, GraphState, GraphTask, ToolResult
from core.pluralize import pluralize
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.checks import Kind, Ledger
from dr_rd.evidence.corpus import Corpus
from dr_rd.files import read_yaml
from dr_rd.language import language
from dr_rd.planning.design import Design
from dr_rd.planning.directions import Direction
from dr_rd.planning.expertise import Expertise, Objection
from dr_rd.report.calls import Results, results
from dr_rd.templates import stop
from dr_rd.tools import Registry, ToolSpec
from dr_rd.tools.spec import ResultKind, Section

_LONGEST = 2000
"""Characters of one piece: what stands further down in it is not told."""


class Source(Frozen):
    """One piece."""

    id: str
    """A ledger item, direction, task, call, passage, assumption or risk; "brief" or "plan"."""
    text: str


class Material(Frozen):
    """All that one section may rest on."""

    id: str
    """Such as "summary", or "phase-analysis"."""
    ask: str
    """What the section is to say."""
    words: int
    """How many it has."""
    language: str
    """The language it is to be written in, such as "german"; "unknown" where nobody can tell."""
    sources: tuple[Source, ...]

    @property
    def ids(self) -> frozenset[str]:
        """What may be cited."""
        return frozenset(s.id for s in self.sources)

    def texts(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return the texts of the pieces with those *ids*."""
        wanted = {*ids}
        return tuple(s.text for s in self.sources if s.id in wanted)


@dataclass(frozen=True, slots=True)
class Run:
    """What sections are written about."""

    brief: Brief
    ledger: Ledger
    design: Design
    corpus: Corpus
    state: GraphState
    reasons: tuple[str, ...]
    """Why the method was chosen, and what came second."""
    tools: Registry

    @property
    def results(self) -> Results:
        """What the tools gave."""
        return results(self.state.answers.values(), self.tools, self.design)


_Pieces = Iterator[tuple[str, str]]


def materials(run: Run) -> tuple[Material, ...]:
    """Return the material of every section that a model may write, in the proposal's order."""
    asked: Mapping[str, Mapping[str, Any]] = read_yaml("report", "sections.yaml")
    answers = run.state.answers
    pieces = {
        "summary": (
            *_brief(run),
            *_decision_pieces(run),
            *_calls(run, _summed),
            *_top_risks(run),
            *_findings(run),
        ),
        "approach": (*_brief(run), *_method(run), *_directions(run), *_calls(run, _deciding)),
        **{
            f"phase-{name}": (*_phase(run, tasks),)
            for name, tasks in phases(run.state)
            if any(t.id in answers and answers[t.id].usable for t in tasks)
        },
        "risks": (*_risks(run), *_calls(run, _risky)),
    }
    tongue = language(run.brief.words)
    return tuple(
        Material(
            id=name,
            language=tongue,
            sources=_merged_sources(found),
            **asked["phase" if name.startswith("phase-") else name],
        )
        for name, found in pieces.items()
        if found
    )


_SUMMED: frozenset[ResultKind] = frozenset(("schedule", "budget", "contingency"))
_DECIDING: frozenset[Section] = frozenset(("design", "alternatives"))
_RISKY: frozenset[Section] = frozenset(("risks", "gates"))


def _summed(spec: ToolSpec) -> bool:
    return spec.plan.gives in _SUMMED


def _deciding(spec: ToolSpec) -> bool:
    return spec.plan.section in _DECIDING


def _risky(spec: ToolSpec) -> bool:
    return spec.plan.section in _RISKY


def phases(state: GraphState) -> tuple[tuple[str, tuple[GraphTask, ...]], ...]:
    """Return the parts of the work with their tasks, in the order in which they begin."""
    found: dict[str, list[GraphTask]] = {}
    for task in state.tasks:
        found.setdefault(task.phase or "work", []).append(task)
    return tuple((name, tuple(tasks)) for name, tasks in found.items())


def _brief(run: Run) -> _Pieces:
    yield "brief", run.brief.objective
    yield from ((i.id, _ASKED[i.kind].format(i.text)) for i in run.ledger.items)


_ASKED: Mapping[Kind, str] = {
    "constraint": "{}",
    "criterion": "The work succeeds when this holds: {}",
    "ban": "The brief rules out: {}",
}
"""What an item of the ledger asks, without the name of its kind, which is none of a reader's words."""


def _decision_pieces(run: Run) -> _Pieces:
    design = run.design
    yield "plan", f"{stop(design.method_title)} {stop(design.method_summary)}"
    yield "plan", f"The plan has {pluralize(len(run.state.tasks), 'task')}."
    yield from (_direction(d) for d in design.directions if d.id == design.chosen)


def _method(run: Run) -> _Pieces:
    design = run.design
    yield "plan", f"{stop(design.method_title)} {stop(design.method_summary)}"
    yield from (("plan", text) for text in run.reasons if text)
    yield from (("plan", f"{k.replace('_', ' ')}: {v}") for k, v in design.demands.items())
    yield from (("plan", text) for text in (*design.strengths, *design.weaknesses))


def _directions(run: Run) -> _Pieces:
    for option in run.design.directions:
        yield _direction(option)
        if option.id == run.design.chosen and not option.excluded:
            yield option.id, "This direction is recommended and planned."
        yield from ((option.id, f"For it: {text}") for text in option.strengths)
        yield from ((option.id, f"Against it: {text}") for text in option.weaknesses)


def _direction(option: Direction) -> tuple[str, str]:
    """A direction's words; of one that breaks a limit, that it does."""
    if not option.excluded:
        return option.id, stop(option.text)
    broken = ", ".join(c.ledger_id for c in option.barred)
    return option.id, f"Excluded and not planned, because it breaks {broken}: {option.text}"


def _calls(run: Run, tells: Callable[[ToolSpec], bool]) -> _Pieces:
    names = {spec.name for spec in run.tools.specs if tells(spec)}
    yield from _shown(run.results, (r for r in run.results.rows if r.name in names))


def _shown(results: Results, rows: Iterable[ToolResult]) -> _Pieces:
    for result in rows:
        if result.ok and (text := results.summary(result)):
            yield result.id, text


def _top_risks(run: Run) -> _Pieces:
    yield from ((r.id or "plan", stop(r.text)) for r in run.design.risks[:1])


_FINDINGS = 6
"""Claims of one answer that a summary may rest on."""


def _findings(run: Run) -> _Pieces:
    """What models object to and found: a summary may rest on any answer."""
    whole = run.design.expertise
    yield from (("plan", f"The planner objects, unchecked: {o.text}") for o in _objections(whole))
    for task in run.state.tasks:
        answer = run.state.answers.get(task.id)
        claims = answer.claims if answer and answer.usable else ()
        own = [c for c in claims if c.source.startswith(f"{task.id}-M")]
        yield from ((task.id, f"Found, unchecked: {c.text}") for c in own[:_FINDINGS])


def _objections(expertise: Expertise | None) -> Sequence[Objection]:
    return expertise.objections if expertise else ()


def _risks(run: Run) -> _Pieces:
    for risk in run.design.risks:
        text = (
            f"{stop(risk.text)} Likelihood {risk.likelihood}, impact {risk.impact}. Early sign: "
            f"{stop(risk.sign)} Against it: {stop(risk.mitigation)} Owned by {risk.task_id}."
        )
        yield risk.id or "plan", text
    for gate in run.design.gates:
        yield gate.id, f"Gate after {gate.after}: {gate.question} Kill if: {stop(gate.kill)}"


def _phase(run: Run, tasks: Sequence[GraphTask]) -> _Pieces:
    answers = [(t, run.state.answers[t.id]) for t in tasks if t.id in run.state.answers]
    for task, answer in answers:
        yield task.id, answer.content if answer.usable else f"{stop(task.title)} No answer."
        yield from ((task.id, f"Not known: {text}") for text in answer.unknowns)
    for _, answer in answers:
        yield from _shown(run.results, answer.tool_result)
        yield from ((c.source, c.text) for c in answer.claims if _ID.fullmatch(c.source))
        yield from _quoted_pieces(answer, run.corpus)


_ID = re.compile(r"[A-DF-Z]\d+|.+-\d+")
"""A ledger item, an assumption or a call; passages speak for themselves."""


def _quoted_pieces(answer: Answer, corpus: Corpus) -> _Pieces:
    """The passages that an answer quotes or points to; not what it makes of them."""
    sources = " ".join(c.source for c in answer.claims if c.kind == "quoted")
    for key in re.findall(r"\bE\d+\b", f"{sources} {' '.join(_CITED.findall(answer.content))}"):
        if passage := corpus.passage_by_id.get(key):
            yield passage.id, passage.text


_CITED = re.compile(r"\[(E\d+[^\]\n]*)\]")


def _merged_sources(pieces: Iterable[tuple[str, str]]) -> tuple[Source, ...]:
    """Put what is told under one id together, each once."""
    found: dict[str, dict[str, None]] = {}
    for key, text in pieces:
        found.setdefault(key, {})[text.strip()] = None
    return tuple(Source(id=k, text=_clipped("\n".join(texts))) for k, texts in found.items())


def _clipped(text: str) -> str:
    """Cut between words, so that no number is cut."""
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(maxsplit=1)[0]
