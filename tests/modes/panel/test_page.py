"""What the page shows of a table."""

from core.messages import Message, MessageLog
from core.modes.panel import FAILED, PanelState
from dr_rd.ui.views import find_view
from dr_rd.ui.views.panel import seat_rows

LABELS = {"dm": "Lead", "pc1": "Finance", "pc2": "Ethics", "pc3": "Sceptic"}


def rows(**more: object) -> dict[str, tuple[str, str]]:
    said = (
        Message(author="dm", text="Go.", round=1),
        Message(author="pc1", text="", round=1, marks=(FAILED,)),
    )
    state = PanelState(
        turn_queue=tuple(LABELS),
        labels=LABELS,
        current_turn="pc1",
        ground_truth_log=MessageLog(messages=said),
    ).model_copy(update=more)
    return {row["Seat"]: (row["Held by"], row["Turn"]) for row in seat_rows(state)}


def test_the_seats_are_shown_with_the_turn_in_hand() -> None:
    assert rows() == {
        "Lead": ("its agent", "has spoken"),
        "Finance": ("its agent", "failed"),
        "Ethics": ("its agent", "has the turn"),
        "Sceptic": ("its agent", "comes later"),
    }


def test_a_seat_that_a_person_holds_waits_for_its_person() -> None:
    assert rows(human_active=True, controlled_character="pc2")["Ethics"] == (
        "a person",
        "waits for its person",
    )


def test_the_mode_has_a_view() -> None:
    view = find_view("panel")
    assert view is not None
    assert callable(view.live)
    assert callable(view.ended)
