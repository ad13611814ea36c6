"""Processes, budget and contract of the contender."""

from collections import Counter
from collections.abc import Iterator

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.experiment.ready import IN_THE_FOREGROUND
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding, nothing_to_do
from fairtrial.judge.checks.work import NOUNS
from fairtrial.record.engine_summary import EngineSummary, SpotCheckOutcome
from fairtrial.record.model import Clause, TrialRecord, by_condition
from fairtrial.record.processes import ServerMeter, Stop
from fairtrial.record.proof import Ledger

CHARACTERS_OF_REASON = 300


@check(
    "start-failed",
    looks_at="whether the stack ended before it was ready, or was not ready in time",
    remedy="read the end of the stack's log, and mend what makes it fail at times; if it only takes longer at times, "
    "raise `ready_within_seconds` in its description",
)
def start_failed(case: Case) -> Iterator[Finding]:
    """A contender that came up in some blocks and failed to in others: the trials that are left would be a selection.

    A refusal for each such start. A condition that never came up was not run.
    """
    for trials in by_condition(case.trials).values():
        came_up = sum(_came_up(trial) for trial in trials)
        failures = [(trial, trial.failure) for trial in trials if trial.failure and trial.failure.by_contender]
        for trial, failure in failures if came_up else ():
            reason = printable(failure.reason, CHARACTERS_OF_REASON).rstrip(":")
            starts = f"{len(failures)} of {len(failures) + came_up} starts failed"
            evidence = f"{starts}, in this trial because {reason}{_its_log(trial.log)}"
            yield finding("refusal", evidence, trial=trial.index)


def _its_log(log: str | None) -> str:
    return f"; its log is {log}" if log else ""


def _came_up(trial: TrialRecord) -> bool:
    """Whether the stack was seen to be ready, whatever became of the trial then."""
    return trial.readiness is not None or trial.engine is not None


SIGNALS = {6: "SIGABRT", 7: "SIGBUS", 9: "SIGKILL", 11: "SIGSEGV"}


@check(
    "server-exited",
    looks_at="whether the stack's process exited before the lab stopped it",
    remedy="read the end of the stack's log; run its command by hand under the same load",
    needs_processes=True,
)
def server_exited(exit_status: int, log: str | None) -> Iterator[Finding]:
    """A stack that exited by itself while it was needed.

    A refusal.
    """
    ended = f"{_in_words(exit_status)} while it was needed"
    if exit_status < 0:
        yield finding(
            "refusal",
            f"the guard above the stack was ended by {ended}, and the stack with it{_its_log(log)}",
            "look for the kernel's out-of-memory killer (dmesg), and whether the stack ends its parent process",
        )
    else:
        evidence = f"the stack exited by itself with {ended}{_its_log(log)}"
        yield finding("refusal", evidence, _remedy(exit_status))


def _remedy(status: int) -> str:
    """Empty: as the check says."""
    if status == 0:
        return IN_THE_FOREGROUND
    if _signal(status) == 9:
        return "look for the kernel's out-of-memory killer (dmesg); make the stack use less memory, or give it more"
    return ""


def _signal(status: int) -> int | None:
    """The signal behind a status of -n (Python's convention) or 128+n (the guard's and the shell's)."""
    if status < 0:
        return -status
    return status - 128 if status > 128 else None


def _in_words(status: int) -> str:
    signal = _signal(status)
    return f"status {status}" if signal is None else SIGNALS.get(signal, f"signal {signal}")


WORK = ("reads", "rows_read", "writes", "rows_written")
"""The work that a stack may do late, by the names of `Ledger.done`."""


@check(
    "slow-stop",
    looks_at="how long the stack took to end when it was told to (SIGTERM), and what the database counted from the end "
    "of the load until then",
    remedy="do the work for a request before its answer; what comes later was not measured",
    seconds=Threshold(
        1.0,
        "seconds",
        "what is in flight is answered within a fraction of one; runtimes that wait for idle connections or threads "
        "take one to five",
    ),
    share=Threshold(0.02, "share of the verified answers", "as in `ledger`: answers in flight when the load ended"),
)
def slow_stop(stop: Stop, ledger: Ledger, engine: EngineSummary, *, seconds: float, share: float) -> Iterator[Finding]:
    """A stack that took long to stop, and what it had the database do meanwhile.

    A note; a warning where that was more than the requests in flight explain.
    """
    if stop.seconds < seconds:
        return
    late = {name: ledger.after_load.get(name, 0) for name in WORK}
    figures = ", ".join(f"{count:,} {NOUNS[name]}" for name, count in late.items() if count > 0)
    took = f"the stack took {stop.seconds:.2f} s to stop"
    evidence = f"{took}; from the end of the load on, the database counted {figures or 'nothing'}"
    if max(late.values()) > engine.in_flight_at_end + share * ledger.verified:
        yield finding("warning", evidence)
    else:
        yield finding("note", evidence, nothing_to_do("no work of its requests was left to do"))


