"""What `fairtrial ab` and `fairtrial wrk` share."""

from collections.abc import Callable

from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.tools.load.compatibility.ab import read_ab
from fairtrial.tools.load.compatibility.emulate import equivalent_command, expecting_length, first_body_length
from tests.command_line import Finished, Lab
from tests.tools.load.conftest import Target
from tests.tools.load.measurements import plan

URL = "http://127.0.0.1:8080/"


def test_the_equivalent_command_keeps_secrets() -> None:
    command = equivalent_command(read_ab(["-n", "10", "-A", "me:secret", "-p", "a b", URL]).options)
    assert command.startswith(f"fairtrial load {URL} -c 1 -n 10 --warmup 0s --threads 1 -H 'Accept: */*' ")
    assert command.endswith(" -H 'Authorization: …' -m POST -b '@a b' --timeout 30s --no-keepalive")
    assert "bWU6" not in command


def plan_at(target: Target, method: str = "GET") -> EnginePlan:
    """A load on a target, with this method."""
    request = Request(name="hello", method=method, path="/")
    return plan().model_copy(update={"address": target.address, "requests": [request]})


def test_the_first_answer_gives_the_length(target: Target) -> None:
    assert first_body_length(plan_at(target)) == 5


def test_no_request_is_repeated_that_may_change_something(target: Target) -> None:
    assert first_body_length(plan_at(target, "POST")) is None


def test_every_answer_must_have_the_length() -> None:
    (request,) = expecting_length(plan(), 5).requests
    assert request.expect.body_bytes is not None
    assert (request.expect.body_bytes.min, request.expect.body_bytes.max) == (5, 5)


def test_help_is_that_of_fairtrial(lab: Lab, call: Callable[..., Finished]) -> None:
    for tool in ("ab", "wrk"):
        assert "what its figures hide" in call(tool, "--help").out
        assert lab.fairtrial(tool).status == 2
