"""What stands around a stack while it is tried: its database, and beside it a cache or an upstream."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.external import external
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.services.upstream import upstream
from fairtrial.catalog.stacks.environment import stack_settings
from fairtrial.catalog.tables import Data, tables_sha256
from fairtrial.catalog.workloads.model import Workload
from fairtrial.engine.process_tree import confine
from fairtrial.experiment.model import Experiment, ServiceOptions
from fairtrial.record.model import Failure, Placement, ServiceIdentity


@dataclass(frozen=True)
class Point:
    """An experiment at one value of its sweep, with what that decides."""

    experiment: Experiment
    options: Any
    """the workload's own"""
    data: Data

    @property
    def services(self) -> list[str]:
        """Those that its stacks are tried on."""
        return list(dict.fromkeys(self.experiment.service_of(stack) for stack in self.experiment.stacks))

    def chosen(self, service: str) -> ServiceOptions:
        """How the experiment has a service brought up."""
        return self.experiment.services.get(service, ServiceOptions())

    def holding(self, service: str) -> str:
        """A digest of what the service holds and of how it is brought up."""
        return tables_sha256(self.data.tables, self.chosen(service).model_dump())


@dataclass
class Surroundings:
    """What is up, by name. Of a service there is one at a time: where the values of a sweep decide its tables, each
    trial begins with one of its own, so that none has the processor, the memory or the warm cache of another.

    For what could not be brought up, there is the failure instead.
    """

    placement: Placement
    points: Sequence[Point]
    on_rows: Callable[[int, int], None]
    """is told rows loaded so far, and of how many"""
    failures: dict[tuple[str, str], Failure] = field(default_factory=dict)
    """by service, and what it was to hold"""
    cache: RunningService | None = None
    upstream_urls: dict[tuple[str, ...], str] = field(default_factory=dict)
    """by the arguments of each"""
    identities: list[ServiceIdentity] = field(default_factory=list)
    """of all services that were up"""
    _up: dict[str, tuple[str, RunningService, ExitStack]] = field(default_factory=dict)
    """by name: what it holds, itself, and what ends it"""

    def service(self, name: str, point: Point) -> RunningService:
        """A service with the tables of `point`, up.

        Raises:
            Problem: it cannot be brought up, or back.
        """
        holding = point.holding(name)
        if name in self._up and self._up[name][0] == holding:
            service = self._up[name][1]
            if service.fault():  # it died in the trial before
                self.bring_back(service)
            return service
        self.end(name)
        with ExitStack() as bringing_up:
            service = bringing_up.enter_context(self.opened(name, point))
            self.place(service)
            self._up[name] = holding, service, bringing_up.pop_all()
        if service.identity not in self.identities:
            self.identities.append(service.identity)
        return service

    def failure(self, name: str, point: Point) -> Failure | None:
        """Why the service with the tables of `point` could not be brought up before the first trial, or None."""
        return self.failures.get((name, point.holding(name)))

    def after_trial(self, name: str, *, changed: bool) -> None:
        """The next trial begins with the tables as they were loaded: its own, where points differ in them.

        Raises:
            Problem: that was not possible.
        """
        if len({point.holding(name) for point in self.points}) > 1:
            self.end(name)
        elif changed:
            self.bring_back(self._up[name][1])

    def end(self, name: str) -> None:
        """End a service, if it is up."""
        if name in self._up:
            _, _, ending = self._up.pop(name)
            ending.close()

    def end_all(self) -> None:
        """End every service, the last first."""
        with ExitStack() as ending:
            for name in list(self._up):
                ending.callback(self.end, name)

    def bring_back(self, service: RunningService) -> None:
        """Its tables as they were loaded, and itself on the server's processors.

        Raises:
            Problem: that was not possible.
        """
        service.reset()
        self.place(service)

    def place(self, service: RunningService) -> None:
        """Loading may take all processors; serving keeps to the server's."""
        if service.pid is not None:
            confine(service.pid, self.placement.server_cpus)

    def settings(self, service: RunningService, workload: Workload, options: object) -> dict[str, str]:
        """The contract's variables for a stack on this service."""
        arguments = tuple(workload.upstream(options)) if workload.upstream else ()
        urls = {
            "database_url": service.url,
            "cache_url": self.cache.url if self.cache else "",
            "upstream_url": self.upstream_urls.get(arguments, ""),
        }
        return stack_settings(self.placement.server_cpus, **urls) | dict(workload.environment(options))

    def opened(self, name: str, point: Point) -> AbstractContextManager[RunningService]:
        """A service to be entered: brought up for `point`, and down again."""
        service, chosen, tables = pick_service(name), point.chosen(name), point.data.tables
        counts = {table.name: table.rows.count for table in tables}

        def on_rows(table: str, loaded: int) -> None:
            self.on_rows(loaded, counts[table])

        if chosen.url_from:
            return external(service, chosen.url_from, tables, on_rows)
        return service.up(tables, chosen.variant, on_rows)


@contextmanager
def surroundings(
    workload: Workload,
    points: Sequence[Point],
    placement: Placement,
    on_service: Callable[[str], None],
    on_rows: Callable[[int, int], None],
) -> Iterator[Surroundings]:
    """Bring up every service that the experiment's stacks are tried on, its cache and its upstream.

    A service that cannot be brought up is a failure of the conditions on it, not of the experiment; a cache or an
    upstream that cannot is one of all. Where points differ in their tables, all of them are loaded and kept before the
    first trial, as far as the service keeps what was loaded.

    Args:
        points: the experiment at each value of its sweep; each has an upstream as its options ask for.
    """
    around = Surroundings(placement, points, on_rows)
    experiment = points[0].experiment
    with ExitStack() as held:
        held.callback(around.end_all)
        beside: Failure | None = None
        try:
            if experiment.cache:
                on_service(pick_service(experiment.cache).title)
                around.cache = held.enter_context(around.opened(experiment.cache, replace(points[0], data=Data())))
                around.place(around.cache)
                around.identities.append(around.cache.identity)
            if workload.upstream and workload.operations is None:  # a program has one of its own in each trial
                for arguments in {tuple(workload.upstream(point.options)) for point in points}:
                    beside_stack = held.enter_context(upstream(arguments, placement.server_cpus))
                    around.upstream_urls[arguments] = beside_stack.url
        except Problem as problem:
            beside = _failure(problem)
        wanted = {(name, point.holding(name)): point for point in points for name in point.services}
        for (name, holding), point in wanted.items():
            failure = beside or _prepared(around, name, point, on_service)
            if failure is not None:
                around.failures[name, holding] = failure
        yield around


def _prepared(around: Surroundings, name: str, point: Point, on_service: Callable[[str], None]) -> Failure | None:
    rows = sum(table.rows.count for table in point.data.tables)
    title = pick_service(name).title
    on_service(f"{title} with {rows:,} rows" if rows else title)
    try:
        around.service(name, point)
        around.after_trial(name, changed=False)
    except Problem as problem:
        return _failure(problem)
    return None


def _failure(problem: Problem) -> Failure:
    return Failure(stage="service", reason=problem.reason, remedy=problem.remedy)
