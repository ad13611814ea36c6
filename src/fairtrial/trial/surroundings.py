"""What stands around a stack while it is tried: its database, and beside it a cache or an upstream."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from fairtrial.experiment.model import Experiment, ServiceOptions
from fairtrial.meters.tree import confine
from fairtrial.problem import Problem
from fairtrial.record.model import Failure, Placement, ServiceIdentity
from fairtrial.services import pick_service
from fairtrial.services.external import external
from fairtrial.services.model import RowsLoaded, RunningService
from fairtrial.services.upstream import upstream
from fairtrial.stacks.settings import stack_settings
from fairtrial.tables import Data
from fairtrial.workloads.model import Workload


@dataclass
class Surroundings:
    """Services by name; for one that could not be brought up, the failure instead."""

    placement: Placement
    running: dict[str, RunningService] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)
    cache: RunningService | None = None
    upstream_urls: dict[tuple[str, ...], str] = field(default_factory=dict)
    """by the arguments of each"""

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

    @property
    def identities(self) -> list[ServiceIdentity]:
        """Of all services that are up."""
        return [service.identity for service in self.running.values()]


@contextmanager
def surroundings(
    experiment: Experiment,
    workload: Workload,
    options: Sequence[object],
    data: Data,
    placement: Placement,
    on_service: Callable[[str], None],
    on_rows: RowsLoaded,
) -> Iterator[Surroundings]:
    """Bring up every service that the experiment's stacks are tried on, its cache and its upstream.

    A service that cannot be brought up is a failure of the conditions on it, not of the experiment; a cache or an
    upstream that cannot is one of all.

    Args:
        options: the workload's, at each value of the experiment's sweep; each has an upstream as it asks for.
    """
    around = Surroundings(placement)
    names = dict.fromkeys(experiment.service_of(stack) for stack in experiment.stacks)

    def bring_up(name: str, tables: Data) -> RunningService:
        service, chosen = pick_service(name), experiment.services.get(name, ServiceOptions())
        on_service(service.title)
        opened = (
            external(service, chosen.url_from, tables.tables, on_rows)
            if chosen.url_from
            else service.up(tables.tables, chosen.variant, on_rows)
        )
        around.running[name] = held.enter_context(opened)
        around.place(around.running[name])
        return around.running[name]

    with ExitStack() as held:
        beside: Failure | None = None
        try:
            if experiment.cache:
                around.cache = bring_up(experiment.cache, Data())
            if workload.upstream and workload.operations is None:  # a program has one of its own in each trial
                for arguments in {tuple(workload.upstream(one)) for one in options}:
                    beside_stack = held.enter_context(upstream(arguments, placement.server_cpus))
                    around.upstream_urls[arguments] = beside_stack.url
        except Problem as problem:
            beside = _failure(problem)
        for name in names:
            try:
                if beside is None:
                    bring_up(name, data)
            except Problem as problem:
                around.failures[name] = _failure(problem)
            if beside is not None:
                around.failures[name] = beside
        yield around


def _failure(problem: Problem) -> Failure:
    return Failure(stage="service", reason=problem.reason, remedy=problem.remedy)
