"""The API against its own description: requests made up from it, right ones and wrong ones.

What schemathesis checks of each answer: no server's error, a status, a media type and a body that
the description has, and no success for a request that it does not allow.
"""

from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from starlette.applications import Starlette

from core.settings import RunOptions
from dr_rd.api import api_routes
from dr_rd.api.openapi import describe
from dr_rd.brief import Brief
from dr_rd.service import ResearchService
from dr_rd.workbench import Workbench
from tests.api.conftest import DEFAULTS, scripted

MOST = settings.default.max_examples // 13
"""Requests of each kind to each operation: three, and ten times as many exhaustively."""

FEW = settings.default.max_examples // 40
"""The same where an answer takes a second."""

SLOW = {"/api/rooms", "/api/game/start", "/api/plan", "/api/read"}

DESCRIPTION = describe(api_routes(SimpleNamespace))["paths"]

OPERATIONS = [
    (path, method, kind)
    for path, operations in DESCRIPTION.items()
    for method, told in operations.items()
    for kind in ("POSITIVE", "NEGATIVE")
    # of a request without any part that its description narrows none is wrong
    if kind == "POSITIVE" or "requestBody" in told or len(told["parameters"]) > path.count("{")
]


@pytest.fixture(scope="module")
def service(
    tmp_path_factory: pytest.TempPathFactory, workbench: Workbench
) -> Iterator[ResearchService]:
    opened = scripted(tmp_path_factory.mktemp("fuzz"), workbench)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def fuzzed(service: ResearchService) -> Any:
    """The description with the application behind it."""
    schemathesis = import_module("schemathesis")  # most of a second, for this file alone
    app = Starlette(routes=api_routes(lambda: service))
    return schemathesis.openapi.from_asgi("/api/openapi.json", app)


@pytest.fixture(scope="module")
def there(service: ResearchService, fuzzed: Any) -> dict[str, str]:
    """What is there by the name that paths have for it: a run that waits, a room and a game."""
    run_id = service.start(
        RunOptions(project_id="rye", flags=DEFAULTS), Brief(objective="Test A"), "rye-1"
    )
    service.runs.wait(run_id, 60)

    def made(path: str, **body: Any) -> Any:
        sent = fuzzed[path]["POST"].Case(body=body, media_type="application/json").call()
        return sent.json()

    room, game = made("/api/rooms", scenario="hidden-human"), made("/api/game/start", seed=1)
    return {"run_id": run_id, "code": room["room_code"], "game_id": game["game_id"]}


@pytest.mark.hypothesis
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")  # the threads of runs do
@pytest.mark.parametrize(("path", "method", "kind"), OPERATIONS)
def test_every_answer_is_one_that_the_description_has(
    path: str, method: str, kind: str, fuzzed: Any, there: dict[str, str]
) -> None:
    generation = import_module("schemathesis.generation")
    checks = import_module("schemathesis.specs.openapi.checks")
    ids = {name: value for name, value in there.items() if f"{{{name}}}" in path}

    @given(
        fuzzed[path][method.upper()].as_strategy(
            generation_mode=generation.GenerationMode[kind], path_parameters=ids or None
        )
    )
    @settings(
        max_examples=FEW if path in SLOW else MOST,
        phases=[Phase.generate],
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def ask(request: Any) -> None:
        # a brief, a scenario or a mode may be refused for what it says
        request.call_and_validate(excluded_checks=[checks.positive_data_acceptance])

    ask()
