"""Requests of several exchanges, as a workload file asks for them: redirects are followed, tokens are renewed."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.command_line import Finished

Call = Callable[..., Finished]
PLACES = {"/old": "/older", "/older": "new", "/loop": "/loop", "/away": "http://127.0.0.1:1/new"}
USES = 5
"""Answers that a token is good for."""


class Shop(BaseHTTPRequestHandler):
    """`/old` leads to `/older`, that to `/new`, `/loop` to itself, and `/away` elsewhere. `/private` wants a token that
    is good for five answers."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    left: dict[str, int]
    lock: threading.Lock
    stall: "Stall | None" = None

    def do_GET(self) -> None:
        if place := PLACES.get(self.path):
            self._say(302, b"", ("Location", place))
        elif self.path == "/private" and not self._is_let_in():
            self._say(401, b"no")
        else:
            self._say(200, b"ok")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.stall is not None:
            self.stall.wait()
        with self.lock:
            token = f"token-{len(self.left)}"
            self.left[token] = USES
        self._say(200, json.dumps({"token": token}).encode())

    def _is_let_in(self) -> bool:
        with self.lock:
            token = self.headers.get("X-Token", "")
            self.left[token] = self.left.get(token, 0) - 1
            return self.left[token] >= 0

    def _say(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (*headers, ("Content-Type", "text/plain"), ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class Stall:
    """Whoever logs in waits for its end: it begins so long after the first login, and has this length."""

    def __init__(self, after_seconds: float, seconds: float) -> None:
        self._after_seconds, self._seconds = after_seconds, seconds
        self._first: float | None = None

    def wait(self) -> None:
        now = time.monotonic()
        self._first = self._first or now
        since = now - self._first - self._after_seconds
        if 0 <= since < self._seconds:
            time.sleep(self._seconds - since)


@contextmanager
def shop(stall: Stall | None = None) -> Iterator[tuple[str, dict[str, int]]]:
    """Its URL, and how many answers each token is still good for: below zero for those of 401."""
    left: dict[str, int] = {}
    handler = type("Handler", (Shop,), {"left": left, "lock": threading.Lock(), "stall": stall})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", left
        server.shutdown()
        thread.join()


def load(call: Call, url: str, text: str, requests: int, connections: int = 1) -> tuple[Finished, dict[str, object]]:
    return offered(call, url, text, "-n", str(requests), "-c", str(connections))


def offered(call: Call, url: str, text: str, *load: str) -> tuple[Finished, dict[str, object]]:
    Path("shop.workload.toml").write_text(text)
    options = (*load, "--warmup", "0s", "--json", "load.json", "--plain")
    finished = call("load", "-f", "shop.workload.toml", url, *options)
    assert Path("load.json").exists(), finished.err
    return finished, json.loads(Path("load.json").read_text())


def of_path(path: str, most: int) -> str:
    return f'[requests.look]\nget = "{path}"\nfollow_redirects = {most}\nexpect.text = "ok"\n'


def test_redirects_are_followed_and_counted(call: Call) -> None:
    with shop() as (url, _):
        finished, measured = load(call, url, of_path("/old", 2), 10)
    assert (finished.status, measured["verified"], measured["answers"]) == (0, 10, 10), finished.out
    assert "redirects" in finished.out and "20 for look" in finished.out


def test_a_redirect_too_many_or_elsewhere_is_wrong(call: Call) -> None:
    with shop() as (url, _):
        for path, most in (("/old", 1), ("/loop", 20), ("/away", 5)):
            finished, measured = load(call, url, of_path(path, most), 3)
            assert finished.status != 0 and measured["verified"] == 0, (path, finished.out)


LOGIN = """
[requests.login]
journey = "visit"
post = "/login"
take.token = "/token"
"""
STEP = """
[requests.private-{}]
journey = "visit"
get = "/private"
headers = {{ x-token = "{{{{var token}}}}" }}
expect.text = "ok"
renew = "login"
"""
OF_CONNECTIONS = """
[setup.login]
post = "/login"
per = "connection"
take.token = "/token"

[requests.private]
get = "/private"
headers = { x-token = "{{var token}}" }
expect.text = "ok"
renew = "login"
"""


def test_a_token_that_expires_is_renewed_and_its_request_sent_again(call: Call) -> None:
    """Two connections ask 40 times: each token is good for five."""
    with shop() as (url, left):
        finished, measured = load(call, url, OF_CONNECTIONS, 40, connections=2)
    assert (finished.status, measured["verified"], measured["answers"]) == (0, 40, 40), finished.out
    renewals = sum(share["renewals"] for share in measured["mix"])  # type: ignore[attr-defined]
    refused = sum(-each for each in left.values() if each < 0)
    assert renewals == refused > 0 and f"{renewals} for private" in finished.out
    assert sum(USES - max(each, 0) for each in left.values()) >= 40


def test_a_step_of_a_journey_is_renewed_by_an_earlier_one(call: Call) -> None:
    """Of seven steps the sixth finds its token spent, and the seventh uses the new one."""
    with shop() as (url, _):
        finished, measured = load(call, url, LOGIN + "".join(STEP.format(number) for number in range(1, 8)), 32)
    assert finished.status == 0 and measured["verified"] == measured["answers"] > 0, finished.out
    renewals = {share["name"]: share["renewals"] for share in measured["mix"]}  # type: ignore[attr-defined]
    assert renewals.pop("private-6") > 0 and not any(renewals.values()), renewals


THINK_SECONDS = 0.03
VISITS = 6
THINK = 'think = "30 ms"\n'
HOME = f"""
[requests.home]
journey = "visit"
get = "/old"
follow_redirects = 2
{THINK}expect.text = "ok"
"""
STEPS = [STEP.format(number).replace("renew", f"{THINK}renew") for number in range(1, 7)]
LAST = STEPS[-1]
WALK = LOGIN + HOME + "".join(STEPS)


@pytest.mark.parametrize("load", [("-n", str(VISITS), "-c", "1"), ("-r", str(VISITS), "-d", "1s", "-c", str(VISITS))])
def test_a_journey_pauses_follows_and_renews(call: Call, load: tuple[str, ...]) -> None:
    """Users in turn, and users who arrive: two redirects, six uses of a token that is good for five, and a pause behind
    each step, but where nothing follows and nobody waits for the user's end. Of those who arrive, steps behind the
    window are gone through, and counted in the journey alone.
    """
    is_open = "-r" in load
    text = WALK.replace(LAST, LAST.replace(THINK, "")) if is_open else WALK
    with shop() as (url, left):
        finished, measured = offered(call, url, text, *load)
    said = " ".join(finished.out.split())
    assert finished.status == 0 and measured["verified"] == measured["answers"], finished.out
    (journey,) = measured["journeys"]  # type: ignore[misc]
    assert (journey["completed"], journey["broken_off"]) == (VISITS, 0)
    shares = {share["name"]: share for share in measured["mix"]}  # type: ignore[attr-defined]
    redirects, renewals = shares["home"]["redirects"], shares["private-6"]["renewals"]
    assert f"{redirects} for home" in said and f"{renewals} for private-6" in said
    if not is_open:
        assert (measured["answers"], redirects, renewals) == (8 * VISITS, 2 * VISITS, VISITS)
    assert len(left) == 2 * VISITS, "each user logs in, and once more where its token is spent"
    pauses_seconds = 6 * THINK_SECONDS  # the seventh is behind the user's last answer
    assert journey["journey_time"]["min_seconds"] >= pauses_seconds, "a pause is part of a journey's time"
    steps = [share["response_time"]["percentiles"]["50"] for share in shares.values()]
    assert sum(steps) < pauses_seconds, "and of no step's"


def test_a_pause_behind_the_last_step_is_for_closed_loads(call: Call) -> None:
    """Nobody waits for its end: the pauses between steps may stay in the file."""
    Path("shop.workload.toml").write_text(WALK)
    with shop() as (url, left):
        finished = call("load", "-f", "shop.workload.toml", url, "-r", "5", "-d", "1s", "--plain")
    assert finished.status != 0 and not left
    assert "requests.private-6.think" in finished.err and "or this `think`" in finished.err


ARRIVALS_PER_SECOND, ARRIVAL_SECONDS = 10, 4
STALL_SECONDS = 1.5


def test_users_who_arrive_while_the_server_stalls_have_waited_since(call: Call) -> None:
    """Of 40 users 15 arrive while logins stand still, and three can be connected: the others wait for them. Those who
    arrive in its first half wait for longer than half of it, wherever they are: a fifth of all. Of the connected ones
    alone it would be three of forty.
    """
    rate = ("-r", str(ARRIVALS_PER_SECOND), "-d", f"{ARRIVAL_SECONDS}s", "-c", "3")
    with shop(Stall(1.0, STALL_SECONDS)) as (url, left):
        _, measured = offered(call, url, WALK.replace(THINK, ""), *rate)
    users = ARRIVALS_PER_SECOND * ARRIVAL_SECONDS
    (journey,) = measured["journeys"]  # type: ignore[misc]
    assert (journey["completed"], journey["broken_off"]) == (users, 0), measured["examples"]
    shares = {share["name"]: share for share in measured["mix"]}  # type: ignore[attr-defined]
    assert len(left) == 2 * users, "each logs in, and once more where the token is spent"
    assert shares["home"]["redirects"] > users and shares["private-6"]["renewals"] > users / 2
    for times in (journey["journey_time"], shares["login"]["response_time"]):
        assert times["percentiles"]["90"] > STALL_SECONDS / 2 and times["max_seconds"] > 0.9 * STALL_SECONDS, times
    assert shares["private-1"]["response_time"]["percentiles"]["90"] < STALL_SECONDS / 2, "only arrivals wait"
    assert shares["login"]["service_time"]["percentiles"]["90"] < STALL_SECONDS / 2, "three were answered late"
