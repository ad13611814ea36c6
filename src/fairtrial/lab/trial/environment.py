"""The services around the stacks while they are tried: their databases, and a cache."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from fairtrial.base.cache.once import CacheNotWritable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.external import external
from fairtrial.catalog.services.model import RowsLoaded, RunningService, Service, ServiceStart
from fairtrial.catalog.tables import WORK_TABLE, Table, tables_sha256
from fairtrial.engine.process_tree import confine
from fairtrial.lab.equality.under_load import ReferenceAnswers
from fairtrial.lab.placement import THIS_MACHINE, TrialHosts
from fairtrial.lab.trial.events import Preparing, RowProgress, Watcher, unwatched
from fairtrial.lab.trial.work_rate import set_work, work_rate
from fairtrial.plan.plan import Plan, PlannedCondition, Point
from fairtrial.record.identity import ServiceIdentity
from fairtrial.record.model import Failure
from fairtrial.record.placement import Placement

SECRET_BYTES = 16
UPSTREAM = "upstream"
"""Under this name the URL of a trial's upstream stands among those of the services."""


class _Key(NamedTuple):
    """The service and its contents: the conditions that share a key share a running service."""

    service: str
    contents_sha256: str


class _Started(NamedTuple):
    """A service that is up for the conditions that share its key, and what ends it."""

    key: _Key
    condition: PlannedCondition
    service: RunningService
    ending: ExitStack


