"""The table of a run: it seats the panellists, lets them speak, and computes what they propose."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from anyio.lowlevel import checkpoint
from pydantic import JsonValue

from core.errors import TaskError
from core.graph.state import ToolRequest
from core.kit import Kit
from core.modes.panel import FAILED, SILENT, PanelState, Speech
from core.questions import Question
from dr_rd.models.served.run import RunModels
from dr_rd.modes.panel.board import Amendment, Ask, Board, Claimed, Effect, Plan
from dr_rd.modes.panel.cautions import cautioned, load_cautions, worded
from dr_rd.modes.panel.figures import Desk
from dr_rd.modes.panel.floor import Finding, Floor, Rule, Wording, load_words
from dr_rd.modes.panel.result import ACCEPT, DECLINE, amended_plan, render, result_of
from dr_rd.modes.panel.scenario import Scenario, SeatSpec, seated
from dr_rd.modes.panel.seats import RULES
from dr_rd.modes.panel.speaking import model_turn
from dr_rd.modes.spec import Material

_MOST = 4
"""Findings of one turn: a seat that says more is not heard."""

_SIZED, _COSTED = "sample_size", "schedule_risk"


@dataclass(frozen=True)
class Table:
    """What is said at the table of one run."""

    material: Material
    kit: Kit
    scenario: Scenario

    @cached_property
    def seats(self) -> Mapping[str, SeatSpec]:
        """The seats by id, the lead first, in the order in which they speak."""
        return {seat.id: seat for seat in seated(self.scenario, self.material)}

    @cached_property
    def desk(self) -> Desk:
        """Computes plans."""
        return Desk(self.material)

    @cached_property
    def words(self) -> Mapping[str, Wording]:
        """What is said where a rule holds."""
        own = {k: v for seat in self.seats.values() for k, v in worded(seat.cautions).items()}
        return {**load_words(), **worded(c for seat in RULES for c in load_cautions(seat)), **own}

    def opening(self) -> PanelState:
        """Return the table before anybody has spoken; with a panel to build on, after it."""
        scenario, person = self.scenario, self.scenario.person
        topic = scenario.title or self.material.brief.objective
        return PanelState(
            topic=" ".join(topic.split()),
            turn_queue=tuple(self.seats),
            labels={seat.id: seat.label for seat in self.seats.values()},
            rounds=scenario.rounds,
            human_active=bool(person.seat),
            controlled_character=person.seat,
            person=person.name,
            ask_seat=person.ask,
            board=Board().model_dump(mode="json"),
        )

    # --- turns

    async def speak(self, seat: str, state: PanelState) -> Speech:
        """Say what a seat finds in the plan; raises TaskError if its model cannot."""
        spec, board = self.seats[seat], board_of(state)
        if spec.lines:
            await checkpoint()
            return self._line(spec, state)
        known = spec.rules or spec.id
        own = load_cautions(known) if known in RULES else ()
        rules = (*RULES.get(known, ()), *cautioned((*own, *spec.cautions)))
        found = self._found(spec, rules, board)
        await self._recorded(spec, state, board, found.board)
        said = " ".join(found.said)
        models = self.material.models
        if models and models.does("work") and spec.id != state.lead:
            return await self._by_model(spec, state, found.board, said, models)
        if not said:
            silent = f"(silent: {spec.silent})"
            return Speech(text=silent, marks=(SILENT,), board=_plain(found.board))
        return Speech(text=said, board=_plain(found.board))

    async def _by_model(
        self, spec: SeatSpec, state: PanelState, board: Board, computed: str, models: RunModels
    ) -> Speech:
        """Let a model speak with what the rules found; if it cannot, they are heard and it is marked."""
        try:
            text, board = await model_turn(self, spec, state, board, models, computed)
        except TaskError as failure:
            text = f"{computed} (the model of this seat gave no turn: {failure})".strip()
            return Speech(text=text, marks=(FAILED,), board=_plain(board))
        return Speech(text=text, board=_plain(board))

    def _line(self, spec: SeatSpec, state: PanelState) -> Speech:
        said = state.ground_truth_log.messages
        line = self.kit.chance(f"{state.round}/{spec.id}").choice(spec.lines)
        last = said[-1] if said else None
        return Speech(
            text=line.format(
                topic=state.topic,
                round=state.round,
                last=last.text if last else state.topic,
                before=state.called(last.author) if last else "nobody",
            )
        )

    def _found(self, spec: SeatSpec, rules: Sequence[Rule], board: Board) -> "_Turn":
        turn = _Turn(board, ())
        for rule in rules:
            at = self.floor(turn.board)
            for finding in rule(at):
                if len(turn.said) < _MOST and not _said_before(turn.board, finding.name):
                    turn = self._with(finding, spec, turn)
        return turn

    def _with(self, finding: Finding, spec: SeatSpec, turn: "_Turn") -> "_Turn":
        words = self.words[finding.rule]
        facts = {**finding.facts, "other": self._called(finding)}
        named = (*turn.board.named.get(spec.id, ()), finding.name)
        update: dict[str, Any] = {"named": {**turn.board.named, spec.id: named}}
        if finding.about:
            update["claimed"] = _answered(turn.board.claimed, finding.about, spec.id)
        if finding.changes:
            board = turn.board
            if finding.replaces:
                board = replaced(board, finding.replaces, f"M{len(board.amendments) + 1}")
            update["amendments"] = self.proposed(
                board,
                by=spec.id,
                rule=finding.rule,
                title=words.title.format(**facts),
                reason=words.reason.format(**facts),
                changes=finding.changes,
                rests_on=tuple(r for r in finding.rests_on if r),
                answers=finding.answers,
            ).amendments
        if words.ask:
            ask = Ask(by=spec.id, text=words.ask.format(**facts), does=words.does.format(**facts))
            update["asks"] = (*turn.board.asks, ask)
        said = words.say.format(**facts)
        return _Turn(
            turn.board.model_copy(update=update), (*turn.said, f"{said[:1].upper()}{said[1:]}")
        )

    def _called(self, finding: Finding) -> str:
        other = next(iter(finding.answers), "")
        return self.seats[other].label if other in self.seats else ""

    def floor(self, board: Board) -> Floor:
        """Return what a seat has before it."""
        labels = {seat.id: seat.label for seat in self.seats.values()}
        return Floor(self.desk, board, self.plan(board), self.words, labels)

    def plan(self, board: Board) -> Plan:
        """Return the plan with every amendment that stands."""
        return amended_plan(self.desk.at_start(), board.standing)

    def proposed(self, board: Board, **given: Any) -> Board:  # noqa: ANN401 - an amendment's fields
        """Return the board with one more amendment, its effect computed on top of the others."""
        before = self.plan(board)
        after = before.changed(given["changes"])
        effect = self.desk.effect(before, after, self.why_null(before))
        one = Amendment(
            id=f"M{len(board.amendments) + 1}",
            on_top_of=tuple(a.id for a in board.standing),
            effect=effect,
            **given,
        )
        return board.model_copy(update={"amendments": (*board.amendments, one)})

    def why_null(self, plan: Plan) -> str:
        """Say why a plan has no detectable effect; "" where it has one."""
        if not plan.sizing:
            return "the plan sizes nothing"
        if str(plan.sizing.get("design", "")).endswith("precision"):
            return "the plan sizes a precision, not an effect"
        if not (plan.sizing.get("given") or plan.sizing.get("clusters")):
            return "the plan names no number of units"
        if groups := self.desk.counted_groups:
            return f"the plan counts {groups}, and nobody has said how many each of them holds"
        if words := self.desk.unlike(str(plan.sizing.get("design"))):
            return f"the brief speaks of “{words.lower()}”, and the plan's calculation is of something else"
        return "" if self.desk.detectable(plan) is not None else "no effect is within reach"

    async def _recorded(
        self, spec: SeatSpec, state: PanelState, before: Board, after: Board
    ) -> None:
        """Have the tools compute on record what the turn's amendments change."""
        plan, earlier = self.plan(after), self.plan(before)
        if plan == earlier:
            return
        calls: list[ToolRequest] = []
        if plan.sizing != earlier.sizing:
            calls.append(ToolRequest(name=_SIZED, args=dict(plan.sizing)))
        if _estimates(plan) != _estimates(earlier):
            calls.append(ToolRequest(name=_COSTED, args=self.desk.schedule_arguments(plan)))
        for request in calls:
            await self.kit.toolbox.call(
                request, task_id=f"{spec.id}-{state.round}", role=spec.role, planned=None
            )

    # --- people

    async def heard(self, seat: str, words: str, by: str, state: PanelState) -> Speech:
        """Keep a person's words as an assumption under the person's name; they are no amendment."""
        await checkpoint()
        board = board_of(state)
        claimed = Claimed(id=f"P{len(board.claimed) + 1}", seat=seat, by=by, text=words)
        update = {"claimed": (*board.claimed, claimed)}
        return Speech(text=words, board=_plain(board.model_copy(update=update)))

    def shown(self, seat: str, state: PanelState) -> Mapping[str, JsonValue]:
        """Return what the seat holds the plan against, and what is proposed so far."""
        found = {f"{a.id}": f"{a.title} ({a.by})" for a in board_of(state).standing}
        holds = self.seats[seat].holds
        return {**({"holds the plan against": holds} if holds else {}), **found}

    # --- the end of a round

    async def settle(self, state: PanelState) -> JsonValue:
        """Say of each amendment who is for and against it, by the floors of the seats."""
        await checkpoint()
        board = board_of(state)
        if not board.amendments:
            return state.board
        return _plain(self.settled(board))

    def settled(self, board: Board) -> Board:
        """Return the board with effects computed anew in order, and every seat's word on each."""
        plan, done = self.desk.at_start(), list[Amendment]()
        for one in board.amendments:
            if one.status not in ("proposed", "accepted"):
                done.append(one)
                continue
            after = plan.changed(one.changes)
            effect = self.desk.effect(plan, after, self.why_null(plan))
            update = {
                "effect": effect,
                "on_top_of": tuple(a.id for a in done if a.status in ("proposed", "accepted")),
                "support": tuple(self._for(one, effect)),
                "oppose": tuple(self._against(one, effect)),
            }
            done.append(one.model_copy(update=update))
            plan = after
        return board.model_copy(update={"amendments": tuple(done)})

    def _for(self, one: Amendment, effect: Effect) -> Iterator[str]:
        """Name the seats whose own measure an amendment betters, and whoever it answers kindly."""
        better = {
            "statistician": _less(effect.detectable) or _more(effect.held),
            "finance": _less(effect.joint),
            "operations": _less(effect.days),
            "sceptic": any(".stop_rules" in c.path for c in one.changes),
        }
        for seat in self.seats:
            if seat == one.by or better.get(self.seats[seat].rules or seat):
                yield seat

    def _against(self, one: Amendment, effect: Effect) -> Iterator[str]:
        """Name the seats whose floor an amendment breaks."""
        limit = self.desk.limit
        deadline = self.material.design.deadline_days
        time = effect.days if effect.least.after is None else effect.least  # a guess breaks none
        broken = {
            "statistician": _more(effect.detectable),
            "finance": bool(
                limit and effect.joint.after and effect.joint.after > limit
                and (effect.joint.before or 0) <= limit
            ),
            "operations": bool(
                deadline and (time.after or 0) > deadline >= (time.before or 0)
            ),
        }  # fmt: skip
        breaks = any(now == "violated" for _, now in effect.ledger.values())
        for seat in self.seats:
            if seat != one.by and (breaks or broken.get(self.seats[seat].rules or seat)):
                yield seat

    # --- the end of the run

    def offers(self, state: PanelState) -> Sequence[Question]:
        """Return a question for each amendment that stands."""
        return [
            Question(
                id=f"take-{one.id.lower()}",
                kind="vote",
                text=f"{one.id}, by {state.called(one.by)}: {one.title}?",
                answer_schema={"enum": [ACCEPT, DECLINE]},
                context={"reason": one.reason, **_shown_changes(one)},
            )
            for one in board_of(state).standing
        ]

    async def result(
        self, state: PanelState, answers: Mapping[str, JsonValue]
    ) -> tuple[str, Mapping[str, JsonValue]]:
        """Write what the table came to."""
        await checkpoint()
        board = board_of(state)
        if answers:
            board = self.settled(decided(board, answers))
        found = result_of(
            state, board, self.scenario, None if self.scenario.scripted else self.desk
        )
        return render(found), found.model_dump(mode="json")


