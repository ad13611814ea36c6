"""Rows that change while the load asks for them: the load's own answers show whether they come from the database.

Before the load and at drawn moments of the window, the lab changes rows that are drawn from the system's randomness.
The engine knows both texts of each, and tells which one an answer showed and when its request was sent. An old text
that was asked for after the change had been committed came from memory. Where the load does not ask for rows by a path
of their own, spot checks do: of a few rows, before and after their change.
"""

import math
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from fairtrial.base.clock_offset import SAME_CLOCK, ClockOffset
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.tables import Data, Table
from fairtrial.catalog.workloads.model import FreshnessProbe
from fairtrial.engine.plan import ChangedRow, ChangedText, EnginePlan, ExactBody, Request
from fairtrial.lab.meters.service import LaterChange, OnOtherHost
from fairtrial.lab.trial.freshness import ROWS, changed_table, grace_seconds, new_text
from fairtrial.lab.trial.later_changes import LaterChanges
from fairtrial.lab.trial.spot_checks import SPOT_CHECKS_UNTIL
from fairtrial.record.engine_summary import Sightings
from fairtrial.record.proof import RowChangesSeen

SHARE = 100
"""One row of so many changes: of a thousand answers about rows drawn at random, ten are about one of them."""
SHARE_IN_BODIES = 8
"""Of the rows that expected bodies hold, one of so many: one body of sixteen is looked at, and most should show one."""
FEWEST_ROWS, MOST_ROWS = 10, 1000
"""The engine takes no more; and each change before the load takes the lab some 0.1 ms."""
MOST_IN_WINDOW = 30
"""Each is a commit of its own in the window, some 0.6 ms of a PostgreSQL: below a hundredth of a window of 3 s."""
CHANGES_UNTIL = 0.75
"""Of the window: what is changed later is asked for too seldom."""
SHORTEST_WINDOW_SECONDS = 1.0


