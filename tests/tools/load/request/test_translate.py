"""The engine's plan for the options of a load."""

import os
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.engine.plan import EnginePlan, ExactBody
from fairtrial.load.engine_terms import (
    Closed,
    Constant,
    Http2,
    OfferedStep,
    Poisson,
    Ramp,
    Steps,
    StopAfterRequests,
    StopAfterSeconds,
)
from fairtrial.tools.load.request.options import LoadOptions
from fairtrial.tools.load.request.translate import to_engine_plan
from fairtrial.tools.load.request.values import Header, RateRamp, RateStep, parse_connect_to
from tests.tools.load.conftest import Target


def plan_of(target: Target, **options: Any) -> EnginePlan:
    return to_engine_plan(LoadOptions(url=target.url, **options))[1]


def test_without_options(target: Target) -> None:
    plan = plan_of(target)
    assert plan.load == Closed(connections=16)
    assert plan.stop == StopAfterSeconds(seconds=10)
    assert (plan.address, plan.host) == (target.address, target.address)
    assert (plan.timeout_seconds, plan.pipeline, plan.driver, plan.tls) == (10, 1, "auto", None)
    assert plan.requests_per_connection is None
    (request,) = plan.requests
    assert (request.method, request.path, request.body) == ("GET", "/some/path?x=1", None)
    assert request.expect.check_every == 1


@pytest.mark.parametrize(
    ("options", "load"),
    [
        ({"connections": 3, "think_seconds": 0.5}, Closed(connections=3, think_time_seconds=0.5)),
        ({"rate": 5.0}, Constant(rate_per_second=5, connections=64)),
        ({"rate": 5.0, "arrival": "constant"}, Constant(rate_per_second=5, connections=64)),
        ({"rate": 5.0, "arrival": "poisson"}, Poisson(rate_per_second=5, connections=64)),
        ({"ramp": RateRamp(1, 2), "connections": 3}, Ramp(from_per_second=1, to_per_second=2, connections=3)),
        ({"steps": (RateStep(5, 2),)}, Steps(steps=[OfferedStep(rate_per_second=5, seconds=2)], connections=64)),
    ],
)
def test_loads(target: Target, options: dict[str, Any], load: object) -> None:
    assert plan_of(target, **options).load == load


def test_what_ends_the_load(target: Target) -> None:
    assert plan_of(target, requests=5).stop == StopAfterRequests(requests=5)
    assert plan_of(target, seconds=0.5).stop == StopAfterSeconds(seconds=0.5)
    assert plan_of(target, steps=(RateStep(5, 2), RateStep(0, 1))).stop == StopAfterSeconds(seconds=3)


def test_how_long_answers_are_awaited_after_an_open_load(target: Target) -> None:
    assert plan_of(target).drain_seconds is None and plan_of(target, rate=5.0).drain_seconds is None
    assert [plan_of(target, rate=5.0, drain_seconds=seconds).drain_seconds for seconds in (0.0, 7.5)] == [0, 7.5]


def test_connections(target: Target) -> None:
    assert plan_of(target, no_keepalive=True).requests_per_connection == 1
    assert plan_of(target, requests_per_connection=5).requests_per_connection == 5
    assert plan_of(target, pipeline=4).pipeline == 4
    assert plan_of(target, http2=True).http2 == Http2(streams=1)
    assert plan_of(target, http2=True, streams=20).http2 == Http2(streams=20)
    assert plan_of(target).http2 is None
    assert plan_of(target, driver="epoll").driver == "epoll"


