"""The context that the steps of a trial share: the plan, the stack, the services around it, and the record that they
fill."""

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from fairtrial.catalog.services.model import RunningService, Service
from fairtrial.catalog.services.proxy import Proxy
from fairtrial.catalog.stacks.redaction import SHORTEST, Redaction
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.engine.nonce import new_nonce_key
from fairtrial.lab.trial.environment import Environment
from fairtrial.lab.trial.events import StageBegins, Watcher, unwatched
from fairtrial.plan.plan import Plan, PlannedCondition, PlannedTrial, Point
from fairtrial.record.engine_summary import Comparison, EngineSummary
from fairtrial.record.model import TrialRecord
from fairtrial.record.placement import Placement

Stage = str
"""`reset`, `start`, `contract`, `load`, `settle`, `stop`, `audit`, `crash`, `hold` or `restore`; before them `ceiling`
and `wait`."""


FAULT_WITHIN_SECONDS = 2.0
"""A guard ends after the server that it is above, once it has ended what that left; and a server that was stopped is
killed after two looks at it."""
LOOK_EVERY_SECONDS = 0.02


def awaited_fault(fault: Callable[[], str | None]) -> str | None:
    """How a server ended that no longer answers; None if it has not ended a moment later either."""
    deadline = time.monotonic() + FAULT_WITHIN_SECONDS
    while (message := fault()) is None and time.monotonic() < deadline:
        time.sleep(LOOK_EVERY_SECONDS)
    return message


@dataclass(frozen=True)
class TrialContext:
    """One trial with all that takes part in it."""

    plan: Plan
    trial: PlannedTrial
    folder: Path
    """where the built stack is run"""
    environment: Environment
    service: RunningService
    record: TrialRecord
    log: Path
    """takes what the stack prints"""
    watcher: Watcher = unwatched
    engine_runs: list[EngineSummary] = field(default_factory=list)
    """every run of the engine in this trial; `record.engine` is the last of those that were measured"""
    contract_runs: list[EngineSummary] = field(default_factory=list)
    """those of the contract, before the load: what they sent was asked for, too"""

    comparisons: list[Comparison] = field(default_factory=list)
    """of those runs whose answers were compared with the reference's"""

    urls: dict[str, str] = field(default_factory=dict)
    """by service, what the stack gets in place of the service's own URL while a proxy runs before it; by
    `environment.UPSTREAM`, the URL of the trial's upstream while it runs"""

    times_round_trips: bool = False
    """whether the stack reaches its database through a proxy, also where that adds no latency"""

    proxies: dict[str, Proxy] = field(default_factory=dict)
    """by service, the proxies of the trial, while they run"""

    partner_pids: list[int] = field(default_factory=list)
    """the guards of the proxies and of the upstream of the trial, while they run"""

    why_labs_user: str = ""
    """why the stack is run as the user of the lab, whatever else could be; empty: there is no such reason"""

    set_up_secrets: list[Mapping[str, str]] = field(default_factory=list)
    """those that the setup requests of this trial were answered with, by placeholder"""

    nonce_key: str = field(default_factory=new_nonce_key, repr=False)
    """of what is sent in this trial and in no other: a stack that is up later could have read it in an earlier one"""

    @property
    def condition(self) -> PlannedCondition:
        """The condition that is tried."""
        return self.trial.condition

    @property
    def point(self) -> Point:
        """The experiment at the condition's value of the sweep."""
        return self.trial.condition.point

    @property
    def placement(self) -> Placement:
        """The processors that the load generator and the server have in this trial."""
        return self.environment.placement.of_kind(self.point.experiment.placement)

    @property
    def lab_cpus(self) -> Sequence[int]:
        """The processors on which the lab keeps itself in this trial."""
        return self.environment.trial_hosts.cpus_of_lab(self.placement)

    @property
    def server_workload(self) -> ServerWorkload:
        """The workload of a trial in which requests are sent."""
        assert isinstance(self.plan.workload, ServerWorkload), "a program gets no requests"
        return self.plan.workload

    def fault(self) -> str | None:
        """How the database or the cache ended, if one has; None while both run."""
        return next((fault for _, server in self.services if (fault := server.fault())), None)

    @property
    def services(self) -> list[tuple[Service, RunningService]]:
        """The database and the cache that the stack uses; the database first."""
        cache, server = self.plan.cache, self.environment.cache
        beside = [] if cache is None or server is None else [(cache, server)]
        return [(self.condition.service, self.service), *beside]

    @property
    def draws_seed(self) -> int:
        """The seed of the engine's random draws, 62 bits: the same in all trials of a block, which are compared with
        each other.

        No stack knows it: it follows from a secret of the run, and is written nowhere.
        """
        key = self.environment.draws_secret + self.trial.block.to_bytes(8, "big")
        return int.from_bytes(hashlib.sha256(key).digest()[:8], "big") >> 2

    def stack_settings(self, instance: int = 0) -> dict[str, str]:
        """The environment variables of one instance of the stack, from 0."""
        return self.environment.stack_settings(self.condition, self.service, instance, self.urls)

    @property
    def redaction(self) -> Redaction:
        """A redaction that strips texts of all secrets that the stack was told in this trial."""
        proxied = self.urls
        roles = zip(("DATABASE_URL", "CACHE_URL"), self.services, strict=False)
        urls = [(role, url) for role, (service, server) in roles for url in (server.url, proxied.get(service.name, ""))]
        variables = {name: os.environ.get(name, "") for name in self.condition.stack.origin.env_from}
        long_enough = {name: value for name, value in variables.items() if len(value) >= SHORTEST}
        return Redaction(urls, long_enough, self.plan.workload.secrets, *self.set_up_secrets)

    @contextmanager
    def stage(self, name: Stage, awaited: str = "") -> Iterator[None]:
        """Measure what is done within, and put its time into the record under this name.

        Args:
            awaited: of stage `wait`, what is waited for.
        """
        self.watcher(StageBegins(name, awaited))
        began = time.monotonic()
        try:
            yield
        finally:
            self.record.stage_seconds[name] = round(time.monotonic() - began, 3)
