"""The limit of a condition's goodput: its processors, what it shares, its load, its concurrency, or nothing known.

Goodput says what a contender can do only where the contender was at a limit of its own. Anywhere else it says what the
load asked for, and the contender can do as much or more: the figure is a lower bound.

Requests that wait at once are told by Little's law, L = λ W (J. D. C. Little, Operations Research 9 (1961), 383-387):
answers a second times the least time that each of them waits, which the workload knows of delays and sleeps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2
from statistics import median

from fairtrial.base.formatting import count, figure
from fairtrial.judge.checks.contender import GENERATOR_BUSY
from fairtrial.judge.model import Limit, LimitKind
from fairtrial.load.kinds import Load
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import Condition, ExperimentRecord, TrialRecord
from fairtrial.record.processes import ServerMeter

FULL = 0.85
"""The share of its processors from which something is at their limit, as in the check `contender-idle`: what is left
is less than an eighth of the figure more."""

KEPT_UP = 0.97
"""The share of an open load's rate from which all of it was served: the spread of Poisson arrivals over a window of a
thousand requests is 3%."""

MOSTLY_WAITING = 0.5
"""The share of the requests that could be in flight from which their least waiting decides the figure: of two
contenders whose own times are T and T / 2 beside a wait of T, the ratio shown is 1.33 and not 2, as at the floor
(`latency-at-the-floor`)."""

SHARED = 0.1
"""Others that take a tenth of a processor's work bend a ratio by as much, which is more than claims leave room for."""

LARGEST_PROPOSAL = 16_384
"""No experiment is told to open more connections than this."""


@dataclass(frozen=True)
class _Use:
    """Medians over a condition's trials, in processors and answers a second."""

    stack: float
    database: float
    balancer: float
    upstream: float
    """of the server's processors, which it has with the stack; 0 without one"""
    processors: int
    """of the server"""
    database_processors: int
    """where the database has processors to itself; 0: it shares the server's"""
    busy: float
    """of the server's processors, whoever used them, at most `processors`"""
    interrupts: float
    """of `busy`"""
    processes: float
    engine: float
    """the share of the engine's busiest processor"""
    goodput: float
    served: float
    """the part of an open load's requests that was answered right"""
    users: bool
    """whether the load counts users, who go through journeys"""
    waiting: float | None
    """requests that wait at once, by Little's law; None: no least time is known of them"""
    mean_seconds: float

    @property
    def in_words(self) -> str:
        """`the stack used 35% of the server's processor and its database 12%`."""
        parts = [f"the stack used {self.stack / self.processors:.0%} of {_servers(self.processors)}"]
        if self.database and not self.database_processors:
            parts.append(f"its database {self.database / self.processors:.0%}")
        if self.database and self.database_processors:
            parts.append(f"its database {self.database / self.database_processors:.0%} of its own")
        if self.balancer:
            parts.append(f"its balancer {self.balancer / self.processors:.0%}")
        if self.upstream:
            parts.append(f"its upstream {self.upstream / self.processors:.0%}")
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"

    @property
    def shared_with(self) -> list[str]:
        """Who else took `SHARED` of what the server's processors did: `["its upstream"]`. Interrupts are nobody's: they
        are the kernel's work for the stack's connections, and in nobody's processor time."""
        database = 0.0 if self.database_processors else self.database
        others = self.busy - self.interrupts - self.stack - database - self.balancer - self.upstream
        parts = {"its database": database, "its balancer": self.balancer, "its upstream": self.upstream}
        parts["other processes"] = others
        return [name for name, processors in parts.items() if processors > SHARED * self.busy]