class RowChanges:
    """The changed rows of one measured load: `before_load`; `applied_to`, `begin` and `saw` for its window, or for each
    part of it; `end`; and `result`.

    Args:
        window_seconds: how long the load is measured, in all of its parts.
    """

    def __init__(
        self,
        probe: FreshnessProbe,
        data: Data,
        requests: Sequence[Request],
        service: RunningService,
        window_seconds: float,
    ) -> None:
        self._probe, self._data, self._service = probe, data, service
        self._table, self._grace_seconds = changed_table(probe, data), grace_seconds(service)
        key = self._table.given_columns[0]
        rows = _drawn_rows(probe, data, self._table, requests)
        self._old = {int(row[key]): str(row[probe.column]) for row in rows}
        generator = random.SystemRandom()
        in_window = generator.sample(list(self._old), min(MOST_IN_WINDOW, (len(rows) + 1) // 2))
        moments = sorted(generator.uniform(0, CHANGES_UNTIL * window_seconds) for _ in in_window)
        self._in_window = dict(zip(in_window, moments, strict=True))
        self._window_seconds = window_seconds
        self._committed_ns: dict[int, int] = {}
        self._problem: Problem | None = None
        self._here: LaterChanges | None = None
        self._elsewhere: OnOtherHost | None = None
        self._error_seconds = 0.0
        """by how much the moments of commits may be wrong"""
        self._late: list[tuple[int, int, int]] = []
        """answers about changed rows: the key, 1 for the new text, and how long after the commit they were asked for"""
        self._left_out = 0
        self._longest_grace: float | None = None
        """with what clocks may be wrong by; None: the engine has told of no sightings"""

    def before_load(self) -> None:
        """Change the rows that change before the load, all in one transaction where the service has those.

        Raises:
            Problem: the database refused.
        """
        if isinstance(self._service, OnOtherHost):
            self._service.before_changes()
        early = [key for key in self._old if key not in self._in_window]
        # Entered first: if that fails halfway, `end` sets them all back.
        self._committed_ns.update(dict.fromkeys(early, time.monotonic_ns()))
        with self._changing(together=True) as change:
            for key in early:
                change(key, new_text(self._old[key]))
        self._committed_ns.update(dict.fromkeys(early, time.monotonic_ns()))

    def applied_to(self, plan: EnginePlan) -> EnginePlan:
        """The plan with both texts of each row."""
        if self._probe.in_bodies is None:
            rows = [
                ChangedRow(id=key, field=self._probe.column, text=new_text(text)) for key, text in self._old.items()
            ]
            return plan.model_copy(update={"changed_rows": rows, "requests": [*plan.requests, *self._by_path]})
        return plan.model_copy(update={"requests": [self._with_places(request) for request in plan.requests]})

    @cached_property
    def _by_path(self) -> Sequence[Request]:
        """Spot checks of rows that change in the window: once before, so that a cache is filled, and once after."""
        if self._probe.spot_check is None:
            return []
        generator, spot_checks = random.SystemRandom(), list[Request]()
        for key in generator.sample(list(self._in_window), min(ROWS, len(self._in_window))):
            changes_at = self._in_window[key]
            moments = [
                generator.uniform(0, changes_at),
                generator.uniform(changes_at, SPOT_CHECKS_UNTIL * self._window_seconds),
            ]
            spot_check = self._probe.spot_check(self._data, key)
            spot_checks.append(spot_check.model_copy(update={"spot_check_at_seconds": moments}))
        return spot_checks

    def _with_places(self, request: Request) -> Request:
        body = request.expect.body
        assert isinstance(body, ExactBody)
        changed = list(places(body.text, self._old, self._probe))
        expect = request.expect.model_copy(update={"body": body.model_copy(update={"changed": changed})})
        return request.model_copy(update={"expect": expect})

    def begin(self, opened: float, since: float = 0.0, until: float = math.inf) -> None:
        """The window has opened: from now on change the others, each at a moment of its own.

        Args:
            opened: when, by the monotonic clock, in seconds.
            since: which part of the window it is, in seconds from the begin of the whole.
            until: likewise; what is to change in the other parts is left for them.

        Raises:
            Problem: the service's host is lost.
        """
        changes = [
            LaterChange(moment - since, key, new_text(self._old[key]))
            for key, moment in self._in_window.items()
            if since <= moment < until
        ]
        if not changes:
            return
        table, column = self._table.name, self._probe.column
        if isinstance(self._service, OnOtherHost):
            self._service.begin_changes(table, column, changes, opened)
            self._elsewhere = self._service
        else:
            self._here = LaterChanges(self._service, table, column, changes, opened)

    def end(self) -> None:
        """Change no more, and set back what was changed.

        Raises:
            Problem: the database refused a change, or to set it back.
        """
        self._stop()
        with self._changing(together=True) as change:
            # All of them: of a change that failed, nobody knows whether it was committed.
            for key, text in self._old.items():
                change(key, text)
        if self._problem is not None:
            raise self._problem

    def _stop(self) -> None:
        """Change no more, and take over when changes were committed."""
        here, elsewhere, self._here, self._elsewhere = self._here, self._elsewhere, None, None
        try:
            if here is not None:
                self._committed_ns |= here.committed()
            if elsewhere is not None:
                committed_ns, self._error_seconds = elsewhere.end_changes()
                self._committed_ns |= committed_ns
        except Problem as problem:
            self._problem = problem

    def abandon(self) -> None:
        """As `end`, after something else failed, which matters more."""
        with suppress(Problem):
            self.end()

    def saw(self, sightings: Sightings, engine_clock: ClockOffset = SAME_CLOCK) -> None:
        """This window, or part of it, is over: change no more, and compare the sightings with the moments of commits.

        Args:
            engine_clock: of the engine's host, beside this one. By what it may be wrong, and that of the service's
                host, the grace is longer.
        """
        self._stop()
        grace_seconds = self._grace_seconds + self._error_seconds + engine_clock.error_seconds
        grace_ns, ahead_ns = int(grace_seconds * 1e9), int(engine_clock.ahead_seconds * 1e9)
        self._late += [
            (key, is_new, sent_ns - ahead_ns - self._committed_ns[key])
            for key, is_new, sent_ns in sightings.kept
            if key in self._committed_ns and sent_ns - ahead_ns > self._committed_ns[key] + grace_ns
        ]
        self._longest_grace = max(self._longest_grace or 0.0, grace_seconds)
        self._left_out += sightings.left_out

    def result(self) -> RowChangesSeen | None:
        """The sightings of all parts of the window; None if the engine told of none."""
        if self._longest_grace is None:
            return None
        old = [(late_ns, key) for key, is_new, late_ns in self._late if not is_new]
        latest_ns, key = max(old, default=(0, 0))
        return RowChangesSeen(
            changed=len(self._committed_ns),
            in_window=len(self._committed_ns.keys() & self._in_window.keys()),
            answers=len(self._late),
            old=len(old),
            latest_seconds=latest_ns / 1e9,
            grace_seconds=self._longest_grace,
            example=f"{self._probe.column} of {key} was {self._old[key]!r} still" if old else "",
            left_out=self._left_out,
            keys=sorted(self._committed_ns),
        )

    def _changing(self, *, together: bool) -> Any:
        return self._service.changing(self._table.name, self._probe.column, together=together)


def places(body: str, old: Mapping[int, str], probe: FreshnessProbe) -> Iterator[ChangedText]:
    """Where the texts of these rows stand in a body, from front to back, in bytes."""
    assert probe.in_bodies is not None
    changed_texts: list[ChangedText] = []
    encoded = body.encode()
    for key, text in old.items():
        before, after = (probe.in_bodies.spelling(each_text).encode() for each_text in (text, new_text(text)))
        at = encoded.find(before)
        while at >= 0:
            changed_texts.append(ChangedText(id=key, at=at, text=after.decode()))
            at = encoded.find(before, at + len(before))
    yield from sorted(changed_texts, key=lambda place: place.at)


def _drawn_rows(
    probe: FreshnessProbe, data: Data, table: Table, requests: Sequence[Request]
) -> Sequence[Mapping[str, Any]]:
    """A share of the table's rows, or of those that the expected bodies hold."""
    if probe.in_bodies is None:
        return table.rows.random_rows(_so_many(table.rows.count // SHARE, table.rows.count))
    rows = probe.in_bodies.rows(data, [request.path for request in requests])
    rows_with = Counter(str(row[probe.column]) for row in rows)
    # Of two rows with one text, no body tells which it shows.
    told_apart = [row for row in rows if rows_with[str(row[probe.column])] == 1]
    return random.SystemRandom().sample(told_apart, _so_many(len(rows) // SHARE_IN_BODIES, len(told_apart)))


def _so_many(share: int, rows: int) -> int:
    return min(max(share, FEWEST_ROWS), MOST_ROWS, rows)
