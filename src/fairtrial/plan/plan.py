"""The plan: an experiment, resolved once.

A plan holds the things that the experiment names (workload, stacks, services, balancer), not their names. `plan.make`
makes it, `lab.announce` prints it, `lab.conduct` carries it out, `lab.first_line` writes it into the record. Two
conditions are the same only if they are the same object.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from fairtrial.base.strict import Strict
from fairtrial.catalog.balancers.model import Balancer
from fairtrial.catalog.services.model import Service
from fairtrial.catalog.stacks.environment import shares, stack_settings
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.model import Workload
from fairtrial.experiment.model import Experiment, ServiceOptions
from fairtrial.experiment.origins import UrlOrigin
from fairtrial.experiment.value import Value
from fairtrial.load.kinds import Load
from fairtrial.record.model import Condition

OVERHEAD_SECONDS = 1.0
"""A guess at start, contract and stop of a trial, until trials have been seen."""


@dataclass(frozen=True, eq=False)
class Point:
    """The experiment at one value of its sweep, and what that value decides."""

    value: Value | None
    """None without a sweep"""
    experiment: Experiment
    workload: Workload
    options: Strict
    """the workload's own"""

    @cached_property
    def data(self) -> Data:
        """The tables with which each trial begins. Made when first read: the engine describes generated rows."""
        return self.workload.data(self.experiment.dataset, self.options)

    def service_options(self, service: Service) -> ServiceOptions:
        """How the experiment has this service brought up."""
        return self.experiment.services.get(service.name, ServiceOptions())


@dataclass(frozen=True, eq=False)
class PlannedCondition:
    """One stack and variant on one service at one point of the sweep: what is tried once in each block."""

    recorded: Condition
    """as the record has it"""
    stack: Stack
    variant: Variant
    service: Service
    point: Point

    @property
    def label(self) -> str:
        """The condition as the experiment names it: `node-http:two-workers@mariadb at 16`."""
        return self.recorded.contender

    @property
    def built_apart(self) -> str | None:
        """The variant, if it has a build of its own; None if it shares the stack's."""
        return self.stack.built_apart(self.recorded.variant)

    @property
    def build_name(self) -> str:
        """The build that its trials run: `NAME`, or `NAME:VARIANT`."""
        return self.stack.build_name(self.built_apart)

    @property
    def load(self) -> Load:
        """The load at this point."""
        return self.point.experiment.load

    def stack_settings(self, urls: Mapping[str, str], server_processors: int, instance: int = 0) -> dict[str, str]:
        """The contract's environment variables for one instance, from 0, of its stack.

        The instances share the processors and the concurrency budget. Its `overrides` take the place of the contract's
        own.

        Args:
            urls: DATABASE_URL and the like; empty ones are left out.
        """
        experiment = self.point.experiment
        return stack_settings(
            urls,
            processors=shares(server_processors, experiment.instances)[instance],
            concurrency=shares(experiment.concurrency_budget, experiment.instances)[instance],
            overrides=self.overrides,
        )

    @property
    def overrides(self) -> dict[str, str]:
        """The variables that workload, experiment and variant set, the last of them in place of the others."""
        point = self.point
        return {**point.workload.environment(point.options), **point.experiment.env, **self.variant.env}


@dataclass(frozen=True, eq=False)
class PlannedTrial:
    """One trial of the plan. Trials, blocks and builds count from 1."""

    index: int
    block: int
    condition: PlannedCondition
    build: int = 1
    group: int = 1
    """in slices, those of a block in the same group are up together; groups are tried one after the other"""
    crash_audit: bool = False
    """whether the database is killed once the trial is over, if the workload writes"""
    hold_audit: bool = False
    """whether what its answers have to wait for is held, under a load before the trial or after it"""


@dataclass(frozen=True, eq=False)
class Plan:
    """All trials to come, and their order."""

    experiment: Experiment
    workload: Workload
    points: Sequence[Point]
    """one for each value of the sweep; without a sweep, one"""
    conditions: Sequence[PlannedCondition]
    cache: Service | None
    balancer: Balancer | None
    blocks: Sequence[Sequence[PlannedCondition]]
    """per block, every condition once, in the order in which they are tried"""
    spare_blocks: int = 0
    """so many of `blocks`, at the end, are tried only in the place of blocks that the machine spoiled; 0 with looks"""
    looks: Sequence[int] = ()
    """numbers of blocks after which the run ends if all claims are decided; empty: as many blocks are judged as the
    experiment has"""
    crash_audits: frozenset[int] = frozenset()
    """numbers of the trials that a crash audit follows; nobody but the lab knows them before"""
    hold_audits: frozenset[int] = frozenset()
    """likewise of those that a hold audit belongs to"""
    group_sizes: Sequence[Sequence[int]] = ()
    """in slices, per block, how many of its conditions are up together: the first so many, the next so many, …; empty:
    all of a block"""

    @property
    def stacks(self) -> list[Stack]:
        """Each stack once, in the order of the experiment."""
        return list({condition.stack.name: condition.stack for condition in self.conditions}.values())

    @property
    def builds(self) -> list[tuple[Stack, str | None]]:
        """Each build once, in the order of the experiment: the stack, and the variant if it has the build to itself."""
        return list({each.build_name: (each.stack, each.built_apart) for each in self.conditions}.values())

    @property
    def possible_ends(self) -> list[int]:
        """Numbers of blocks after which the run may end, ascending."""
        return list(self.looks) or list(range(len(self.blocks) - self.spare_blocks, len(self.blocks) + 1))

    @property
    def within_seconds(self) -> float | None:
        """How long a run with looks may take from its first trial on; None: its number of blocks is fixed."""
        minutes = self.experiment.minutes
        return None if minutes is None else 60 * minutes

    @property
    def trials_until_first_end(self) -> int:
        """How many trials there are until the run may end."""
        return sum(len(block) for block in self.blocks[: self.possible_ends[0]])

    @property
    def beyond_reach(self) -> list[str]:
        """Things tried that cannot be reached from a network of the run's own, each in words."""
        origins = {each.stack.name: each.stack.origin for each in self.conditions}
        outside = [f"{name} at {it.url}" for name, it in origins.items() if isinstance(it, UrlOrigin)]
        for each in self.conditions:
            experiment = each.point.experiment
            for name in (each.service.name, experiment.cache):
                if name is not None and experiment.services.get(name, ServiceOptions()).url_from is not None:
                    outside.append(f"the server of [services.{name}] url_from")
        return outside

    def trials(self) -> Iterator[PlannedTrial]:
        """Every trial, in the order in which they are tried. Blocks take the builds of a stack in turn."""
        index = 0
        for number, block in enumerate(self.blocks, 1):
            sizes = self.group_sizes[number - 1] if self.group_sizes else [len(block)]
            groups = [group for group, size in enumerate(sizes, 1) for _ in range(size)]
            for condition, group in zip(block, groups, strict=True):
                index += 1
                build = (number - 1) % self.experiment.builds + 1
                yield PlannedTrial(
                    index,
                    number,
                    condition,
                    build,
                    group,
                    crash_audit=index in self.crash_audits,
                    hold_audit=index in self.hold_audits,
                )


def most_connections(plan: Plan) -> int:
    """The most connections that a server of the plan has at once, idle ones included; 0 if all loads are programs."""
    loads = (point.experiment.load for point in plan.points)
    return max((load.connections + load.idle_connections for load in loads), default=0)


def planned_seconds(trials: int, load: Load) -> float:
    """How long so many trials take, as far as the plan tells."""
    return trials * (load.planned_seconds + OVERHEAD_SECONDS)