@dataclass
class Environment:
    """The services of an experiment. Of each there is at most one up at a time.

    Where the values of a sweep decide the tables of a service, each trial begins with a service of its own, so that
    none has the processor, the memory or the warm cache of another. For a service that could not be brought up before
    the first trial, there is the failure instead.
    """

    plan: Plan
    placement: Placement
    watcher: Watcher = unwatched
    failures: dict[_Key, Failure] = field(default_factory=dict)
    cache: RunningService | None = None
    identities: list[ServiceIdentity] = field(default_factory=list)
    """of all services that were up"""
    reference: ReferenceAnswers | None = None
    """what answers under load are compared with"""
    trial_hosts: TrialHosts = THIS_MACHINE
    draws_secret: bytes = field(default_factory=lambda: secrets.token_bytes(SECRET_BYTES), repr=False)
    """from which the draws of the load engine follow, in this run"""
    of_one_trial: bool = False
    """whether its services end with the trial that they were brought up for"""
    _work_rates: dict[str, int] = field(default_factory=dict)
    """by service, the rate of work in long queries, as it was measured first: the same in all trials"""
    _started: dict[str, _Started] = field(default_factory=dict)
    """by the service's name"""
    _untouched: list[RunningService] = field(default_factory=list)
    """as they were brought up, or back: no stack was started beside them since"""

    def service(self, condition: PlannedCondition) -> RunningService:
        """The condition's service, up, with the tables that its trials begin with.

        Raises:
            Problem: it cannot be brought up, or back.
        """
        service, point = condition.service, condition.point
        if self.cache is not None and self.cache.fault():
            self.bring_back(self.cache)
        key, started = contents_key(condition), self._started.get(service.name)
        if started is not None and started.key == key:
            if started.service.fault():  # it died in the trial before
                self.bring_back(started.service)
            return started.service
        self._end(service)
        with ExitStack() as starting:
            running = starting.enter_context(self._opened(service, point, point.data.tables))
            self._place(running)
            self._set_work(condition, running)
            self._untouched.append(running)
            self._started[service.name] = _Started(key, condition, running, starting.pop_all())
        self._identify(running)
        return running

    @cached_property
    def _keys(self) -> set[_Key]:
        return {contents_key(condition) for condition in self.plan.conditions}

    def failure(self, condition: PlannedCondition) -> Failure | None:
        """Why the condition's service could not be brought up before the first trial, or None."""
        return self.failures.get(contents_key(condition))

    def after_trial(self, condition: PlannedCondition, *, changed: bool) -> None:
        """Make sure that the next trial begins with the database as it was loaded, and with an empty cache.

        Nothing is to be done where services end with their trial.

        Args:
            changed: whether the trial changed the database.

        Raises:
            Problem: that was not possible.
        """
        if self.of_one_trial:
            return
        service = condition.service
        if sum(key.service == service.name for key in self._keys) > 1:
            self._end(service)
            self._empty_cache()
        else:
            self.as_loaded(self._started[service.name].service, changed=changed)

    def bring_back(self, service: RunningService) -> None:
        """Restore the tables as they were loaded, and keep the service on the server's processors.

        Raises:
            Problem: that was not possible.
        """
        self._forget(service)
        service.reset()
        self._place(service)
        started = self._started.get(service.identity.name)
        if started is not None and started.service is service:
            self._set_work(started.condition, service)
        self._untouched.append(service)

    def touch(self, service: RunningService) -> None:
        """A stack may change what this service and the cache hold, from now on."""
        self._forget(service)
        if self.cache is not None:
            self._forget(self.cache)

    def as_loaded(self, service: RunningService, *, changed: bool) -> None:
        """Make sure that the next stack meets the tables as they were loaded, and an empty cache.

        What no stack was started beside since it was brought back is left as it is.

        Args:
            changed: whether the tables may have been changed.

        Raises:
            Problem: that was not possible.
        """
        self._empty_cache()
        if changed and not self._is_untouched(service):
            self.bring_back(service)

    def _empty_cache(self) -> None:
        if self.cache is not None and not self._is_untouched(self.cache):
            self.bring_back(self.cache)

    def _is_untouched(self, service: RunningService) -> bool:
        return any(each is service for each in self._untouched) and service.fault() is None

    def _forget(self, service: RunningService) -> None:
        self._untouched = [each for each in self._untouched if each is not service]

    def stack_settings(
        self,
        condition: PlannedCondition,
        service: RunningService,
        instance: int = 0,
        urls: Mapping[str, str] | None = None,
    ) -> dict[str, str]:
        """The contract's environment variables for one instance, from 0, of a condition's stack on this service.

        Args:
            urls: by service, the URL that stacks get in place of the service's own; by `UPSTREAM`, the upstream's.
        """
        urls = urls or {}
        of_contract = {
            "DATABASE_URL": urls.get(service.identity.name, service.url),
            "CACHE_URL": urls.get(self.cache.identity.name, self.cache.url) if self.cache else "",
            "UPSTREAM_URL": urls.get(UPSTREAM, ""),
        }
        return condition.stack_settings(of_contract, len(self.placement.server_cpus), instance)

    def end_all(self) -> None:
        """End every service, the last first."""
        with ExitStack() as ending:
            for started in self._started.values():
                ending.push(started.ending)
            self._started = {}

    def prepare(self, condition: PlannedCondition) -> None:
        """Bring the condition's service up for the first time; where each trial has its own, only load its tables.

        Raises:
            Problem: it cannot be brought up.
        """
        self.service(condition)
        self.after_trial(condition, changed=False)

    def prepare_cache(self, stack: ExitStack) -> None:
        """Bring up the cache, which all conditions share, if there is one. `stack` ends it.

        Raises:
            Problem: it cannot be brought up.
        """
        if self.plan.cache is not None:
            self.watcher(Preparing(self.plan.cache.title))
            self.cache = stack.enter_context(self._opened(self.plan.cache, self.plan.points[0], ()))
            self._place(self.cache)
            self._untouched.append(self.cache)
            self._identify(self.cache)

    @contextmanager
    def apart(self) -> Iterator["Environment"]:
        """Services for one trial alone, beside those of others that are up with it; they end at the end.

        Raises:
            Problem: its cache cannot be brought up.
        """
        own = replace(self, watcher=unwatched, cache=None, of_one_trial=True, _started={}, _untouched=[])
        with ExitStack() as ending:
            ending.callback(own.end_all)
            own.prepare_cache(ending)
            yield own

    def _identify(self, service: RunningService) -> None:
        rate = self._work_rates.get(service.identity.name)
        identity = service.identity.model_copy(update={"work_rounds_per_second": rate})
        if identity not in self.identities:
            self.identities.append(identity)

    def _opened(
        self, service: Service, point: Point, tables: Sequence[Table]
    ) -> AbstractContextManager[RunningService]:
        options = point.service_options(service)
        on_rows = telling_of_rows(tables, self.watcher)
        if options.url_from:
            return external(service, options.url_from, tables, on_rows)
        if self.trial_hosts.start_service is not None and service.port is not None:
            place = next(place for place, each in enumerate(self.plan.points) if each is point)
            return self.trial_hosts.start_service(service, place, bool(tables))
        files = point.data.files.get(service.name, ())
        return service.start(ServiceStart(tables, options.variant, on_rows, files, address=options.address))

    def _end(self, service: Service) -> None:
        started = self._started.pop(service.name, None)
        if started is not None:
            self._forget(started.service)
            started.ending.close()

    def _place(self, service: RunningService) -> None:
        """Loading may take all processors; serving keeps to those of services."""
        if service.pid is not None:
            confine(service.pid, self.placement.cpus_of_services)

    def _set_work(self, condition: PlannedCondition, running: RunningService) -> None:
        """Long queries work at the rate that was measured when they did first; nothing where they only sleep."""
        service = condition.service
        table = next((each for each in condition.point.data.tables if each.name == WORK_TABLE), None)
        if table is None:
            return
        if service.name not in self._work_rates:
            self._work_rates[service.name] = work_rate(service, running)
        set_work(running, table, self._work_rates[service.name])


