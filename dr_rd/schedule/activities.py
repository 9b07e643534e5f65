"""What is simulated: activities, what several of them share, and what may befall one."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from core.graph.state import ThreePoint
from core.values import Amount, Frozen
from dr_rd.schedule.spread import Shape

NOTHING = ThreePoint(low=0, mode=0, high=0)
"""No days, or no money."""


class Activity(Frozen):
    """One task of the network."""

    id: str = Field(min_length=1, max_length=80)
    depends_on: tuple[str, ...] = ()
    days: ThreePoint = Field(description="Working days of its calendar.")
    cost: ThreePoint = NOTHING
    day_rate: Amount = Field(
        default=0, description="Pay for each working day that it lasts; on top of its cost."
    )
    shape: Shape = Field(
        default="pert",
        description="'lognormal' has the mean and sd of 'pert' and no upper end.",
    )
    calendar: str | None = Field(default=None, description="None: the first of the calendars.")
    needs: Mapping[str, Annotated[int, Field(ge=1, le=1000)]] = Field(
        default={}, description="How many of each resource it holds from its start to its finish."
    )


class Resource(Frozen):
    """People or equipment that do no more than so many activities at a time."""

    id: str = Field(min_length=1, max_length=80)
    count: int = Field(default=1, ge=1, le=1000)
    share: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="Share of the working time; at 0.5 the days of an activity take twice as long.",
    )
    calendar: str | None = Field(
        default=None, description="When they work; the activity's own calendar holds as well."
    )


class Driver(Frozen):
    """A cause that scales several activities at once, which makes them vary together.

    The risk-driver method of Hulett (2011), Integrated Cost-Schedule Risk Analysis.
    """

    id: str = Field(min_length=1, max_length=80)
    activities: tuple[str, ...] = Field(min_length=1, max_length=500)
    factor: ThreePoint = Field(description="What their days and costs are multiplied by.")
    probability: float = Field(default=1.0, ge=0, le=1, description="Chance that it acts at all.")
    scales: Literal["days", "cost", "both"] = "both"


class Risk(Frozen):
    """What may happen to one activity, and adds to it then."""

    id: str = Field(min_length=1, max_length=80)
    activity: str
    probability: float = Field(ge=0, le=1)
    days: ThreePoint = NOTHING
    cost: ThreePoint = NOTHING