@check(
    "log-cut",
    looks_at="how much the stack printed: a log is cut off at 64 MiB",
    remedy="have the stack print less; as in production, requests need not be logged one by one",
)
def log_cut(log_dropped_bytes: int) -> Iterator[Finding]:
    """A stack that wrote so much to its log that the log was cut off.

    A warning.
    """
    if log_dropped_bytes:
        yield finding(
            "warning",
            f"the stack's log was cut off: {log_dropped_bytes:,} bytes of it are not kept; writing them took "
            "processor time, and a disk that others use",
        )


GENERATOR_BUSY = 0.8
"""The share at which `generator-saturated` warns."""


@check(
    "contender-idle",
    looks_at="processor time of stack, database and balancer together under a closed load, compared with one "
    "processor and with the load engine's own",
    remedy="look for sleeps, locks, a pool that is too small, round trips, or an answer that is held back (see "
    "delayed-ack); more connections tell waiting from a limit",
    needs_processes=True,
    busy=Threshold(
        0.85,
        "processors",
        "a single thread that never waits uses 1; below 0.85 the same program could reach an eighth more, and what "
        "limits it is not processor time",
    ),
)
def contender_idle(
    engine: EngineSummary, server: ServerMeter, trial: TrialRecord, case: Case, *, busy: float
) -> Iterator[Finding]:
    """A server that is idle under a load that never pauses is waiting for something: the finding says for what.

    A note where they used less than one processor, and what was busy.
    """
    if engine.achieved_over_offered is not None:
        return
    stack, service, balancer = (_share(meter) for meter in (server, trial.service, trial.balancer))
    if stack + service + balancer >= busy:
        return
    others = _other_load(case, trial)
    if stack + service + balancer + others >= busy:
        return  # `foreign-load` and `stolen` report this
    used = f"the stack used {stack:.0%} of one processor"
    if trial.service is not None:
        used += f" and its database {service:.0%}"
    if trial.balancer is not None:
        used += f" and its balancer {balancer:.0%}"
    generator = engine.busiest_processor_share(case.record.placement.load_processors)
    if generator >= GENERATOR_BUSY:
        why, remedy = (
            f"the load engine used {generator:.0%} of one of its own: the generator limits the figure",
            ("give the load engine more threads and processors, or choose a heavier workload"),
        )
    elif balancer > max(stack, service):
        why, remedy = (
            "most of it was the balancer's: it limits the figure",
            ("take this for the balancer's figure; give it more than one worker, or try the stack without it"),
        )
    elif service > stack:
        why, remedy = (
            "most of it was the database's: what that waits for (its disk, its locks) limits the figure",
            ("take this for the database's figure; look at its commits and its disk before comparing stacks on it"),
        )
    else:
        why, remedy = "nothing was at its limit: waiting limits the figure", ""
    yield finding("note", f"{used} under a load that never pauses; {why}", remedy)


def _share(meter: ServerMeter | None) -> float:
    return 0.0 if meter is None or meter.window_seconds <= 0 else meter.cpu_seconds / meter.window_seconds


def _other_load(case: Case, trial: TrialRecord) -> float:
    """How many of the server's processors went to anything but the lab: other processes, interrupts, the hypervisor."""
    machine = trial.machine
    if machine is None or machine.window_seconds <= 0:
        return 0.0
    placement = case.record.placement_of(trial)
    cpus = placement.server_cpus
    own = machine.own_server_cpu_seconds + case.beside_seconds(trial) if placement.disjoint else 0.0
    interrupts = sum(each.interrupt_seconds for each in machine.processors if each.cpu in cpus)
    foreign = max(machine.busy_seconds(cpus) - own, 0.0)
    return (foreign + interrupts + machine.steal_seconds(cpus)) / machine.window_seconds


WATCHED = "mongodb"
"""The service whose drivers hold connections beside their pools."""