def limit_of(record: ExperimentRecord, condition: Condition, trials: Sequence[TrialRecord]) -> Limit | None:
    """The limit of a condition's goodput in these trials; None if there are none."""
    if not trials:
        return None
    if condition.load.kind == "program":
        return _of_program(record, condition, trials)
    if condition.load.kind == "capacity":
        return _of_search(trials)
    use = _use(record, condition, trials)
    if use is None:
        return Limit(
            kind="not-examined",
            is_own=True,
            evidence=trials[0].not_measured or "nothing is known of its processes",
            remedy="let the lab start the contender",
        )
    by_use = _of_rate(condition.load, use) or _of_processors(use) or _of_engine(use)
    return by_use or _of_load(record, condition, use) or _not_known(condition.load, use)


def _of_processors(use: _Use) -> Limit | None:
    """A limit that processor time of stack and database is."""
    servers, per = _servers(use.processors), use.processors
    if use.database >= FULL * (use.database_processors or per):
        capacity = f"its {count(use.database_processors, 'processor')}" if use.database_processors else servers
        evidence = f"its database used {use.database / (use.database_processors or per):.0%} of {capacity}"
        return Limit(kind="database-processors", is_own=True, evidence=evidence)
    if use.stack >= FULL * per:
        return Limit(kind="stack-processors", is_own=True, evidence=f"it used {use.stack / per:.0%} of {servers}")
    if use.busy >= FULL * per:
        evidence = f"{servers} {'was' if per == 1 else 'were'} busy for {use.busy / per:.0%}: {use.in_words}"
        others = use.shared_with
        kind: LimitKind = "shared-processors" if others else "stack-processors"
        return Limit(kind=kind, is_own=True, evidence=evidence, shared_with=others)
    if FULL * use.processes <= use.stack <= use.processes / FULL:
        processes = "its process" if use.processes <= 1 else f"its {use.processes:.0f} processes, one each,"
        evidence = f"{processes} used {use.stack:.2f} of {servers}, as single threads do that never wait"
        return Limit(kind="single-threads", is_own=True, evidence=evidence)
    return None


def _of_engine(use: _Use) -> Limit | None:
    """The limit that the load engine is."""
    if use.engine < GENERATOR_BUSY:
        return None
    return Limit(
        kind="engine",
        is_own=False,
        evidence=f"the load engine was busy for {use.engine:.0%}, and {use.in_words}",
        remedy="give the load engine more processors, or choose a heavier workload",
    )


def _of_rate(load: Load, use: _Use) -> Limit | None:
    """The rate of an open load, where all of it was served: goodput is then the rate, however busy anything was."""
    if load.mean_per_second is None or use.served < KEPT_UP:
        return None
    return Limit(
        kind="rate",
        is_own=False,
        evidence=f"it served the {figure(load.mean_per_second)} {'users' if use.users else 'requests'} a second that "
        f"were asked for, and {use.in_words}",
        remedy='search for the highest rate (`kind = "capacity"`), or raise '
        f"{'`rate_per_second`' if load.is_stationary else 'the rates'} until one of them no longer keeps up",
    )


def _of_load(record: ExperimentRecord, condition: Condition, use: _Use) -> Limit | None:
    """A limit that lies in what was asked, or in how much of it the contender may work on at once."""
    load = condition.load
    if load.most_in_flight == 1 and (use.waiting or 0.0) < MOSTLY_WAITING:
        evidence = f"one request at a time: goodput is the reciprocal of response time, {1e3 * use.mean_seconds:.3g} ms"
        return Limit(kind="one-connection", is_own=True, evidence=evidence)
    if use.waiting is None:
        return None
    budget = record.budget_of(condition)
    # A contender that was not written for the lab may know nothing of the budget, and go beyond it.
    is_budget = budget < load.most_in_flight and use.waiting <= budget / KEPT_UP
    allowed = budget if is_budget else load.most_in_flight
    at_once = f"{figure(use.waiting)} of {allowed:,} requests"
    if use.waiting < MOSTLY_WAITING * allowed:
        evidence = f"only {at_once} that it could have worked on waited at once, and {use.in_words}"
        return Limit(kind="own-concurrency", is_own=True, evidence=evidence, at_once=use.waiting)
    most = allowed * use.goodput / use.waiting
    requests = count(allowed, "request")
    whose = f"{requests} that the concurrency budget allows at once" if is_budget else f"{requests} in flight"
    evidence = (
        f"{whose} give {figure(most)} answers a second at most, as each waits for "
        f"{1e3 * use.waiting / use.goodput:.3g} ms; it gave {figure(use.goodput)} ({use.goodput / most:.0%}), and "
        f"{use.in_words}"
    )
    more = _connections_needed(use, allowed)
    keys = [f"connections = {more}", *([f"concurrency_budget = {more}"] if budget < more else [])]
    if is_budget and more <= load.most_in_flight:
        keys = keys[1:]
    remedy = f"let it reach its processor: {' and '.join(f'`{key}`' for key in keys)}"
    return Limit(kind="budget" if is_budget else "load", is_own=False, evidence=evidence, remedy=remedy)


