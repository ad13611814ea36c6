"""Requests of the contract in the load engine's plan: which, when, and that nothing of them can be known before."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from fairtrial.catalog.workloads import options_of, pick_workload
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.engine.plan import EnginePlan, JsonBody, Request
from fairtrial.experiment.model import DatasetOptions
from fairtrial.lab.trial.spot_checks import NEVER_SECONDS, TIMES, in_part, with_spot_checks
from fairtrial.load.engine_terms import Closed, StopAfterRequests, StopAfterSeconds
from fairtrial.plan.plan import Point

HEADERS = [("accept", "application/json")]


def spot_checks(
    workload: str, stop: StopAfterSeconds | StopAfterRequests, gaps: float = 0.0, **update: Any
) -> list[Request]:
    chosen = pick_workload(workload)
    assert isinstance(chosen, ServerWorkload)
    options = options_of(chosen, {})
    data = chosen.data(DatasetOptions(rows=200, gaps=gaps), options)
    plan = EnginePlan(
        address="127.0.0.1:1", requests=chosen.requests(data, options), load=Closed(connections=1), stop=stop
    )
    point = cast("Point", SimpleNamespace(data=data, options=options))
    changed = with_spot_checks(plan.model_copy(update=update), chosen, point, HEADERS)
    assert changed.requests[: len(plan.requests)] == plan.requests
    return changed.requests[len(plan.requests) :]


def test_each_clause_that_one_request_can_try_is_tried_at_moments_of_its_own() -> None:
    drawn = spot_checks("random-item", StopAfterSeconds(seconds=10))
    assert [each.name for each in drawn] == [
        name for name in ("uuid-row", "uuid-unknown", "uuid-malformed") for _ in range(TIMES)
    ]
    moments = [moment for each in drawn for moment in each.spot_check_at_seconds or []]
    assert len(set(moments)) == len(drawn)
    assert all(0 <= moment <= 9.5 for moment in moments)
    assert all(each.headers == HEADERS for each in drawn)
    assert {each.name: each.expect.status for each in drawn}["uuid-unknown"] == [404]


@pytest.mark.parametrize("gaps", [0.0, 0.5])
def test_a_row_is_drawn_anew_and_expected_as_it_is_stored_but_for_the_name_that_may_change(gaps: float) -> None:
    rows = [each for _ in range(5) for each in spot_checks("random-item", StopAfterSeconds(seconds=1), gaps)[:TIMES]]
    assert len({each.path for each in rows}) > 1
    for each in rows:
        body = each.expect.body
        assert isinstance(body, JsonBody)
        assert set(body.values) == {"/id", "/uuid", "/hash_code", "/created_at"}
        assert each.path == f"/items/{body.values['/uuid'].strip(chr(34))}"


def test_where_moments_or_answers_are_not_known_there_are_none() -> None:
    assert spot_checks("random-item", StopAfterRequests(requests=100)) == []
    assert spot_checks("categories", StopAfterSeconds(seconds=1)) == [], "none of its clauses takes one request alone"
    compared = {"reference": SimpleNamespace()}
    assert spot_checks("random-item", StopAfterSeconds(seconds=1), **compared) == []


def test_the_parts_of_a_window_have_all_spot_checks_and_each_is_due_in_one_of_them() -> None:
    mix = [Request(name="mix", path="/")]
    drawn = spot_checks("random-item", StopAfterSeconds(seconds=10))
    seen: list[float] = []
    for since in (0.0, 2.5, 5.0, 7.5):
        part = in_part([*mix, *drawn], since, since + 2.5)
        assert part[0] == mix[0] and [each.path for each in part[1:]] == [each.path for each in drawn]
        seen += [since + moment for moment in moments_of(part) if moment < NEVER_SECONDS]
    late_by = [abs(one - other) for one, other in zip(sorted(seen), moments_of(drawn), strict=True)]
    assert max(late_by) <= 0.05 * 2.5 + 1e-9, "the last twentieth of a part is for the answer"
    assert set(moments_of(in_part([*mix, *drawn], 10.0, 12.5))) == {NEVER_SECONDS}


def moments_of(requests: list[Request]) -> list[float]:
    return sorted(moment for each in requests for moment in each.spot_check_at_seconds or [])
