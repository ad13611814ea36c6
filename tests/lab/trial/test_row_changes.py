"""Rows that change under the load: which are drawn, where they stand in bodies, and which old texts count."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fairtrial.base.clock_offset import SAME_CLOCK, ClockOffset, over_time
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Change, RunningService
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads import categories, options_of, page, pick_workload, several_items
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.engine.plan import EnginePlan, ExactBody
from fairtrial.experiment.model import DatasetOptions
from fairtrial.lab.trial.freshness import new_text
from fairtrial.lab.trial.row_changes import RowChanges
from fairtrial.load.engine_terms import Closed, StopAfterSeconds
from fairtrial.record.engine_summary import Sightings
from fairtrial.record.proof import RowChangesSeen
from tests.waiting import wait_for

MS = 1_000_000
NOTHING_SEEN = Sightings(kept=[], left_out=0)


class Rows:
    """A service that holds what it is told, and may refuse."""

    def __init__(self, where: str = "private", refuses_after: int | None = None) -> None:
        self.identity = SimpleNamespace(where=where)
        self.texts: dict[int, str] = {}
        self.transactions: list[int] = []
        self._left = refuses_after

    @contextmanager
    def changing(self, _table: str, _column: str, *, together: bool = False) -> Iterator[Change]:
        def change(key: int, text: str) -> None:
            if self._left == 0:
                raise Problem("the database refused")
            self._left = None if self._left is None else self._left - 1
            self.texts[key] = text
            self.transactions[-1:] = [self.transactions[-1] + 1] if together else [*self.transactions[-1:], 1]

        self.transactions.append(0)
        yield change


def changes_of(
    workload: str, rows: int, service: Rows, window_seconds: float = 0.1
) -> tuple[RowChanges, EnginePlan, Data]:
    """The changes of one load, and the plan without them."""
    chosen = pick_workload(workload)
    assert isinstance(chosen, ServerWorkload) and chosen.freshness
    options = options_of(chosen, {})
    data = chosen.data(DatasetOptions(rows=rows), options)
    requests = chosen.requests(data, options)
    plan = EnginePlan(
        address="127.0.0.1:1", requests=requests, load=Closed(connections=1), stop=StopAfterSeconds(seconds=1)
    )
    return RowChanges(chosen.freshness, data, requests, cast("RunningService", service), window_seconds), plan, data


def seen_by(
    changes: RowChanges, sightings: Sightings = NOTHING_SEEN, clock: ClockOffset = SAME_CLOCK
) -> RowChangesSeen:
    changes.saw(sightings, clock)
    seen = changes.result()
    assert seen is not None
    return seen


def test_a_hundredth_of_the_rows_change_most_of_them_before_the_load_and_all_are_set_back() -> None:
    service = Rows()
    changes, plan, data = changes_of("random-item", 20_000, service)
    named = changes.applied_to(plan).changed_rows
    assert named is not None and len({row.id for row in named}) == 200
    old = {row["id"]: row["name"] for row in data.generated.rows_at(row.id for row in named)}
    assert {row.id: row.text for row in named} == {key: new_text(name) for key, name in old.items()}
    changes.before_load()
    assert len(service.texts) == 170 and service.transactions == [170]
    changes.begin(time.monotonic())
    seen = seen_by(changes)
    assert seen.keys == sorted(service.texts) and seen.changed - seen.in_window == 170
    changes.end()
    assert sum(service.transactions) == seen.changed + 200
    assert service.texts == old


def test_each_part_of_a_window_changes_what_falls_into_it_and_old_texts_of_all_parts_count() -> None:
    service = Rows()
    changes, _, _ = changes_of("random-item", 20_000, service, window_seconds=0.4)
    changes.before_load()
    committed = [len(service.texts)]
    for since in (0.0, 0.2):
        opened = time.monotonic()
        changes.begin(opened, since, since + 0.2)
        wait_for(lambda until=opened + 0.2: time.monotonic() > until, "the part is over")
        keys = seen_by(changes).keys
        seen = seen_by(changes, Sightings(kept=[(keys[0], 0, time.monotonic_ns())], left_out=1))
        committed.append(len(keys))
    assert committed[0] == 170 and committed[0] < committed[1] < committed[2] == 200
    assert (seen.in_window, seen.old, seen.left_out) == (30, 2, 2)
    changes.end()


def test_rows_are_asked_for_by_their_own_path_before_and_after_they_change() -> None:
    """The load asks for a random one."""
    changes, plan, data = changes_of("random-item", 20_000, Rows(), window_seconds=10)
    applied = changes.applied_to(plan)
    spot_checks = applied.requests[len(plan.requests) :]
    assert applied.changed_rows is not None
    changed = {row["uuid"]: row for row in data.generated.rows_at(row.id for row in applied.changed_rows)}
    for spot_check in spot_checks:
        row = changed[spot_check.path.removeprefix("/items/")]
        before, after = spot_check.spot_check_at_seconds or []
        assert 0 <= before <= changes._in_window[row["id"]] <= after <= 9.5
        assert spot_check.headers == plan.requests[0].headers
        assert spot_check.expect.body == plan.requests[0].expect.body
    assert len({spot_check.path for spot_check in spot_checks}) == 3
    changes, plan, _ = changes_of("redirect", 20_000, Rows())
    assert changes.applied_to(plan).requests == plan.requests, "the load asks for each row by its path"


def test_the_line_is_a_request_sent_after_the_commit_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer on its way while the row changes may show either text: a cache that a notification reaches within the
    commit is as good as none. One that was asked for later may not, wherever its old text was kept, or fetched ahead.
    """
    monkeypatch.setattr("fairtrial.lab.trial.row_changes.time.monotonic_ns", lambda: 5_000 * MS)
    for where, old, answers in (("private", 2, 3), ("external", 1, 1)):
        changes, _, _ = changes_of("random-item", 20_000, Rows(where))
        changes.before_load()
        key = seen_by(changes).keys[0]
        sent = [(4_999, 0), (5_000, 0), (5_001, 0), (5_500, 1), (6_001, 0)]
        kept = [(key, is_new, at_ms * MS) for at_ms, is_new in sent]
        never = [(0, 0, 9_000 * MS)]  # nobody changed it
        seen = seen_by(changes, Sightings(kept=kept + never, left_out=4))
        assert (seen.old, seen.answers, seen.left_out) == (old, answers, 4)
        assert seen.latest_seconds == 1.001
        assert seen.example.startswith(f"name of {key} was '")