@dataclass(frozen=True, slots=True)
class _Turn:
    board: Board
    said: tuple[str, ...]


def board_of(state: PanelState) -> Board:
    """Return what lies on the table."""
    return Board.model_validate(state.board or {})


def _plain(board: Board) -> JsonValue:
    plain: JsonValue = board.model_dump(mode="json")
    return plain


def _answered(claimed: Sequence[Claimed], claim_id: str, seat: str) -> tuple[Claimed, ...]:
    """Return what people said, with one more seat that answered one of it."""
    return tuple(
        c.model_copy(update={"answered_by": (*c.answered_by, seat)})
        if c.id == claim_id and seat not in c.answered_by
        else c
        for c in claimed
    )


def _said_before(board: Board, rule: str) -> bool:
    return any(rule in rules for rules in board.named.values())


def replaced(board: Board, one_id: str, by: str) -> Board:
    """Return the board with an amendment replaced by another; both stay on it."""
    amendments = tuple(
        a.model_copy(update={"status": "replaced", "replaced_by": by}) if a.id == one_id else a
        for a in board.amendments
    )
    return board.model_copy(update={"amendments": amendments})


def decided(board: Board, answers: Mapping[str, JsonValue]) -> Board:
    """Return the board with what a person decided; what rests on one that is declined falls with it."""
    status = {ACCEPT: "accepted", DECLINE: "declined"}

    def one(found: Amendment) -> Amendment:
        answer = answers.get(f"take-{found.id.lower()}")
        known = status.get(str(answer))
        return found.model_copy(update={"status": known}) if known else found

    done = list[Amendment]()
    gone = set[str]()
    for found in map(one, board.amendments):
        falls = found.status == "accepted" and gone & set(found.rests_on)
        done.append(found.model_copy(update={"status": "declined"}) if falls else found)
        gone |= {done[-1].id} if done[-1].status == "declined" else set()
    return board.model_copy(update={"amendments": tuple(done)})


def _shown_changes(one: Amendment) -> dict[str, JsonValue]:
    return {c.path: f"{c.old if c.old is not None else '–'} → {c.new}" for c in one.changes}


def _estimates(plan: Plan) -> list[Any]:
    return [(t.id, t.duration_days, t.cost, t.depends_on) for t in plan.tasks]


def _less(pair: Any) -> bool:  # noqa: ANN401 - a pair
    return pair.before is not None and pair.after is not None and pair.after < pair.before


def _more(pair: Any) -> bool:  # noqa: ANN401 - a pair
    return pair.before is not None and pair.after is not None and pair.after > pair.before
