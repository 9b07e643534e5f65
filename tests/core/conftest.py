"""What the engine's tests share."""

from collections.abc import Iterator

import pytest

from tests import postgres


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """A real database server; tests that stop it start it again."""
    if why := postgres.missing():
        pytest.skip(why)
    with postgres.running() as server:
        yield server


@pytest.fixture
def url(server: postgres.Server) -> str:
    """The address of a database without tables, and without sessions of the test before."""
    server.end_sessions()
    return server.database()