@pytest.mark.parametrize(
    ("allowed", "threads", "is_refused"),
    [({0, 1}, None, False), ({0}, None, True), ({0, 1}, 2, True), ({0, 1}, 1, False)],
)
def test_awake_it_needs_processors_of_its_own(
    target: Target,
    monkeypatch: pytest.MonkeyPatch,
    allowed: set[int],
    threads: int | None,
    is_refused: bool,
    snapshot: object,
) -> None:
    """The server is on this machine, and needs one as well."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: allowed)
    assert plan_of(target, threads=threads).wait == "sleep"
    if is_refused:
        with pytest.raises(Problem) as error:
            plan_of(target, threads=threads, wait="awake")
        assert str(error.value) == snapshot
    else:
        assert plan_of(target, threads=threads, wait="awake").wait == "awake"


def test_threads(target: Target) -> None:
    assert plan_of(target, connections=1).threads == 1
    plan = plan_of(target, threads=1)
    assert (plan.threads, len(plan.cpus)) == (1, 1)


def test_the_request(target: Target, tmp_path: Path) -> None:
    expected, body = tmp_path / "expected", tmp_path / "body"
    expected.write_text("right")
    body.write_text("{{sequence 1}}")
    plan = plan_of(
        target,
        headers=[Header("A", "b"), Header("Host", "other.example")],
        body=f"@{body}",
        expect_status=(201,),
        expect_body=f"@{expected}",
        expect_length=5,
    )
    (request,) = plan.requests
    assert plan.host == "other.example"
    assert (request.method, request.headers) == ("POST", [("A", "b")])
    assert (request.body, request.body_file) == (None, str(body))
    assert request.expect.status == [201]
    assert request.expect.body_bytes is not None and request.expect.body_bytes.min == 5
    assert request.expect.body == ExactBody(text="right")
    (templated,) = plan_of(target, body=f"@{body}", template=True).requests
    assert (templated.body, templated.body_file) == ("{{sequence 1}}", None)


def test_a_body_that_is_not_text(target: Target, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff")
    with pytest.raises(Problem, match="not UTF-8") as raised:
        plan_of(target, expect_body=f"@{tmp_path / 'x'}")
    assert "--expect-length" in raised.value.remedy


@pytest.mark.parametrize(
    "options",
    [
        {"insecure": True, "ca_file": Path("x")},
        {"no_keepalive": True, "requests_per_connection": 5},
        {"no_keepalive": True, "requests_per_connection": 1, "pipeline": 2},
        {"tls_resume": True},
        {"unix_socket": Path("x"), "connect_to": [parse_connect_to(":::1")]},
        {"streams": 2},
        {"http2": True, "pipeline": 2},
        {"http2": True, "no_keepalive": True},
        {"http2": True, "requests_per_connection": 9},
        {"rate": 5.0, "connections": 2, "threads": 3},
        {"threads": 17},
        {"rate": 5.0, "threads": 65},
        {"headers": [Header("TraceParent", "x")], "trace_share": 0.1},
    ],
)
def test_contradictions(options: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(Problem) as raised:
        to_engine_plan(LoadOptions(url="http://a/", **options))
    assert str(raised.value) == snapshot
    assert raised.value.remedy


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.example:80:127.0.0.1:8080", ("a.example", 80, "127.0.0.1", 8080)),
        ("A.example::b.example:", ("a.example", None, "b.example", None)),
        (":443::8443", (None, 443, None, 8443)),
        ("[::1]:80:[fe80::1%eth0]:81", ("::1", 80, "fe80::1%eth0", 81)),
        (":::", (None, None, None, None)),
    ],
)
def test_other_addresses(text: str, expected: tuple[object, ...]) -> None:
    assert parse_connect_to(text) == expected


@pytest.mark.parametrize(
    "text", ["", "a", "a:80:b", "a:b:c:d", "a:80:b:0", "a:80:b:65536", "::1:80:b:80", "a:80:b:80:c"]
)
def test_what_is_no_other_address_is_refused(text: str) -> None:
    with pytest.raises(Problem, match=r"is not HOST:PORT:OTHER:PORT"):
        parse_connect_to(text)


def test_the_first_rule_that_fits_redirects(target: Target) -> None:
    host, _, port = target.address.rpartition(":")
    rules = [parse_connect_to(f"b.example:80:{host}:1"), parse_connect_to(f"a.example:80:{host}:{port}")]
    _, plan = to_engine_plan(LoadOptions(url="http://A.example/x", connect_to=rules))
    assert (plan.address, plan.host) == (target.address, "a.example")
