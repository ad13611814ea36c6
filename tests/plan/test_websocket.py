"""Loads of messages of a WebSocket: what they cannot be, and that HTTP/1.1's ceiling is not taken for theirs."""

from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.lab.calibrate import calibrate_loads
from fairtrial.lab.placement import local_placement
from fairtrial.plan.plan import Plan, most_connections
from tests.plan.plans import planned_contender

ECHO = {"requests": {"hello": {"websocket": "/echo", "body": "hello", "expect": {"echo": True}}}}
LOAD = {"kind": "closed", "connections": 2}


def of_messages(**load: Any) -> Plan:
    return planned_contender({"url": "http://localhost:1", "http2": True}, workload=ECHO, load={**LOAD, **load})


def test_idle_connections_are_counted_for_the_limit_of_files_and_belong_to_messages() -> None:
    assert most_connections(of_messages(idle_connections=10_000)) == 10_002
    with pytest.raises(Problem, match="no messages of a WebSocket"):
        planned_contender({"url": "http://localhost:1"}, load={**LOAD, "idle_connections": 1})


def test_messages_are_planned_and_not_calibrated() -> None:
    plan = of_messages()
    workload = plan.conditions[0].point.workload
    assert getattr(workload, "websocket", None) is not None
    events: list[Any] = []
    assert calibrate_loads(plan, local_placement(), events.append) == []
    assert [event.what for event in events if "left out over WebSocket" in event.what]


@pytest.mark.parametrize(
    ("key", "load"),
    [
        ("load.http2", {"http2": True}),
        ("load.keep_alive", {"keep_alive": False}),
        ("load.trace_share", {"trace_share": 0.5}),
        ("load.local_ports", {"local_ports": 10}),
    ],
)
def test_what_a_load_of_messages_cannot_be_is_refused(key: str, load: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(Problem) as error:
        of_messages(**load)
    assert str(error.value) == snapshot