def _not_known(load: Load, use: _Use) -> Limit:
    return Limit(
        kind="not-known",
        is_own=False,
        evidence=f"{use.in_words}, and the load engine was busy for {use.engine:.0%}: none was at its limit",
        remedy=f"try more connections (`connections = {2 * load.connections}`): where goodput stays the same, look for "
        "locks, small pools and held-back answers in the contender",
    )


def _of_program(record: ExperimentRecord, condition: Condition, trials: Sequence[TrialRecord]) -> Limit | None:
    """Nobody offers a program a load: what limits it is its own, unless its job is to wait."""
    runs = [trial.program for trial in trials if trial.program is not None]
    if not runs:
        return None
    work, seconds = record.implied_work.get(condition.id), median(run.seconds for run in runs)
    least = 0.0 if work is None else work.least_seconds
    if least >= MOSTLY_WAITING * seconds:
        return Limit(
            kind="job",
            is_own=False,
            evidence=f"its job takes {least:.3g} s of waiting at least, and it took {seconds:.3g} s",
            remedy="give the job more to do for each wait, or shorter waits",
        )
    shares = [_processors(trial.server) + _processors(trial.service) for trial in trials]
    evidence = f"a program by itself; with its database it used {median(shares):.2f} processors"
    return Limit(kind="program", is_own=True, evidence=evidence)


def _of_search(trials: Sequence[TrialRecord]) -> Limit | None:
    """A search ends where an objective no longer holds, unless it ends at its own highest rate."""
    capacities = [each for trial in trials if trial.capacity is not None for each in trial.capacity.found]
    if not capacities:
        return None
    at_the_top = [each for each in capacities if each.at_the_top]
    if at_the_top:
        return Limit(
            kind="rate",
            is_own=False,
            evidence=f"{at_the_top[0].objective} still held at the highest rate of the search",
            remedy="raise `highest_per_second`",
        )
    names = ", ".join(dict.fromkeys(each.objective for each in capacities))
    return Limit(kind="objective", is_own=True, evidence=f"the search ended where {names} no longer held")


def _use(record: ExperimentRecord, condition: Condition, trials: Sequence[TrialRecord]) -> _Use | None:
    measured = [trial for trial in trials if trial.engine is not None and trial.server is not None]
    if not measured or any(trial.not_measured for trial in measured):
        return None
    engines = [trial.engine for trial in measured if trial.engine is not None]
    waits = [waiting for trial in measured if (waiting := _waiting(record, condition, trial)) is not None]
    processors = max(len(record.placement_of(measured[0]).server_cpus), 1)
    return _Use(
        stack=median(_processors(trial.server) for trial in measured),
        database=median(_processors(trial.service) for trial in measured),
        balancer=median(_processors(trial.balancer) for trial in measured),
        upstream=median(_upstream(record, trial) for trial in measured),
        processors=processors,
        database_processors=_database_processors(record, measured[0]),
        busy=min(median(_busy(record, trial) for trial in measured), processors),
        interrupts=median(_interrupts(record, trial) for trial in measured),
        processes=median(trial.server.processes for trial in measured if trial.server is not None),
        engine=median(engine.busiest_processor_share(record.placement.load_processors) for engine in engines),
        goodput=median(engine.goodput_per_second for engine in engines),
        served=median(_served(condition.load, engine) for engine in engines),
        users=any(engine.journeys for engine in engines),
        waiting=median(waits) if len(waits) == len(measured) else None,
        mean_seconds=median(engine.response_time.mean_seconds or 0.0 for engine in engines),
    )


