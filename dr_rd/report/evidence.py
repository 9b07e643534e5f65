"""What a proposal tells of its documents: what is cited, what differs, what is borne out."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.graph.state import Answer, GraphState
from core.pluralize import noun, pluralize
from dr_rd.brief import Brief
from dr_rd.evaluation.claims import Judged, claims_of, judge_claims, tally, unborne
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.agreement import Conflict, same_quantity
from dr_rd.evidence.apart import Apart, kept_apart
from dr_rd.evidence.corpus import Corpus, Passage
from dr_rd.planning.design import Design
from dr_rd.report.answers import assumed, in_order
from dr_rd.report.calls import Results
from dr_rd.templates import clipped, quoted

_PLAIN = str.maketrans("“”", "‘’")
"""A heading is quoted: its own quotation marks become inner ones."""

_APART = 8
"""Pairs of values that were not compared, which are named."""


def evidence(
    brief: Brief, design: Design, corpus: Corpus, state: GraphState, results: Results
) -> dict[str, Any]:
    """Return the values of the template that tell the evidence."""
    claims = _judged_claims(brief, design, corpus, state, results)
    conflicts = same_quantity(corpus)
    return {
        "corpus": corpus,
        "evidence": results.parts("evidence"),
        "cited": _cited_passages(state.answers.values(), corpus),
        "claims": tally(claims),
        "unborne": unborne(claims),
        "conflicts": [_conflict(c, corpus) for c in conflicts],
        "differing": _differing(conflicts),
        "apart": [_apart(a, corpus) for a in kept_apart(corpus)[:_APART]],
    }


def evidence_row(values: Mapping[str, Any]) -> str:
    """Say on the first page what documents bear out, and apart from it what only repeats the plan.

    *values* are those that `evidence` returns. That a statement of the library repeats the brief or a
    calculation is no support by a document.
    """
    claims, corpus = values["claims"], values["corpus"]
    good, of = claims.kinds.get("quoted", (0, 0))
    if corpus.documents:
        used = len(values["cited"])
        said = f"{pluralize(used, 'passage')} of {pluralize(len(corpus.documents), 'document')} {noun(used, 'is', 'are')} used [plan].{values['differing']}"
    else:
        said = "No documents were given: no statement here rests on one."
    if of:
        borne = noun(of, "is supported by what it cites", "are supported by what they cite")
        said += f" {good} of {pluralize(of, 'claim')} {borne} [plan]"
        said += "; Evidence names those that are not borne out." if values["unborne"] else "."
    if own := claims.checked - of:
        said += f" {pluralize(own, 'statement')} {noun(own, 'repeats', 'repeat')} the brief or a calculation"
        wrong = own - (claims.supported - good)
        said += f", {wrong} of them wrongly [plan]." if wrong else " and nothing else [plan]."
    if claims.assumptions:
        said += f" {pluralize(claims.assumptions, 'assumption')} {noun(claims.assumptions, 'was', 'were')} checked by nobody [plan]."
    return said


def _judged_claims(
    brief: Brief, design: Design, corpus: Corpus, state: GraphState, results: Results
) -> tuple[Judged, ...]:
    """The claims of all answers, held against what they cite."""
    subject = Subject(
        text="",
        brief=brief,
        corpus=corpus,
        computed=dict(results.outputs()),
        assumed=(
            *(a.text for a in design.assumptions),
            *(claim.text for _, claim in assumed(state)),
        ),
    )
    return judge_claims(claims_of(a for _, a in in_order(state)), subject)


def _cited_passages(answers: Iterable[Answer], corpus: Corpus) -> list[dict[str, str]]:
    """The passages that answers quote or point to, with the tasks that do; none is repeated."""
    using: dict[str, list[str]] = {}
    for answer in answers:
        named = [c.source for c in answer.claims if c.kind == "quoted"]
        for key in dict.fromkeys([*named, *re.findall(r"\[(E\d+)\b", answer.content)]):
            using.setdefault(key, []).append(answer.task_id)
    return [
        {"id": p.id, "tasks": ", ".join(sorted(set(using[p.id]))), **_place(p, corpus)}
        for p in corpus.passages
        if p.id in using
    ]


def _place(passage: Passage, corpus: Corpus) -> dict[str, str]:
    """Where a passage stands, and what is to be noted of its document."""
    document = corpus.document_of(passage)
    titles = " › ".join(passage.heading).translate(_PLAIN)
    where = f"page {passage.page}" if passage.page else titles and f"“{titles}”"
    return {
        "place": ", ".join(x for x in (quoted(document.path), where) if x),
        "note": f" ({status})" if (status := corpus.status_of(passage)) != "live" else "",
    }


def _conflict(conflict: Conflict, corpus: Corpus) -> str:
    said = [
        f"{end.value} in {corpus.document_of(end.passage).path} [{end.passage.id}]"
        for end in (conflict.current, conflict.superseded)
    ]
    label = conflict.label.rstrip(". ")
    if conflict.decided:
        return f"“{label}”: {said[0]} holds; {said[1]} is superseded, because {conflict.reason}."
    return f"“{label}”: {said[0]} and {said[1]} conflict, because {conflict.reason}; a person must choose."


def _apart(found: Apart, corpus: Corpus) -> str:
    """Say that two values were not held against each other, and why."""
    ends = (found.first, found.second)
    said = [
        f"“{clipped(e.value)}” in {corpus.document_of(e.passage).path} [{e.passage.id}]"
        for e in ends
    ]
    why = "under different conditions"
    if found.names:
        why = f"for {' and '.join(found.names)}, which are not the same"
    return f"{said[0]} and {said[1]} stand {why}, and were not compared."


def _differing(conflicts: Sequence[Conflict]) -> str:
    """How many values of the documents do not hold, or may not; "" where all agree."""
    old = sum(c.decided for c in conflicts)
    open_ = len(conflicts) - old
    said = [f"{old} older {'value is' if old == 1 else 'values are'} superseded"] if old else []
    said += [f"{open_} {'value is' if open_ == 1 else 'values are'} in conflict"] if open_ else []
    return f" {' and '.join(said)} [plan]; Evidence names them." if said else ""
