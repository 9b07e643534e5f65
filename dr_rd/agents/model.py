"""The agent that asks a model: what it may see, what it may ask for, and what of it stands."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Annotated, Any

from pydantic import Field, JsonValue, ValidationError, create_model, field_validator

from core.graph.nodes import Work
from core.graph.state import Answer, Claim, GraphTask, ToolRequest, ToolResult
from core.tool_router import Tool
from core.values import Frozen
from dr_rd.agents.builtin import Added, BuiltinAgent
from dr_rd.agents.quoting import objections
from dr_rd.agents.signature import signature
from dr_rd.agents.statements import (
    MOST_CHARACTERS,
    CheckedStatement,
    Checker,
    Finding,
    Source,
    Statement,
    claims,
)
from dr_rd.language import UNKNOWN, language
from dr_rd.models.typed.ask import Model, Question, Unfinished, complaints
from dr_rd.models.typed.read import read_value
from dr_rd.models.typed.shape import shaped
from dr_rd.models.window import Window, fitted
from dr_rd.plain import plain
from dr_rd.planning.expertise import Cleaner, Expertise, Objection
from dr_rd.planning.signals import stems
from dr_rd.prompts import Prompt, delimiter, prompt

_MOST = 12
"""Steps, or findings, of one answer: what a reviewer reads."""

_REPLY_TOKENS = 2000
"""Room that is left for the reply, in tokens."""

_ASIDE = 0.06
"""Share of the window that the plan as a whole may take, and as much the assumptions."""

_CUT = "The model's reply was cut before its end: what it says here is not all it had to say."

LONGEST_RESULT = 4000
"""Characters of one tool's result, or of one answer built on, that are shown to the model."""


_LONGEST = 2000
"""Characters of a call's arguments: a small model held to a schema may find no end by itself."""