def _served(load: Load, engine: EngineSummary) -> float:
    """The part of an open load's requests that was answered right in the window; 0 of another load.

    Its rate counts users, so that steps of journeys, which are more, are held against those that fell due.
    """
    if engine.journeys:
        return engine.verified / engine.offered if engine.offered else 0.0
    return engine.goodput_per_second / load.mean_per_second if load.mean_per_second else 0.0


def _waiting(record: ExperimentRecord, condition: Condition, trial: TrialRecord) -> float | None:
    """How many requests were in their least wait at once, on average; None where no least wait is known."""
    work, engine = record.implied_work.get(condition.id), trial.engine
    if work is None or engine is None or engine.window_seconds <= 0:
        return None
    waits = {name: seconds for name, seconds in work.least_answer_seconds.items() if seconds > 0}
    waited = sum(share.verified * waits.get(share.name, 0.0) for share in engine.mix)
    return waited / engine.window_seconds if waited else None


def _database_processors(record: ExperimentRecord, trial: TrialRecord) -> int:
    if trial.service is None or record.shares_processors(trial):
        return 0
    host = record.host_of(trial, "service")
    return len(record.placement_of(trial).cpus_of_services if host is None else host.cpus)


def _busy(record: ExperimentRecord, trial: TrialRecord) -> float:
    """How many of the server's processors were at work, for whom ever: what others took, the contender could not."""
    placement, machine = record.placement_of(trial), trial.machine
    metered = _processors(trial.server)
    if record.shares_processors(trial):
        metered += _processors(trial.service)
    if record.host_of(trial, "balancer") is None:
        metered += _processors(trial.balancer)
    if machine is None or machine.window_seconds <= 0 or not placement.server_cpus:
        return metered
    seconds = machine.busy_seconds(placement.server_cpus) + machine.steal_seconds(placement.server_cpus)
    return max(metered, seconds / machine.window_seconds + _interrupts(record, trial))


def _upstream(record: ExperimentRecord, trial: TrialRecord) -> float:
    """How many of the server's processors the lab's upstream used; 0 without one."""
    machine, has_upstream = trial.machine, trial.ledger is not None and "calls" in trial.ledger.done
    if machine is None or machine.window_seconds <= 0 or not has_upstream:
        return 0.0
    beside = machine.own_server_cpu_seconds / machine.window_seconds - _processors(trial.server)
    if record.shares_processors(trial):
        beside -= _processors(trial.service)
    if record.host_of(trial, "balancer") is None:
        beside -= _processors(trial.balancer)
    return max(beside, 0.0)


def _interrupts(record: ExperimentRecord, trial: TrialRecord) -> float:
    """How many of the server's processors interrupts took."""
    cpus, machine = record.placement_of(trial).server_cpus, trial.machine
    if machine is None or machine.window_seconds <= 0:
        return 0.0
    return sum(each.interrupt_seconds for each in machine.processors if each.cpu in cpus) / machine.window_seconds


def _connections_needed(use: _Use, allowed: int) -> int:
    """A power of two with which the contender would fill its processors, with as many again in its queue."""
    share = max(use.busy / use.processors, 0.02)
    enough = max(2 * use.waiting / share, 2 * allowed) if use.waiting else 2 * allowed
    return min(1 << ceil(log2(enough)), LARGEST_PROPOSAL)


def _processors(meter: ServerMeter | None) -> float:
    return 0.0 if meter is None or meter.window_seconds <= 0 else meter.cpu_seconds / meter.window_seconds


def _servers(processors: int) -> str:
    return "the server's processor" if processors == 1 else f"the server's {processors} processors"
