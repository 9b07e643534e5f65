"""A brief planned, and a text held against a brief, over HTTP; neither makes a run."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue
from starlette.requests import Request
from starlette.routing import BaseRoute
from typing_extensions import TypedDict  # Python 3.12 has one that pydantic reads

from core.errors import CallerError
from core.values import Frozen
from dr_rd.api.bodies import brief_of, given_in
from dr_rd.api.problems import ServiceOf, json_route, off_loop, read_body
from dr_rd.brief import check_objective
from dr_rd.checks import LedgerVerdict, build_ledger, check, to_json
from dr_rd.planning.choice import check_research
from dr_rd.planning.design import Design
from dr_rd.reading import full_reader, understood
from dr_rd.study import Study


class PlanBody(Frozen):
    """What is planned."""

    brief: Mapping[str, JsonValue] | str


class ReadBody(Frozen):
    """A brief, or the text of any document that holds one."""

    brief: Mapping[str, JsonValue] | str


class CheckBody(Frozen):
    """A text, and the brief whose limits it is held against."""

    brief: Mapping[str, JsonValue] | str
    text: str


class Checked(TypedDict):
    """What a text keeps and breaks."""

    items: list[LedgerVerdict]
    violated: int


def routes(service: ServiceOf) -> Sequence[BaseRoute]:
    """Return the routes of texts."""

    async def read(request: Request) -> Any:  # noqa: ANN401 - a JSON value
        """Say what is understood of a brief."""
        given = given_in((await read_body(request, ReadBody)).brief)
        reader = full_reader(service().workbench.planner.ranker)
        found = await off_loop(understood, given, reader)
        if found.study.not_research:
            raise CallerError(found.study.not_research)
        return found.study.model_dump(mode="json", by_alias=True)

    async def planned(request: Request) -> Any:  # noqa: ANN401 - a JSON value
        """Plan a brief by the library alone."""
        asked = brief_of((await read_body(request, PlanBody)).brief)
        check_objective(asked)
        check_research(asked, service().workbench.planner.ranker)
        design = await off_loop(service().workbench.design, asked, ())
        return design.model_dump(mode="json")

    async def checked(request: Request) -> Any:  # noqa: ANN401 - a JSON value
        """Hold a text against the limits of a brief."""
        body = await read_body(request, CheckBody)
        ledger = build_ledger(brief_of(body.brief))
        return to_json(await off_loop(check, ledger, body.text))

    return [
        json_route("/api/read", read, "POST", body=ReadBody, gives=Study),
        json_route("/api/plan", planned, "POST", body=PlanBody, gives=Design),
        json_route("/api/check", checked, "POST", body=CheckBody, gives=Checked),
    ]
