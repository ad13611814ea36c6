"""What is printed before anything starts."""

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from fairtrial.lab.announce import announce
from fairtrial.lab.placement import local_placement
from fairtrial.record.model import Placement
from tests.plan.plans import planned, planned_contender


def announced(left_out: tuple[str, ...] = (), **more: Any) -> str:
    output = StringIO()
    announce(Console(file=output, width=400), planned(**more), left_out)
    return output.getvalue()


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({}, "workload   random-item on sqlite, 1,000,000 rows"),
        ({"dataset": {"rows": 500}}, "random-item on sqlite, 500 rows"),
        (
            {"service": "postgresql", "services": {"postgresql": {"latency": "1 ms"}}},
            "latency    postgresql 1 ms away",
        ),
        ({}, "load       closed, 2 connections, keep-alive; 3 s after at least 1 s of warm-up"),
        ({"stacks": ["a:two", "b"]}, "stacks     a:two (x), b (x)"),
        ({"blocks": 3}, "3 blocks of 2 trials in random order (seed 1), about 0:30 min"),
        ({"blocks": 3, "noise_floor": True}, "3 blocks of 3 trials"),
        ({}, "claims     none"),
    ],
)
def test_the_plan_is_announced(more: dict[str, Any], line: str) -> None:
    assert line in announced(**more)


def test_a_sweep_over_the_rows_is_announced_with_its_values_in_place_of_a_number() -> None:
    text = announced(sweep={"parameter": "dataset.rows", "values": [10, 500]})
    assert "sweep      dataset.rows over 10, 500" in text
    assert [line.strip() for line in text.splitlines()][1] == "workload   random-item on sqlite"


def test_each_load_of_a_sweep_over_loads_is_announced() -> None:
    loads = {"few": {"connections": 2}, "many": {"connections": 64, "keep_alive": False}}
    text = announced(sweep={"parameter": "load", "values": ["few", "many"]}, loads=loads)
    words = (
        "few: closed, 2 connections, keep-alive; many: closed, 64 connections, one request per connection; 3 s after"
    )
    assert f"load       {words} at least 1 s of warm-up" in text and "sweep      load over few, many" in text


def test_the_placement_is_announced_as_the_experiment_asks_for_it() -> None:
    usual = local_placement()
    load, shared = (", ".join(map(str, each.load_cpus)) for each in (usual, usual.shared()))
    assert f"placement  load on processor {load}, server on " in announced()
    asked = announced(placement="shared")
    assert f"placement  load on processor {shared}, " in asked and ": shared, figures will disturb each other" in asked
    swept = announced(sweep={"parameter": "placement", "values": ["disjoint", "shared"]})
    assert f"; where it is shared, load on {shared} as well" in swept or not usual.disjoint


def test_what_cores_made_of_the_placement_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    siblings = Placement(load_cpus=[1], server_cpus=[0], disjoint=True, shared_cores=[[0, 1]])
    monkeypatch.setattr("fairtrial.lab.announce.planned_placement", lambda _experiment: siblings)
    assert "load on processor 1, server on 0; load and server share the core of processors 0, 1; idle" in announced()


def test_claims_that_are_left_out_are_named() -> None:
    assert "left out   claims one, two" in announced(("one", "two"))


def test_a_run_until_claims_are_decided_announces_the_time_to_its_first_look() -> None:
    claim = {"kind": "ratio", "id": "c", "text": "c", "of": "a", "to": "b", "at_least": 2}
    assert "3 blocks of 2 trials in random order (seed 1), about 0:30 min" in announced(
        until_decided=True, blocks=3, claims=[claim]
    )


@pytest.mark.parametrize(
    ("described", "words"),
    [
        ({"url": "http://127.0.0.1:1"}, "app (runs already at http://127.0.0.1:1, on whatever processors it has)"),
        ({"url": "https://shop.example"}, "on whatever processors it has: the load leaves this machine)"),
        ({"directory": ".", "command": ["uvicorn", "app:app"]}, "app (not built: uvicorn app:app)"),
        ({"folder": ".", "command": ["./shop"]}, "stacks     app\n"),
    ],
)
def test_what_an_experiment_describes_itself_is_announced(described: dict[str, Any], words: str) -> None:
    plan = planned_contender(described)
    output = StringIO()
    announce(Console(file=output, width=400), plan, ())
    assert words in "\n".join(line.rstrip() for line in output.getvalue().splitlines()) + "\n"


def test_the_rule_by_which_rounds_are_kept_is_announced() -> None:
    output = StringIO()
    plan = planned_contender({"directory": ".", "command": ["true"]}, slices={"seconds": 0.5})
    announce(Console(file=output, width=400), plan, ())
    assert "measured in 6 rounds of 0.5 s each" in output.getvalue()
    assert "others used at most 10% of the server's processors and 15% of the load engine's" in output.getvalue()


def test_without_verbose_it_is_said_what_is_tried_and_not_how_it_works() -> None:
    output = StringIO()
    announce(Console(file=output, width=400), planned(stacks=["a:two", "b"]), (), verbose=False)
    text = output.getvalue()
    assert "stacks     a:two, b\n" in "\n".join(line.rstrip() for line in text.splitlines())
    assert "claims" not in text and "idle" not in text and "spoils" not in text
    assert "placement  load on processor" in text
