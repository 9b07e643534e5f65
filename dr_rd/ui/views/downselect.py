"""A down-select on the page: labels and talk while it goes on, names and ballots once it is over."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.modes.downselect.views import GameView
from core.runs import Snapshot
from core.store import RunFolder
from dr_rd.modes.downselect.result import Counted, Result, RoundResult
from dr_rd.ui import records, text
from dr_rd.ui.context import AppContext


def live(context: AppContext, snapshot: Snapshot) -> None:
    """Draw what everybody at the table sees: no role, no score, no ballot."""
    del context
    seen = snapshot.view
    if not isinstance(seen, GameView):
        st.caption("The table is being laid: options are read and held against the limits.")
        return
    st.header(f"Round {seen.round}, {seen.phase.replace('_', ' ')}", anchor=False)
    if seen.topic:
        st.write(text.plain(seen.topic))
    for option in seen.options:
        state = " (out)" if option.out else ""
        st.write(text.plain(f"{option.label}{state}: {option.text}"))
    gone = [p.label for p in seen.players if p.out]
    st.caption(
        f"{len(seen.players) - len(gone)} take part; {seen.voted} ballots of this round are in."
        + (f" Out: {', '.join(gone)}." if gone else "")
    )
    _talk([dict(said) for said in seen.chat_history])


def ended(context: AppContext, folder: RunFolder, snapshot: Snapshot) -> None:
    """Draw what it came to: the finding, what is asked, then who was who and the ballots."""
    del context, snapshot
    found = folder.read(Result, "result.json")
    st.header(text.plain(found.finding), anchor=False)
    for number, question in enumerate(found.questions, 1):
        st.write(text.plain(f"{number}. {question}"))
    if found.screened:
        st.write("Broke a hard limit before any debate:")
        records.draw(
            [
                {"Option": s.id, "Breaks": s.why, "Passes without": s.struck}
                for s in found.screened
            ],
            "Options that broke a limit",
        )
    if found.options:
        records.draw(
            [
                {
                    "Place": o.place,
                    "Label": o.label,
                    "Option": f"{o.id}: {o.text}",
                    "Borda": o.borda,
                    "Put before": ", ".join(o.beats),
                }
                for o in found.options
            ],
            "Options in their order",
        )
    st.caption(
        text.plain(
            "; ".join(
                f"{label}: {p['is']}{', a person' if p['role'] == 'human' else ''}"
                for label, p in found.players.items()
            )
        )
    )
    _firmness(found)
    for played in found.rounds:
        with st.expander(f"Round {played.round}: {text.plain(played.out)} is out"):
            _talk(played.messages)
            _ballots(played)


def _talk(messages: Sequence[Mapping[str, object]]) -> None:
    for said in messages:
        st.write(text.plain(f"{said['by']}: {said['text']}"))


def _ballots(played: RoundResult) -> None:
    records.draw(
        [
            {
                "Voter": b.voter,
                "Drops": b.drops,
                "Ranking": " > ".join(b.ranking),
                "Why": b.reason,
                "Change of mind": b.changed,
            }
            for b in played.ballots
        ],
        f"Ballots of round {played.round}",
    )


def _firmness(found: Result) -> None:
    """Show how often each set remains, in all the ways it was asked."""
    asked: list[Counted] = [
        *found.seeds,
        *(
            c.model_copy(update={"question": f"vote of {c.question} left out"})
            for c in found.votes_left_out
        ),
        *(
            c.model_copy(update={"question": f"{c.question} and its facts left out"})
            for c in found.voters_left_out
        ),
    ]
    if not asked:
        return
    st.write("How often each is kept:")
    kept = list(dict.fromkeys(name for c in asked for name in c.counts))
    records.draw(
        [
            {"Games": c.question, **{k: c.counts.get(k, 0) for k in kept}, "of": c.of}
            for c in asked
        ],
        "How often each is kept",
    )
    if found.flips:
        st.write("What would flip it:")
        records.draw(
            [{"If": f.what, "Then": f.then, "In": f"{f.times} of {f.of}"} for f in found.flips],
            "What would flip it",
        )
