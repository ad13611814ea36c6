"""The load generator at its limits."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

from fairtrial.base.formatting import enumeration
from fairtrial.base.printable import printable
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.foreign_load import foreign_shares
from fairtrial.judge.checks.model import Case, Finding, LoadCase, Threshold, finding
from fairtrial.judge.statistics.support import supports_percentile
from fairtrial.load.capacity import METRIC_PERCENTILES
from fairtrial.load.kinds import Load
from fairtrial.record.calibration import Calibration
from fairtrial.record.engine_summary import Distribution, EngineSummary, Routes, Share
from fairtrial.record.load_hosts import LoadHostAccount
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import ExperimentRecord
from fairtrial.record.placement import Placement

MAX = "max"


@check(
    "generator-late",
    looks_at="an open load's response time (from the intended start) beside its service time (from the sent request), "
    "requests that were offered and not sent, and whether they waited for a connection",
    remedy="give the load engine processors of its own, or a lower rate; see foreign-load and stolen",
    of_loads=True,
    warn=Threshold(
        0.1,
        "share of a percentile of response time",
        "response times count from the intended start, so the generator's lateness is part of them: a tenth of "
        "what is printed is its own",
    ),
    refuse=Threshold(
        0.5,
        "share of a percentile of response time",
        "the larger part of what is printed would be the generator's: such a percentile is taken away",
    ),
    unsent=Threshold(
        0.01,
        "share of the offered requests",
        "beyond those whose time comes just as the window closes: the load was not the one that is printed",
    ),
)
def generator_late(
    engine: EngineSummary, case: LoadCase, *, warn: float, refuse: float, unsent: float
) -> Iterator[Finding]:
    """An open load whose requests were sent late is not the load that is named beside its figures.

    It is due to the contender where requests waited for a connection, and to the generator where none did. It takes the
    percentiles that it has moved. Goodput, capacity and lower percentiles stand, unless requests were not sent at all.
    """
    if engine.achieved_over_offered is None:
        return
    waited = engine.waiting.peak if engine.waiting is not None else 0
    shares = _generators_shares(engine)
    left_unsent = 1 - engine.sent / engine.offered if engine.offered else 0.0
    if waited > 0:
        part = shares.get("99", 0.0)
        if left_unsent > unsent or part >= warn:
            yield finding(
                "warning",
                f"up to {waited:,} requests at a time waited for a free connection, {part:.0%} of the p99 passed "
                f"before they were sent, and {engine.achieved_over_offered:.1%} of what was offered was answered: the "
                "contender did not keep up",
                "lower the rate, or allow more connections; the response times are those of a queue that grows with "
                "the window",
            )
        return
    late = engine.send_lag.percentiles.get("99") or 0.0
    evidence = f"1 in 100 requests was sent {1000 * late:.3g} ms or more after its time"
    free = f", although a connection was free{_alone(case.calibrations)}"
    if left_unsent > unsent:
        evidence += f"{free}; {left_unsent:.1%} of the offered requests were not sent"
        yield finding("refusal", evidence)
        return
    by_request = {share.name: _generators_shares(share) for share in engine.mix if len(engine.mix) > 1}
    names = {_name(name): part for name, part in shares.items()}
    names |= {f"{_name(name)} of {each}": part for each, own in by_request.items() for name, part in own.items()}
    metrics = [name for name, part in names.items() if part >= refuse]
    most = max(names, key=lambda name: names[name], default="")
    if metrics or (most and names[most] >= warn):
        which = metrics[0] if metrics else most
        evidence += f": {names[which]:.0%} of {which.replace('_', ' ')} passed before requests were sent{free}"
        yield finding("refusal" if metrics else "warning", evidence, metrics=metrics)


def _name(percentile: str) -> str:
    return f"response_time_{MAX if percentile == MAX else f'p{percentile}'}"


def _generators_shares(times: EngineSummary | Share) -> dict[str, float]:
    """By percentile of response time, ascending, and the maximum, the part of it that passed before the request was
    sent: what it lies above the same percentile of service time, which counts from there.

    A request's response time is its service time and its lag, so that no percentile of the first lies below that of
    the second, and the difference is what the figure would lose if every request were sent in time and took as long.
    """
    shares = {}
    for name in (*METRIC_PERCENTILES, MAX):
        response, service = _at(times.response_time, name), _at(times.service_time, name)
        if response and service is not None:
            shares[name] = max(0.0, 1 - service / response)
    return shares


def _at(times: Distribution | None, name: str) -> float | None:
    if times is None:
        return None
    if name == MAX:
        return times.max_seconds
    return times.percentiles.get(name) if supports_percentile(times.count, float(name)) else None


def _alone(calibrations: Sequence[Calibration]) -> str:
    """The engine's own pacing, as it was calibrated, where it was."""
    pacing = [calibration.pacing_lag for calibration in calibrations if calibration.pacing_lag is not None]
    lags = [lag for times in pacing if (lag := times.percentiles.get("99")) is not None]
    return f" (calibrated against a server that does nothing: {1000 * max(lags):.3g} ms)" if lags else ""


