"""When a server counts as ready, asked of one that runs already."""

from collections.abc import Sequence

import pytest

from fairtrial.base.loopback import free_port
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.runs_already import find_running
from fairtrial.experiment.ready import ANSWERED, HEALTH, Ready
from tests.catalog.contract.scripted import answer, answering


def knows_one_path(line: str, _headers: str) -> Sequence[bytes]:
    return [answer(204 if line.startswith("GET /ready ") else 404)]


@pytest.mark.parametrize(
    "ready", [Ready(path="/ready", status=204), Ready(path="/nosuch", status=404), ANSWERED, Ready(tcp=True)]
)
def test_a_server_that_does_as_asked_is_ready(ready: Ready) -> None:
    with answering(knows_one_path) as url:
        found = find_running(url.replace("127.0.0.1", "localhost"), ready, 5.0)
        assert f"http://{found.address}" == url, "the address of the name that answers"
        assert (found.host, found.tls) == (url.removeprefix("http://").replace("127.0.0.1", "localhost"), None)


@pytest.mark.parametrize(
    ("ready", "seen"), [(HEALTH, "GET /health answered 404"), (Ready(path="/ready"), "GET /ready answered 204")]
)
def test_a_server_that_answers_otherwise_is_not(ready: Ready, seen: str) -> None:
    with answering(knows_one_path) as url, pytest.raises(Problem) as problem:
        find_running(url, ready, 0.0)
    assert f"was not ready within 0 s ({seen})" in problem.value.reason
    assert f"it is ready when {ready}" in problem.value.remedy


@pytest.mark.parametrize("ready", [HEALTH, Ready(tcp=True)])
def test_where_nothing_listens_nothing_is_ready(ready: Ready) -> None:
    with pytest.raises(Problem, match=r"was not ready within 0 s \(nothing listened on its port\)"):
        find_running(f"http://localhost:{free_port()}", ready, 0.0)


def test_tls_is_spoken_where_the_url_asks_for_it() -> None:
    """To a server that does not: the reason is the handshake's."""
    with answering(knows_one_path) as url, pytest.raises(Problem, match=r"no connection: \[SSL"):
        find_running(url.replace("http", "https"), HEALTH, 0.0)