@check(
    "over-budget",
    looks_at="the connections to the database that the stack's processes held in the warm-up and when the window "
    "closed, compared with the concurrency budget; of those to MongoDB, also what was sent on each (tcp_info)",
    remedy="size pools and processes by MAX_CONCURRENCY, MAX_THREADS and DB_POOL; or raise `concurrency_budget` for "
    "all",
    needs_processes=True,
    drivers_own=Threshold(
        2,
        "connections of each process to MongoDB",
        "a MongoDB driver watches its server by a connection of its own and measures the round-trip time by "
        "another (Server Monitoring specification): three messages, and one every ten seconds. One that carries more "
        "counts, as do all of other drivers, which hold none beside their pools",
    ),
)
def over_budget(
    database_connections: int, server: ServerMeter, trial: TrialRecord, case: Case, *, drivers_own: float
) -> Iterator[Finding]:
    """Connections to the database beyond the concurrency budget: more requests worked on at once than the others may.

    A warning.
    """
    condition = case.condition_of(trial)
    budget, processes = case.record.budget_of(condition), max(1, server.processes)
    rounded_up = processes - 1  # each process rounds its share up by less than one
    at_work, of_them = database_connections, ""
    if condition.service == WATCHED:
        with_work = trial.worked_connections or 0
        at_work = max(round(database_connections - drivers_own * processes), with_work)
        of_them = f", {with_work} of which carried work" if with_work else ""
    if at_work > budget + rounded_up:
        yield finding(
            "warning",
            f"{database_connections} connections to the database{of_them}, and the concurrency budget is "
            f"{count(budget, 'request')} at once",
        )


OWN_REQUEST = "mend what answers, or `expect` of the request in the workload file"


@check(
    "contract",
    looks_at="the clauses tried on the running stack before the load, and how the stack ended on SIGTERM",
    remedy="mend the stack until `fairtrial check STACK` (or FILE.toml) passes every clause",
)
def contract(contract: list[Clause], stop: Stop | None, case: Case) -> Iterator[Finding]:
    """A stack that breaks the contract does other work than the others do.

    A refusal for each clause that failed, and one if SIGTERM did not end the stack.
    """
    own = case.record.own_workload
    for clause in contract:
        if not clause.passed:
            evidence = f"{clause.name}: {clause.requirement}; observed: {clause.evidence}"
            is_own = own is not None and (clause.name in own.requests or clause.name in own.journeys)
            yield finding("refusal", evidence, clause.remedy or (OWN_REQUEST if is_own else ""))
    if stop is not None and stop.forced:
        yield finding(
            "refusal",
            f"SIGTERM did not end the stack: it was killed after {stop.seconds:.1f} s"
            + (f"; {stop.why_forced}" if stop.why_forced else ""),
            "let the program exit on SIGTERM within 5 s: stop listening, finish what is in flight, close the pool",
        )


EXCERPT_CHARACTERS = 120
TOO_MANY_REQUESTS, SERVER_ERROR = 429, 500


@check(
    "contract-under-load",
    looks_at="requests of the contract that the load engine sends among its own, at drawn moments of the window and "
    "about drawn rows",
    remedy="answer every request alike, whoever else asks meanwhile: no part of the stack may know that it is measured",
)
def contract_under_load(engine: EngineSummary) -> Iterator[Finding]:
    """A stack that keeps the contract before the load and breaks it under the load.

    A refusal where one was answered wrongly, else a note with their number.
    """
    spot_checks = engine.spot_checks
    wrong = [each for each in spot_checks if each.error is not None and not _is_overload(each, engine)]
    if wrong:
        yield finding("refusal", _evidence(wrong, len(spot_checks)))
    elif spot_checks:
        right = Counter(each.name for each in spot_checks if each.error is None)
        counts = ", ".join(f"{name} {times}" for name, times in sorted(right.items())) or "none"
        failures = len(spot_checks) - right.total()
        beside = f"; {count(failures, 'other')} failed as requests of the load did" if failures else ""
        evidence = f"requests of the contract that were answered rightly under the load: {counts}{beside}"
        yield finding("note", evidence, nothing_to_do("its clauses hold under the load, too"))


def _is_overload(spot_check: SpotCheckOutcome, summary: EngineSummary) -> bool:
    """Whether it failed as the load's own requests did: without an answer, or with one that says "too busy"."""
    is_busy = spot_check.status is None or spot_check.status == TOO_MANY_REQUESTS or spot_check.status >= SERVER_ERROR
    return is_busy and sum(summary.errors.values()) > 0


def _evidence(wrong: list[SpotCheckOutcome], checks: int) -> str:
    first = wrong[0]
    what = first.error or ""
    if first.status is not None:
        excerpt = printable(first.excerpt, EXCERPT_CHARACTERS)
        what = f"{what}: status {first.status}, {excerpt!r}" if excerpt else f"{what}: status {first.status}, no body"
    reason = f" ({printable(first.reason, EXCERPT_CHARACTERS)})" if first.reason else ""
    return (
        f"{len(wrong)} of {count(checks, 'request')} of the contract were answered otherwise under the load than "
        f"before it; the first of them {first.name}, {first.sent_seconds:.2f} s into the window: {what}{reason}"
    )