@check(
    "generator-saturated",
    looks_at="processor time that the load took on the busiest of the engine's processors, over the window",
    remedy="give the load engine more threads and processors of its own, or the contender fewer, or a heavier workload",
    of_loads=True,
    warn=Threshold(
        0.80,
        "share of one processor",
        "a thread busy for a share u of the window could offer at most 1/u times as much: from 0.80 its ceiling "
        "is within 25% of the figure, and by the M/D/1 queue a request waits two service times for it (u / "
        "(2(1 - u)))",
    ),
    refuse=Threshold(
        0.95,
        "share of one processor",
        "the ceiling 1/u is within 5% of the figure, less than the differences that claims are about; two "
        "contenders that both reach it look equal, however unlike they are",
    ),
)
def generator_saturated(
    engine: EngineSummary, load_hosts: list[LoadHostAccount], case: LoadCase, *, warn: float, refuse: float
) -> Iterator[Finding]:
    """A load generator that is fully busy measures itself.

    A warning or a refusal, by that share.
    """
    share = engine.busiest_processor_share(case.processors)
    if share < min(warn, refuse):
        return
    refused = share >= refuse
    yield finding(
        "refusal" if refused else "warning",
        f"the load engine's {_used(len(engine.threads), case.processors, share)}"
        + _where(load_hosts, case.processors)
        + ": "
        + (
            "the generator, not the contender, may set this figure"
            if refused
            else f"at most {1 / share:.2f} times this rate could have been offered, and response times "
            "include waiting in the generator"
        ),
    )


def _where(hosts: Sequence[LoadHostAccount], processors: int) -> str:
    """The one of several load hosts whose engine was busiest, as the end of a clause about it."""
    if not hosts:
        return ""
    of_host = processors // len(hosts)
    busiest = max(hosts, key=lambda host: host.busiest_processor_share(of_host))
    return f", on the load host {printable(busiest.worker, 60)}"


def _used(threads: int, processors: int, share: float) -> str:
    if not processors or threads <= processors:  # without any, threads are bound to none
        return f"busiest thread used {share:.1%} of a processor"
    return f"{threads} threads used {share:.1%} of their busiest processor"


def generator_remedy(engine: EngineSummary, processors: int) -> str:
    """The remedy where the load engine itself may have made requests wait; empty where it had time and ports enough.

    Args:
        processors: of the load engine; 0: its threads are bound to none.
    """
    if engine.routes is not None and engine.routes.connections_each > engine.routes.ports_each:
        return ports_crowded.remedy
    is_busy = engine.busiest_processor_share(processors) >= generator_saturated.thresholds["warn"].value
    return generator_saturated.remedy if is_busy else ""


@check(
    "ports-crowded",
    looks_at="connections that shared an address of the server and a source address, compared with the local ports "
    "that a connect finds at once, which are half of the range",
    remedy="give the host of the load engine more addresses, widen net.ipv4.ip_local_port_range, let the load come "
    "from more hosts, or lower the number of connections",
    of_loads=True,
    crowd=Threshold(
        1.0,
        "connections for each of these ports",
        "Linux looks for a free port at every second one first, and at the others when all of those are taken "
        "(__inet_hash_connect in net/ipv4/inet_hashtables.c): each further connect looks at all of that half, about "
        "a millisecond of the engine's processor",
    ),
)
def ports_crowded(engine: EngineSummary, *, crowd: float) -> Iterator[Finding]:
    """Connects that search for a local port: the time is the load engine's, and looks like the server's.

    A warning. It is also printed before the load.
    """
    if engine.routes is not None and engine.routes.connections_each > crowd * engine.routes.ports_each:
        yield finding("warning", crowded_in_words(engine.routes))


def crowded_in_words(routes: Routes) -> str:
    """How many connections have to search for a local port, and what it costs."""
    sources = routes.source_addresses
    source = "one source address" if sources == 1 else f"each of {sources:,} source addresses"
    return (
        f"{routes.connections_each:,} connections to {enumeration(routes.addresses)} come from {source}, and "
        f"{routes.ports_each:,} find a local port at once: to open any further one takes the load engine about a "
        "millisecond"
    )


@check(
    "load-host-behind",
    looks_at="answers of each load host for its part of the load: its connections, or the requests that were "
    "due in an open load",
    remedy="use load hosts that are alike and equally far from the server; see what else runs there, and on its link",
    lacking=Threshold(
        0.05,
        "share of the load",
        "what is missing beside hosts that are all as good as the best: the size of the differences that claims are "
        "about",
    ),
    least=Threshold(
        0.5,
        "share of what the best host had",
        "below half, most of what the host was to offer was not",
    ),
)
def load_host_behind(load_hosts: list[LoadHostAccount], *, lacking: float, least: float) -> Iterator[Finding]:
    """A load host that did less than its share of a load that several offered: the figure is then rather the others'.

    At most one finding for each trial.
    """
    shares = shares_of(load_hosts)
    if not shares:
        return
    behind = min(shares, key=lambda worker: shares[worker])
    missing = 1 - sum(shares.values()) / len(shares)
    refused = shares[behind] < least
    if refused or missing >= lacking:
        yield finding(
            "refusal" if refused else "warning",
            f"the load host {printable(behind, 60)} had {shares[behind]:.0%} of the answers that the best of "
            f"{len(shares)} had for as much of the load: {missing:.0%} of the load is missing beside that of hosts "
            "that are all as good",
        )


