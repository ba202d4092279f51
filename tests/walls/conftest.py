"""Fixtures of the proof that nothing gets through either wall."""

import socket
from collections.abc import Iterator

import pytest

from tests.walls.worlds import CANARY, TWIN, Worlds, build


@pytest.fixture(scope="session")
def _built(tmp_path_factory: pytest.TempPathFactory) -> Worlds:
    folder = tmp_path_factory.mktemp("worlds")
    kept = build(folder / "kept_real", CANARY), build(folder / "kept_twin", TWIN)
    return Worlds(folder / "real", folder / "twin", *kept)


@pytest.fixture
def worlds(_built: Worlds, monkeypatch: pytest.MonkeyPatch) -> Worlds:
    """Both shops, in an environment that holds a secret too."""
    monkeypatch.setenv("T2S_CANARY", CANARY)
    return _built


@pytest.fixture(scope="session")
def listener() -> Iterator[socket.socket]:
    """A server on this machine that nobody may call."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server