@contextmanager
def trial_environment(
    plan: Plan,
    placement: Placement,
    watcher: Watcher = unwatched,
    trial_hosts: TrialHosts = THIS_MACHINE,
) -> Iterator[Environment]:
    """Bring up every service that the plan's conditions are tried on, and its cache; all end at the end.

    A service that cannot be brought up is a failure of the conditions on it, not of the experiment; a cache that cannot
    is a failure of all conditions. Where points differ in their tables, all of them are loaded and kept before the
    first trial, as far as the service keeps what was loaded.

    Raises:
        CacheNotWritable: something is to be kept for later runs, and nothing can be.
    """
    services = Environment(plan, placement, watcher, trial_hosts=trial_hosts)
    with ExitStack() as stack:
        stack.callback(services.end_all)
        cache_failure: Failure | None = None
        try:
            services.prepare_cache(stack)
        except CacheNotWritable:
            raise
        except Problem as problem:
            cache_failure = Failure.of("service", problem)
        for key, condition in {contents_key(condition): condition for condition in plan.conditions}.items():
            failure = cache_failure or _prepare(services, condition)
            if failure is not None:
                services.failures[key] = failure
        yield services


def _prepare(services: Environment, condition: PlannedCondition) -> Failure | None:
    rows = sum(table.rows.count for table in condition.point.data.tables)
    title = condition.service.title
    if condition.service.name != "none":
        services.watcher(Preparing(f"{title} with {rows:,} rows" if rows else title))
    try:
        services.prepare(condition)
    except CacheNotWritable:
        raise
    except Problem as problem:
        return Failure.of("service", problem)
    return None


def contents_key(condition: PlannedCondition) -> _Key:
    """The condition's service, with a digest of the tables that it holds and of how it is brought up.

    What lies between it and stacks is no part of it.
    """
    service, point = condition.service, condition.point
    started_by = point.service_options(service).model_dump(include={"variant", "url_from"})
    return _Key(service.name, tables_sha256(point.data.tables, started_by))


def telling_of_rows(tables: Sequence[Table], watcher: Watcher) -> RowsLoaded:
    """Tells a watcher of the rows of these tables, as they are loaded."""
    counts = {table.name: table.rows.count for table in tables}
    return lambda table, loaded: watcher(RowProgress(loaded, counts[table]))