def shares_of(hosts: Sequence[LoadHostAccount]) -> dict[str, float]:
    """By worker, a host's answers for its part of the load, over those of the best host: 1 for that one.

    Its part is the requests that were due there in an open load, whose arrivals are divided evenly, and else its
    connections. Empty where nothing can be compared.
    """
    open_load = any(host.is_open for host in hosts)
    parts = {host.worker: host.offered if open_load else host.connections for host in hosts}
    if len(hosts) < 2 or not all(parts.values()):
        return {}
    rates = {host.worker: host.answers / parts[host.worker] for host in hosts}
    best = max(rates.values())
    return {worker: rate / best for worker, rate in rates.items()} if best > 0 else {}


@check(
    "harness-limited",
    looks_at="goodput of a closed load, compared with the ceiling that was measured before its block with the same "
    "number of connections",
    remedy="give the load engine more processors, choose a workload that demands more of the stack, or claim only "
    "that this contender is at least this fast",
    share=Threshold(
        0.9,
        "share of the ceiling",
        "at 90% of what a server that does nothing reaches, nine tenths of a request's time are the kernel's and the "
        "harness's",
    ),
    disturbed=Threshold(
        0.1,
        "share of the processors' time",
        "the share at which `foreign-load` warns: whatever others take lowers the ceiling, and contenders would be "
        "refused wrongly",
    ),
)
def harness_limited(case: Case, *, share: float, disturbed: float) -> Iterator[Finding]:
    """A contender at the harness's own ceiling: how fast it is cannot be told.

    A refusal near the ceiling; a warning where it was measured under a disturbance or is clearly too low.
    """
    of_load: dict[tuple[str, int | None], list[float]] = defaultdict(list)
    for trial in case.trials:
        if trial.ceiling is not None:
            of_load[trial.condition, trial.lane].append(trial.ceiling.per_second)
    for trial in case.trials:
        summary, load = trial.engine, case.loads[trial.condition]
        if summary is None:
            continue
        calibration = calibration_of(case.record, load, summary)
        if calibration is None or summary.achieved_over_offered is not None:
            continue
        rate, ceiling, machine = summary.goodput_per_second, calibration.ceiling_per_second, calibration.machine
        if trial.ceiling is not None:
            ceiling, machine = trial.ceiling.per_second, trial.ceiling.machine
        if rate < share * ceiling:
            continue
        typical = median(of_load[trial.condition, trial.lane] or [ceiling])
        uncertain = (
            was_disturbed(case.record.placement_of(trial), machine, disturbed)
            or rate > ceiling / share
            or rate < share * typical
        )
        yield finding(
            "warning" if uncertain else "refusal",
            f"{rate:,.0f} answers a second, and {'' if trial.ceiling is None else 'before this block '}the load engine "
            f"reached {ceiling:,.0f} from a server that does nothing"
            + (
                "; but that calibration was disturbed, so the ceiling may lie higher"
                if uncertain
                else f" on this placement, its busiest processor at work for {calibration.busiest_thread_share:.0%}: "
                "a faster contender would look the same"
            ),
            "run again on a calm machine" if uncertain else "",
            trial=trial.index,
        )


def calibration_of(record: ExperimentRecord, load: Load, summary: EngineSummary) -> Calibration | None:
    """The calibration with connections, threads, rate and waiting as in this trial; None if there is none.

    There is none over HTTP/2 and HTTP/3, which the load engine's own target does not speak.
    In older records, which do not say how the engine waited, it slept.
    """
    if load.has_streams:
        return None
    settings = load.connections, load.keep_alive, load.threads, load.offered_per_second, summary.wait or "sleep"
    alike = (
        each
        for each in record.calibrations
        if (each.connections, each.keep_alive, each.threads, each.rate_per_second, each.wait or "sleep") == settings
    )
    return next(alike, None)


def was_disturbed(placement: Placement, machine: MachineMeter | None, limit: float) -> bool:
    """Whether others or the hypervisor took much of the processors in a calibration; True if nothing was metered."""
    if machine is None or machine.window_seconds <= 0:
        return True
    stolen = [
        machine.steal_seconds(cpus) / len(cpus) / machine.window_seconds
        for cpus in (placement.server_cpus, placement.load_cpus_here)
        if cpus
    ]
    return max([*stolen, *foreign_shares(machine, placement, with_kernel=True).values()], default=0.0) >= limit