def test_the_clock_of_another_host_is_set_against_this_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ahead by 100 s: what it says of 105 s was at 5 s. What may be wrong with that is held against no stack."""
    monkeypatch.setattr("fairtrial.lab.trial.row_changes.time.monotonic_ns", lambda: 5_000 * MS)
    changes, _, _ = changes_of("random-item", 20_000, Rows())
    changes.before_load()
    key = seen_by(changes).keys[0]
    kept = [(key, 0, at_ms * MS) for at_ms in (104_999, 105_009, 105_011)]
    seen = seen_by(changes, Sightings(kept=kept, left_out=0), ClockOffset(100.0, 0.01))
    assert (seen.old, seen.answers) == (1, 1)
    assert seen.latest_seconds == pytest.approx(0.011) and seen.grace_seconds == 0.01


def test_clocks_that_are_slewed_meanwhile_may_be_wrong_by_half_of_it() -> None:
    offset = over_time(ClockOffset(10.0, 0.001), ClockOffset(10.004, 0.002))
    assert offset.ahead_seconds == pytest.approx(10.002) and offset.error_seconds == pytest.approx(0.004)


def test_what_the_database_refused_is_a_problem_and_the_rest_is_set_back() -> None:
    service = Rows(refuses_after=100)
    changes, _, _ = changes_of("random-item", 20_000, service)
    with pytest.raises(Problem):
        changes.before_load()
    changes.abandon()


def changed_bodies(workload: str, rows: int) -> tuple[dict[str, tuple[str, str]], dict[int, str], Data]:
    """By path, a body before and after all of its changed texts; by key, the texts after."""
    changes, plan, data = changes_of(workload, rows, Rows())
    bodies, texts = {}, {}
    for request in changes.applied_to(plan).requests:
        body = request.expect.body
        assert isinstance(body, ExactBody) and body.changed is not None
        encoded = bytearray(body.text.encode())
        for place in body.changed:
            text = place.text.encode()
            encoded[place.at : place.at + len(text)] = text
            texts[place.id] = place.text.removeprefix('"name":"').strip('">').removesuffix("<")
        bodies[request.path] = (body.text, encoded.decode())
    return bodies, texts, data


def test_the_places_in_the_list_of_categories_are_those_of_the_changed_names() -> None:
    bodies, texts, _ = changed_bodies("categories", 1)
    changed = [(key, texts.get(key, name), *rest) for key, name, *rest in categories.rows()]
    assert bodies[categories.PATH] == (categories.body(), categories._json(changed))
    assert len(texts) == 10


@pytest.mark.parametrize(("workload", "changed"), [("several-items", 64), ("page", 22)])
def test_the_places_in_the_bodies_of_rows_are_those_of_the_changed_names(workload: str, changed: int) -> None:
    bodies, texts, data = changed_bodies(workload, 5_000)

    def now(row: dict[str, Any]) -> dict[str, Any]:
        return {**row, "name": texts.get(row["id"], row["name"])}

    for path, (_, after) in bodies.items():
        ids = [int(number) for number in path.rsplit("/", 1)[1].split(",")]
        if workload == "several-items":
            assert after == several_items._body([now(row) for row in data.generated.rows_at(ids)])
        else:
            *others, item = data.generated.rows_at(range(ids[0] - page.PRECEDING, ids[0] + 1))
            assert after == page.page(now(item), [now(row) for row in reversed(others)])
    assert abs(len(texts) - changed) < 3