class Wish(Frozen):
    """A call that a model wants made."""

    name: str
    arguments: str = Field(default="{}", max_length=_LONGEST)
    """A JSON object, as text: no strict schema can leave its fields open."""

    @field_validator("arguments", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:  # noqa: ANN401 - whatever the model gave
        return value if isinstance(value, str) else json.dumps(value)

    @property
    def request(self) -> ToolRequest:
        """The call; raises ValueError if the arguments are no JSON object, however it is written."""
        args = read_value(self.arguments or "{}", dict)
        if not isinstance(args, dict):
            raise ValueError("its arguments are no JSON object")
        return ToolRequest(name=self.name, args=_without_nulls(args))


class Worked(Frozen):
    """What a model says of one task."""

    steps: tuple[Statement, ...] = Field(default=(), max_length=_MOST)
    findings: tuple[Finding, ...] = Field(default=(), max_length=_MOST)
    unknowns: tuple[Annotated[str, Field(max_length=MOST_CHARACTERS)], ...] = Field(
        default=(), max_length=8
    )
    expertise: Expertise | None = None

    @property
    def says(self) -> bool:
        """Whether it says anything of the task."""
        return bool(self.steps or self.findings or self.expertise)

    @property
    def wishes(self) -> tuple[Wish, ...]:
        """The calls it wants made first."""
        return ()


class Calling(Frozen):
    """The calls that a model wants made."""

    calls: tuple[Wish, ...] = Field(default=(), max_length=8)


class Working(Worked, Calling):
    """The same where tools are open to the task.

    The calls come first: a server that is held to a schema writes its fields in their order, and
    what is said before the calls are made is lost.
    """

    @property
    def wishes(self) -> tuple[Wish, ...]:
        """The calls it wants made first."""
        return self.calls


@dataclass(frozen=True, slots=True)
class CallFault:
    """Why a call that a model wants cannot be made."""

    complaint: str
    """For the model, with its own words."""
    left_out: str
    """For whoever reads the answer, with none of them."""


@dataclass(frozen=True, slots=True)
class ModelAgent:
    """Works a task as the built-in agent does, and adds what a model says that can be checked."""

    model: Model
    builtin: BuiltinAgent
    tools: Mapping[str, Tool]
    """Every tool of the run; the plan says which are open to a task."""
    window: Window
    """How much the model reads and writes at once."""
    seed: str
    """Where the delimiters around material come from; nobody who wrote it can know them."""
    theirs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What other programs say of their tools that the plan may open, as `about_theirs` gives it."""

    async def __call__(self, work: Work) -> tuple[ToolRequest, ...] | Answer:
        """Make the planned calls, then ask the model until it needs no more; then answer."""
        if planned := self.builtin.planned(work):
            return planned
        sources = self._sources(work)
        checker = self.checker(work, sources)
        try:
            reply = await self._ask_model(work, sources, checker)
        except Unfinished as cut:
            part = cut.value
            if not isinstance(part, Worked) or not part.says:
                raise
            refused = [f.left_out for wish in part.wishes if (f := self._fault(wish, work))]
            return self._answer(work, part, checker, refused, whole=False)
        judged = [(wish, self._fault(wish, work)) for wish in reply.wishes]
        if calls := tuple(self._request(wish) for wish, fault in judged if fault is None):
            return calls
        return self._answer(work, reply, checker, [f.left_out for _, f in judged if f])

    def checker(self, work: Work, sources: Mapping[str, Source]) -> Checker:
        """Return what holds the sentences of a reply against their sources and the brief."""
        said = [
            t for task in work.state.tasks for t in (task.title, task.description, *task.steps)
        ]
        topic = stems("\n".join((self.builtin.brief.words, *said)))
        ledger = self.builtin.ledger
        tasks = frozenset(task.id for task in work.state.tasks)
        return Checker(sources, ledger, f"{work.task.id}-M", self._tongue, topic, tasks)

    @property
    def _tongue(self) -> str:
        return language(self.builtin.brief.words)

    async def _ask_model(
        self, work: Work, sources: Mapping[str, Source], checker: Checker
    ) -> Worked:
        return await self.model.ask_within(
            partial(self._question, work, sources),
            _kind(tuple(self._open(work))),
            check=self._check(work, checker),
            slot=work.slot,
        )

    # --- what it is asked

    def _question(self, work: Work, sources: Mapping[str, Source], share: float) -> Question:
        """Ask with as many whole passages as the model can read beside the rest."""
        bare = self._filled_prompt(work, sources, ())
        passages, left_out = fitted(
            _of(sources, "quoted"),
            self.window,
            used=self.window.tokens(bare.system + bare.user),
            reply=_REPLY_TOKENS,
            text=lambda source: f"[{source.id}] ({source.about}) {source.text}\n",
            share=share,
        )
        asked = self._filled_prompt(work, sources, passages, len(left_out))
        return Question(
            purpose="work",
            system=asked.system,
            user=asked.user,
            task_id=work.task.id,
            attempt=work.attempt,
        )

    def _filled_prompt(
        self,
        work: Work,
        sources: Mapping[str, Source],
        passages: Sequence[Source],
        left_out: int = 0,
    ) -> Prompt:
        task, builtin, tongue = work.task, self.builtin, self._tongue
        shown = self._shown_tools(work)
        theirs = [self.theirs[name] for name in shown if name in self.theirs]
        values = {
            "role": builtin.library.role(task.role),
            "tools": [_about(self.tools[n]) for n in shown if n not in self.theirs],
            "theirs": theirs,
            "language": "the language of the project's question"
            if tongue == UNKNOWN
            else tongue.capitalize(),
            "objective": builtin.brief.objective,
            "task": task,
            "items": builtin.ledger.items,
            "plan": self._few(list(map(_line_of, work.state.tasks))),
            "assumptions": self._assumptions(work),
            "upstream": _of(sources, "answer"),
            "passages": passages,
            "left_out": left_out,
            "results": _of(sources, "computed"),
            "feedback": work.feedback,
        }
        seed = f"{self.seed}/{task.id}/{work.attempt}/{len(work.tool_result)}"
        texts = [*(s.text for s in sources.values()), *map(str, theirs)]
        mark = delimiter(seed, "\n".join(texts))
        return prompt("work", {**values, "mark": mark})

    def _assumptions(self, work: Work) -> tuple[str, ...]:
        """What the plan and the tasks before this one take for granted, as far as it has room."""
        theirs = [
            f"{key}: {claim.text}"
            for key, answer in work.state.answers.items()
            for claim in answer.claims
            if claim.kind == "assumption" and claim.source.startswith(f"{key}-M")
        ]
        return self._few([*theirs, *(a.text for a in self.builtin.design.assumptions)])

    def _few(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Return the first *lines* that fill no more than a small share of the window."""
        used = self.window.room(0, 0) * (1 - _ASIDE)
        kept, _ = fitted(lines, self.window, used=math.ceil(used), reply=0)
        return kept

    def _sources(self, work: Work) -> dict[str, Source]:
        """Everything that an answer to this task may cite, by id."""
        builtin = self.builtin
        found = [Source(i.id, "brief", i.text) for i in builtin.ledger.items]
        for key, answer in work.upstream.items():
            found.append(Source(key, "answer", answer.content[:LONGEST_RESULT]))
        for result in work.tool_result:
            if result.ok and builtin.finds_passages(result):
                found += [_passage(hit) for hit in result.output["hits"]]
            else:
                found.append(Source(result.id, "computed", builtin.shown(result)[:LONGEST_RESULT]))
        return {source.id: source for source in found}

    def _open(self, work: Work) -> list[str]:
        """The tools that the plan opens to the task, whatever anybody asks for since.

        Not those that compute from the plan: their results are there, and no figure of a model's
        own makes better ones. And each once, with as many calls as it likes: small models ask for
        the same again without end.
        """
        role = self.builtin.library.role(work.task.role)
        planned = dict.fromkeys(r.name for r in work.task.tool_request)
        may = {*role.tools, *self.theirs}
        open_to_it = [name for name in planned if name in self.tools and name in may]
        shut = {r.name for r in self._requested_results(work)}
        return [n for n in open_to_it if n not in shut and not self.tools[n].of_plan]

    def _shown_tools(self, work: Work) -> list[str]:
        """The tools that the question names."""
        return self._open(work)

    def _requested_results(self, work: Work) -> tuple[ToolResult, ...]:
        """What the calls gave that the model wanted: those after the planned ones."""
        return work.tool_result[len(self.builtin.planned(replace(work, tool_result=()))) :]

    # --- what of the reply stands

    def _check(self, work: Work, checker: Checker) -> Callable[[Worked], None]:
        told = False

        def check(reply: Worked) -> None:
            nonlocal told
            refused = [f for wish in reply.wishes if (f := self._fault(wish, work))]
            faults = [f.complaint for f in refused]
            if not reply.says and len(refused) == len(reply.wishes):
                nothing = "the reply says nothing; give steps or findings"
                raise ValueError("; ".join(faults) or nothing)
            faults += checker.faults((*reply.steps, *reply.findings), reply.unknowns)
            if faults and not told:  # what is still wrong then is left out
                told = True
                raise ValueError("; ".join(faults))

        return check

    def _request(self, wish: Wish) -> ToolRequest:
        """The call, its arguments shaped as the tool asks where that is certain: "a" for ["a"]."""
        request = wish.request
        args = shaped(dict(request.args), self.tools[wish.name].params.model_json_schema())
        if not isinstance(args, dict) or len(args) < len(request.args):
            return request  # a name that the tool does not know is refused, not dropped
        return request.model_copy(update={"args": args})

    def _fault(self, wish: Wish, work: Work) -> CallFault | None:
        """Return why a call cannot be made, or was made before; None where it can."""
        names = self._open(work)
        if wish.name not in names:
            choices = (
                f"choose from: {', '.join(names)}" if names else "no tool is open to this task"
            )
            said = f"no tool {wish.name!r} is open here; {choices}"
            return CallFault(said, "a call, because no tool of that name is open to it")
        call, why = f"a call of {wish.name!r}, because", f"the arguments of {wish.name!r}"
        try:
            request = self._request(wish)
            self.tools[wish.name].params.model_validate(dict(request.args))
        except ValidationError as wrong:
            said = f"{why} do not fit: {complaints(wrong)}"
            return CallFault(said, f"{call} its arguments do not fit")
        except (ValueError, RecursionError):
            return CallFault(
                f"{why} are no JSON object", f"{call} its arguments are no JSON object"
            )
        if any((r.name, r.args) == (request.name, request.args) for r in work.tool_result):
            said = f"this call of {wish.name!r} was made already; its result is above"
            return CallFault(said, f"{call} it was made already")
        return None

    def _answer(
        self,
        work: Work,
        reply: Worked,
        checker: Checker,
        refused: Sequence[str] = (),
        *,
        whole: bool = True,
    ) -> Answer:
        before = [*work.task.steps, *(a.content for a in work.upstream.values())]
        said = {_bare(s) for text in before for s in re.split(r"(?<=[.!?])\s|\n", text)}
        steps, findings = (
            [s for s in them if _bare(plain(s.text)) not in said]
            for them in (reply.steps, reply.findings)
        )
        done, found, unknowns, removed = checker.checked(steps, findings, reply.unknowns)
        added = Added(
            by=self.model.name,
            steps=done,
            findings=found,
            unknowns=(*unknowns, *([] if whole else [_CUT])),
            left_out=tuple(removed.left_out),
        )
        answer = self.builtin.answer(work, added)
        known, gone = self._expertise(reply.expertise, checker)
        rows = [_row(s) for s in found if s.confidence or s.would_change]
        objections = _assumed(known.objections, checker.prefix)
        more = (*claims((*done, *found), checker.sources), *objections)
        expertise: dict[str, JsonValue] = {
            **({"knows": known.model_dump(mode="json")} if known != Expertise() else {}),
            **({"findings": rows} if rows else {}),
        }
        return answer.model_copy(
            update={
                "claims": (*answer.claims, *more),
                "removed": removed.citations,
                "left_out": (*removed.named, *gone, *refused),
                "expertise": {"by": self.model.name, **expertise} if expertise else {},
            }
        )

    def _expertise(
        self, written: Expertise | None, checker: Checker
    ) -> tuple[Expertise, Sequence[str]]:
        """Return what a model knows as it may stand, and what was taken out."""
        known = "\n".join(s.text for s in checker.sources.values())
        cleaner = Cleaner(checker.breach, known)
        return cleaner.expertise(written), cleaner.left_out


def _row(finding: CheckedStatement) -> JsonValue:
    """A finding as a row: the claim, what it rests on, how surely, and what would change it."""
    rests = ", ".join(finding.sources) or finding.fault or "what the model knows; unchecked"
    return {
        "text": finding.text,
        "rests": rests,
        "confidence": finding.confidence,
        "would_change": finding.would_change,
    }


def _assumed(objections: Sequence[Objection], prefix: str) -> tuple[Claim, ...]:
    """Return objections as claims that nobody has checked."""
    return tuple(
        Claim(kind="assumption", text=it.text, source=f"{prefix}-objection-{n}")
        for n, it in enumerate(objections, 1)
    )


def _without_nulls(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Leave out the arguments that are null: so models write that they leave one out."""
    if isinstance(value, dict):
        return {name: _without_nulls(held) for name, held in value.items() if held is not None}
    return [_without_nulls(held) for held in value] if isinstance(value, list) else value


@lru_cache(maxsize=64)
def _kind(tools: tuple[str, ...]) -> type[Worked]:
    """Return what a reply must be; a server that is held to a schema can name no other tool."""
    if not tools:
        return Worked
    name = Annotated[str, Field(json_schema_extra={"enum": list(tools)})]
    wish = create_model("Wish", __base__=Wish, name=(name, ...))
    calls = (tuple[wish, ...], Field(default=(), max_length=8))
    return create_model("Working", __base__=Working, calls=calls)


def _of(sources: Mapping[str, Source], kind: str) -> list[Source]:
    return [s for s in sources.values() if s.kind == kind]


def _passage(hit: Mapping[str, Any]) -> Source:
    where: Sequence[str] = [str(hit[k]) for k in ("document", "place") if hit[k]]
    note = [] if hit["status"] == "live" else [str(hit["status"])]
    note += [o] if (o := objections(str(hit["text"]), hit)) else []
    about = ", ".join((*where, *note))
    return Source(str(hit["id"]), "quoted", str(hit["text"]), about, hit["status"])


def _line_of(task: GraphTask) -> str:
    after = f", after {', '.join(task.depends_on)}" if task.depends_on else ""
    return f"{task.id} {task.title} ({task.role}{after}): {task.deliverable}"


def _about(tool: Tool) -> dict[str, str]:
    arguments = signature(tool.params.model_json_schema())
    return {"name": tool.name, "about": tool.description, "arguments": arguments}


def about_theirs(name: str, about: str, arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return what a model is told of another program's tool, whatever its schema is worth."""
    try:
        told = signature(arguments)
    except (TypeError, ValueError, LookupError, AttributeError, RecursionError):
        told = "any"
    return {"name": name, "about": about, "arguments": told}


def _bare(sentence: str) -> str:
    """The words of a sentence without its number in a list and its sources."""
    said = re.sub(r"^\s*\d+\.\s|\[[^\]]*\]|\(assumed, [^)]*\)", "", sentence)
    return " ".join(re.findall(r"\w+", said)).casefold()
