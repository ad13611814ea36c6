"""What is printed before anything starts."""

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from fairtrial.base.formatting import duration
from fairtrial.lab.announce import announce
from fairtrial.lab.placement import local_placement
from fairtrial.lab.profile.block import planned_block_seconds
from fairtrial.lab.profile.condition import PROFILED_SECONDS
from fairtrial.plan.plan import planned_seconds
from fairtrial.record.placement import Placement
from tests.lines import line_with
from tests.plan.plans import planned, planned_contender


def announced(left_out: tuple[str, ...] = (), **more: Any) -> str:
    output = StringIO()
    announce(Console(file=output, width=400), planned(**more), left_out)
    return output.getvalue()


def line(text: str, label: str) -> str:
    """That of an announcement which begins with a label."""
    return next(each.strip() for each in text.splitlines() if each.split()[:1] == [label])


@pytest.mark.parametrize(
    ("label", "more"),
    [
        ("workload", {}),
        ("workload", {"dataset": {"rows": 500}}),
        ("latency", {"service": "postgresql", "services": {"postgresql": {"latency": "1 ms"}}}),
        ("load", {}),
        ("stacks", {"stacks": ["a:two", "b"]}),
        ("trials", {"blocks": 3}),
        ("trials", {"blocks": 3, "noise_floor": True}),
        ("claims", {}),
    ],
)
def test_the_plan_is_announced(label: str, more: dict[str, Any], snapshot: object) -> None:
    assert line(announced(**more), label) == snapshot


def test_what_there_is_to_say_of_variants_of_one_stack_is_said_once() -> None:
    one, two = (line(announced(stacks=stacks), "stacks") for stacks in (["a", "b"], ["a", "a:two", "b"]))
    assert two == one.replace("), b", "), a:two, b") and one.count("(") == 2


def test_a_sweep_over_the_rows_is_announced_with_its_values_in_place_of_a_number() -> None:
    text = announced(sweep={"parameter": "dataset.rows", "values": [10, 500]})
    assert "sweep      dataset.rows over 10, 500" in text
    assert [line.strip() for line in text.splitlines()][1] == "workload   random-item on sqlite"


def test_each_load_of_a_sweep_over_loads_is_announced(snapshot: object) -> None:
    loads = {"few": {"connections": 2}, "many": {"connections": 64, "keep_alive": False}}
    text = announced(sweep={"parameter": "load", "values": ["few", "many"]}, loads=loads)
    assert line(text, "load") == snapshot
    assert "sweep      load over few, many" in text


def test_the_placement_is_announced_as_the_experiment_asks_for_it() -> None:
    usual = local_placement()
    load, shared = (", ".join(map(str, each.load_cpus)) for each in (usual, usual.shared()))
    assert f"load on processor {load}, server on " in announced()
    asked = announced(placement="shared")
    assert f"load on processor {shared}, " in asked and ": shared, figures will disturb" in asked
    swept = announced(sweep={"parameter": "placement", "values": ["disjoint", "shared"]})
    assert f", load on {shared} as well" in swept or not usual.disjoint


def test_what_cores_made_of_the_placement_is_announced(monkeypatch: pytest.MonkeyPatch, snapshot: object) -> None:
    siblings = Placement(load_cpus=[1], server_cpus=[0], disjoint=True, shared_cores=[[0, 1]])
    monkeypatch.setattr("fairtrial.lab.announce.planned_placement", lambda _experiment: siblings)
    assert line(announced(), "placement").partition("; idle")[0] == snapshot


def test_claims_that_are_left_out_are_named() -> None:
    assert "left out   claims one, two" in announced(("one", "two"))


def test_a_run_until_claims_are_decided_announces_the_time_to_its_first_look(snapshot: object) -> None:
    claim = {"kind": "ratio", "id": "c", "text": "c", "of": "a", "to": "b", "at_least": 2}
    assert line(announced(minutes=5, claims=[claim]), "trials") == snapshot


@pytest.mark.parametrize(
    "described",
    [
        {"url": "http://127.0.0.1:1"},
        {"url": "https://shop.example"},
        {"directory": ".", "command": ["uvicorn", "app:app"]},
        {"folder": ".", "command": ["./shop"]},
    ],
)
def test_what_an_experiment_describes_itself_is_announced(described: dict[str, Any], snapshot: object) -> None:
    plan = planned_contender(described)
    output = StringIO()
    announce(Console(file=output, width=400), plan, ())
    assert line(output.getvalue(), "stacks") == snapshot


def test_the_rule_by_which_rounds_are_kept_is_announced(snapshot: object) -> None:
    for tails in (False, True):
        output = StringIO()
        slices = {"seconds": 0.5, "tails": tails}
        plan = planned_contender({"directory": ".", "command": ["true"]}, slices=slices)
        announce(Console(file=output, width=500), plan, ())
        assert line(output.getvalue(), "slices") == snapshot


def test_groups_are_announced_and_claims_that_they_part(snapshot: object) -> None:
    names = list("abc")
    contenders = {name: {"directory": ".", "command": ["true"]} for name in names}
    claim = {"id": "first", "kind": "order", "text": "x", "order": names, "metric": "goodput"}
    more = {"stacks": names, "contenders": contenders, "claims": [claim], "slices": {"together": 2}}
    output = StringIO()
    announce(Console(file=output, width=600), planned_contender({"directory": "."}, **more), ())
    assert line(output.getvalue(), "slices") == snapshot


def test_without_verbose_it_is_said_what_is_tried_and_not_how_it_works() -> None:
    output = StringIO()
    announce(Console(file=output, width=400), planned(stacks=["a:two", "b"]), (), verbose=False)
    text = output.getvalue()
    assert " ".join(line(text, "stacks").split()) == "stacks a:two, b"
    labels = [each.split()[0] for each in text.splitlines()]
    assert labels == ["x:", "workload", "load", "stacks", "takes", *(["placement"] * (not local_placement().disjoint))]
    assert "once everything is built" in text and "min" not in text.replace("minute", "")


def test_without_verbose_a_placement_that_harms_figures_is_announced() -> None:
    output = StringIO()
    announce(Console(file=output, width=400), planned(placement="shared"), (), verbose=False)
    assert ": shared, figures will disturb" in output.getvalue()


def test_no_longest_time_is_promised_that_the_first_look_may_take(snapshot: object) -> None:
    """Blocks in slices take up to twice as long on a busy machine, and the first look waits for its blocks."""
    claim = {"kind": "ratio", "id": "c", "text": "c", "of": "a", "to": "b", "at_least": 2}
    assert line_with(announced(minutes=1, claims=[claim]), "about 50 seconds") == snapshot
    text = line(announced(minutes=1, claims=[claim], slices={"seconds": 0.5}), "trials")
    assert line_with(text, "about 50 seconds,") == snapshot
    assert "at most" not in text
    assert "5 minutes at most" in announced(minutes=5, claims=[claim], slices={"seconds": 0.5})


def test_the_block_under_profilers_has_its_time_too() -> None:
    """Of two conditions: each is loaded as in a trial, then under a profiler, and then in short loads."""
    output, plan = StringIO(), planned(stacks=["a", "b"])
    announce(Console(file=output, width=400), plan, (), verbose=False, profile=True)
    told = line(output.getvalue(), "profile")
    assert told.endswith(f"about {duration(planned_block_seconds(plan))} more, after the last trial")
    load = plan.conditions[0].load
    assert planned_block_seconds(plan) > 2 * (planned_seconds(1, load) + PROFILED_SECONDS[0])
    assert "profile" not in announced()
