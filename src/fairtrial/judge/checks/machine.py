"""Checks of what machine and placement did to a trial, and to its sides unequally."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import mean, median

from fairtrial.base.formatting import count
from fairtrial.experiment.claims import MetricClaim
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.metrics.metric import kinds_of
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import TrialRecord, foreign_share
from fairtrial.record.placement import Placement, cores_shared_in_words, nodes_in_words, numbers_in_words
from fairtrial.record.processes import StrayThreads


@check(
    "stolen",
    looks_at="steal time of the processors in the window (/proc/stat), the server's and the load engine's separately, "
    "and those of a service host and a balancer host",
    remedy="let idle processors stay awake (fairtrial doctor says whether they do); run on a machine whose processors "
    "are not shared, or at another time; read ratios, not figures, until then",
    of_machine=True,
    seconds=Threshold(
        0.5,
        "seconds of window",
        "the kernel counts in ticks of 10 ms",
    ),
    warn=Threshold(
        0.05,
        "share of the processors' time",
        "what is taken is missing from the figure: 5% is the size of the differences that claims are about",
    ),
    refuse=Threshold(
        0.25,
        "share of the processors' time",
        "with a quarter gone, the figure is that of three quarters of the machine that is named beside it",
    ),
)
def stolen(
    machine: MachineMeter, trial: TrialRecord, case: Case, *, seconds: float, warn: float, refuse: float
) -> Iterator[Finding]:
    """Processor time that the hypervisor gave to other guests.

    A warning or a refusal, by the largest of the shares.
    """
    placement = case.record.placement_of(trial)
    if machine.window_seconds < max(seconds, 1e-9):
        return
    sides = [
        ("server", machine, placement.server_cpus),
        (placement.role_beside_server, machine, placement.load_cpus_here),
    ]
    for name, meter, host in case.processors_apart(trial):
        sides.append((name, meter, host.cpus))
    shares = {
        role: meter.steal_seconds(cpus) / len(cpus) / meter.window_seconds
        for role, meter, cpus in sides
        if cpus and meter.window_seconds > 0
    }
    role = max(shares, key=lambda name: shares[name], default=None)
    if role is not None and shares[role] >= min(warn, refuse):
        yield finding(
            "refusal" if shares[role] >= refuse else "warning",
            f"the hypervisor took {shares[role]:.1%} of the {role}'s processors in the window",
        )


QUOTA = "raise or remove the processor quota of the container or service that the lab runs in (cpu.max, cfs_quota_us)"
CLOCK = "set the governor `performance` and turn turbo off, so that every trial has the same clock"


@check(
    "throttled",
    looks_at="the control group's processor quota, thermal throttling, and the clock of the server's processors "
    "compared with the other trials'",
    remedy="let the machine cool down, or use one that keeps its clock under load",
    quota=Threshold(
        0.05,
        "share of the window",
        "at 5% the quota makes a difference as large as those that claims are about; less is a warning",
    ),
    clock=Threshold(
        0.05,
        "share of the median trial's clock",
        "work that stays in the caches scales with the clock: 5% is the size of the differences that claims are about",
    ),
)
def throttled(case: Case, *, quota: float, clock: float) -> Iterator[Finding]:
    """Processors that were throttled: by a container's quota, by heat, or by a clock that differs between trials.

    A finding for each of the three. Only a quota can lead to a refusal, because its seconds are known.
    """
    server_cpus = set(case.record.placement.server_cpus)
    clocks = {trial.index: hertz for trial in case.trials if (hertz := _clock(trial, server_cpus)) is not None}
    usual = median(clocks.values()) if clocks else 0.0
    for trial in case.trials:
        for where, machine in case.machines(trial):
            if machine.window_seconds <= 0:
                continue
            if machine.quota_throttled_periods and machine.quota_throttled_seconds is not None:
                share = machine.quota_throttled_seconds / machine.window_seconds
                yield finding(
                    "refusal" if share >= quota else "warning",
                    f"{where}the processor quota of the lab's control group ran out in "
                    f"{machine.quota_throttled_periods:,} periods: tasks were held back for "
                    f"{machine.quota_throttled_seconds:.2f} s of {machine.window_seconds:.1f} s",
                    QUOTA,
                    trial=trial.index,
                )
            if machine.thermal_throttles:
                evidence = f"{where}processors were throttled for heat {machine.thermal_throttles:,} times"
                yield finding("warning", evidence, trial=trial.index)
            hertz = clocks.get(trial.index) if machine is trial.machine else None
            if hertz is not None and abs(hertz / usual - 1) > clock:
                yield finding(
                    "warning",
                    f"the server's processors ran at {hertz / 1e9:.2f} GHz, in the median trial at "
                    f"{usual / 1e9:.2f} GHz",
                    CLOCK,
                    trial=trial.index,
                )


def _clock(trial: TrialRecord, cpus: set[int]) -> float | None:
    frequencies = {} if trial.machine is None else trial.machine.frequencies_hertz
    ours = [hertz for cpu, hertz in frequencies.items() if cpu in cpus]
    return mean(ours) if ours else None


@check(
    "outside-processors",
    looks_at="the processors on which each thread of the stack may run (sched_getaffinity), four times a second",
    remedy="leave the processors as they are: take their number from sched_getaffinity or nproc, and pin threads to "
    "these alone",
    needs_processes=True,
    looks=Threshold(
        0,
        "looks at which a thread was outside",
        "a process inherits its processors, so none is outside unless it asked the kernel to be",
    ),
)
def outside_processors(
    stray_threads: StrayThreads, trial: TrialRecord, case: Case, *, looks: float
) -> Iterator[Finding]:
    """A stack whose threads left the processors that it was given.

    A refusal that names the program: its time is not in the server's account, and may be the load engine's.
    """
    stray = stray_threads
    if stray.looks_outside <= looks:
        return
    placement = case.record.placement_of(trial)
    stack = case.condition_of(trial).stack
    whose = " of the load engine" if set(stray.cpus) & set(placement.load_cpus_here) else ""
    yield finding(
        "refusal",
        f"{count(stray.threads, 'thread')} of {stack} ({', '.join(stray.programs) or 'ended since'}) might run "
        f"on the processors {_numbers(stray.cpus)}{whose}, in {stray.looks_outside} of {stray.looks} looks; "
        f"it was given {_numbers(placement.server_cpus)}",
    )


def _numbers(cpus: list[int]) -> str:
    return ", ".join(map(str, cpus))


@check(
    "placement-shared",
    looks_at="whether load generator and server were bound to different processors, on different cores, and the server "
    "to one NUMA node",
    remedy="run on a machine with at least two processors; read ratios, not figures, until then",
    on_purpose=Threshold(
        0,
        "1: yes, 0: no",
        "each request then costs the server's processors the generator's work as well, which takes the larger share "
        "from whoever needs less for itself",
    ),
)
def placement_shared(case: Case, *, on_purpose: float) -> Iterator[Finding]:
    """Where generator and contender share a processor, or a core, each takes time from the other.

    A warning on the experiment where there is no other processor or no other core, since it concerns every figure
    alike, and a note where the server is on several NUMA nodes; a refusal of each trial for which a shared placement
    was asked, a warning if that is tried on purpose.
    """
    usual = case.record.placement
    if not usual.disjoint and case.record.experiment.placement == "disjoint":
        yield finding("warning", _evidence(usual))
    if shared := cores_shared_in_words(usual):
        yield finding(
            "warning",
            f"{shared}: while one thread of a core is at work, the other is slower, so that every rate is lower than "
            "the contender alone would show, and the more so the busier the load generator is",
            "run on a machine with at least two cores; read ratios, not figures, until then",
        )
    if nodes := nodes_in_words(usual):
        yield finding(
            "note",
            f"{nodes}: memory is nearer to some of its threads than to others, and starts may differ in which",
            "bind the lab to the processors of fewer nodes (taskset --cpu-list, numactl --cpunodebind), of which one "
            "has at least half",
        )
    shared_on_purpose = {condition.id for condition in case.record.conditions if condition.placement == "shared"}
    for trial in case.trials:
        if trial.condition in shared_on_purpose and trial.engine is not None:
            yield finding(
                "warning" if on_purpose else "refusal",
                _evidence(case.record.placement_of(trial)),
                "leave `placement` out, or try it on purpose beside the disjoint one: in a sweep over `placement`, "
                "with [checks.placement-shared] on_purpose = 1",
                trial=trial.index,
            )


def _evidence(placement: Placement) -> str:
    return (
        f"load generator (processors {_bound_to(placement.load_cpus)}) and server "
        f"(processors {_bound_to(placement.server_cpus)}) share processors: every rate is lower, and "
        "every time longer, than the contender alone would show; the fastest lose most"
    )


def _bound_to(cpus: Sequence[int]) -> str:
    return numbers_in_words(cpus) or "not bound"


MIB = 2**20


@check(
    "memory-short",
    looks_at="memory available at the end of the window (MemAvailable), and the control group's limit",
    remedy="give the machine or the container more memory, or the experiment fewer rows, instances or connections",
    available=Threshold(
        0.05,
        "share of the memory",
        "MemAvailable is what can be had without swapping (proc_meminfo(5)); below a twentieth a database's file "
        "pages are dropped, and processes may be killed",
    ),
)
def memory_short(trial: TrialRecord, case: Case, *, available: float) -> Iterator[Finding]:
    """Memory that nearly ran out: the kernel first drops file pages, then kills processes.

    A warning for each of the two.
    """
    for where, machine in case.machines(trial):
        left = {"of the machine": (machine.memory_available_bytes, machine.memory_total_bytes)}
        if machine.memory_limit_bytes is not None and machine.memory_charged_bytes is not None:
            limit = machine.memory_limit_bytes
            left["of the control group's limit"] = (limit - machine.memory_charged_bytes, limit)
        for whose, (free, total) in left.items():
            if total > 0 and free < available * total:
                sizes = f"{free / MIB:,.0f} MiB {whose} of {total / MIB:,.0f} MiB"
                yield finding("warning", f"{where}{sizes} were left at the end of the window")


@check(
    "swapped",
    looks_at="pages swapped in and out in the window (pswpin and pswpout of /proc/vmstat)",
    remedy="give the machine more memory, or stop what uses it; then run again",
    pages_per_second=Threshold(
        100,
        "pages swapped in a second",
        "a process that touches such a page waits 0.1 ms for flash and 10 ms for a disk: 100 a second take 1% of the "
        "time, or all of it",
    ),
)
def swapped(trial: TrialRecord, case: Case, *, pages_per_second: float) -> Iterator[Finding]:
    """On a machine that swaps, the disk is measured.

    A warning for any swapped page, a refusal above the rate.
    """
    for where, machine in case.machines(trial):
        if machine.swapped_in_pages is None or machine.swapped_out_pages is None:
            continue
        if machine.swapped_in_pages + machine.swapped_out_pages > 0:
            rate = machine.swapped_in_pages / machine.window_seconds
            yield finding(
                "refusal" if rate > pages_per_second else "warning",
                f"{where}{machine.swapped_in_pages:,} pages were swapped in and {machine.swapped_out_pages:,} out in "
                f"{machine.window_seconds:.1f} s, by any process of this machine",
            )


@check(
    "pressure",
    looks_at="the kernel's account of stalls for memory in the window (/proc/pressure/memory, `some`), where it keeps "
    "one",
    remedy="give the machine more memory, or stop what uses it",
    memory=Threshold(
        0.01,
        "share of the window",
        "if tasks stall for 1% of the window, a hundredth of the requests is delayed: these make the p99",
    ),
)
def pressure(trial: TrialRecord, case: Case, *, memory: float) -> Iterator[Finding]:
    """Tasks that waited for memory: reclaim and refaults slow every process, whichever caused them.

    A warning for memory alone: a busy server always waits for its processor, and a durable database for its disk.
    """
    for where, machine in case.machines(trial):
        waited, window = machine.pressure_seconds.get("memory"), machine.window_seconds
        if waited is not None and window > 0 and waited >= memory * window:
            evidence = f"{where}some task waited for memory during {waited:.2f} s of {window:.1f} s"
            yield finding("warning", evidence)


@check(
    "unequal-foreign-load",
    looks_at="the kept slices of either side of a claim that was measured in slices",
    remedy="stop whatever runs on this machine at regular times, and run again",
    difference=Threshold(
        0.0125,
        "share of the processors' time",
        "a quarter of the 5% that `fairtrial ab-test` allows a change: a side that has so much less of its "
        "processors is slower by about as much",
    ),
)
def unequal_foreign_load(case: Case, *, difference: float) -> Iterator[Finding]:
    """Sides of a claim beside one of which others used more of the server's processors than beside the other.

    A warning for each claim on a rate or a time; a refusal of the verdict on a shape, which has no one interval that
    could be wider.
    """
    in_slices = _by_contender(case, [trial for trial in case.trials if trial.slices is not None])
    for claim in case.record.experiment.claims:
        if not isinstance(claim, MetricClaim):
            continue
        metric = find_metric(claim.metric, claim.request)
        if not metric.is_bent_by_others:
            continue
        sides = {
            name: foreign_share(in_slices[name], of_tails=metric.of_tail)
            for name in case.record.experiment.sides_of(claim)
            if name in in_slices
        }
        if len(sides) > 1 and max(sides.values()) - min(sides.values()) >= difference:
            is_ratio = claim.kind != "shape"
            yield finding(
                "warning" if is_ratio else "refusal",
                "others used "
                + ", ".join(f"{share:.1%} of the server's processors beside {name}" for name, share in sides.items())
                + (": the interval of the ratio is wider by as much" if is_ratio else ""),
                claim=claim.id,
            )


@check(
    "unequal-memory",
    looks_at="how the memory was read: as proportional set sizes, or, where the lab may not read the maps of "
    "another user's processes, as resident set sizes",
    remedy="run the lab as the user of all stacks, or as root with the capability CAP_SYS_PTRACE",
)
def unequal_memory(case: Case) -> Iterator[Finding]:
    """Sides of a claim about memory that was read in different ways: their figures cannot be compared.

    A refusal of the verdict.
    """
    trials = _by_contender(case, case.trials)
    for claim in case.record.experiment.claims:
        if not isinstance(claim, MetricClaim):
            continue
        metric = find_metric(claim.metric, claim.request)
        kinds = {
            name: " and ".join(sorted(kinds))
            for name in case.record.experiment.sides_of(claim)
            if (kinds := kinds_of(metric, trials[name]))
        }
        if len({*kinds.values()}) > 1 or any(" and " in kind for kind in kinds.values()):
            evidence = f"{metric.label}: " + ", ".join(f"{name} {kind}" for name, kind in kinds.items())
            yield finding("refusal", evidence, claim=claim.id)


def _by_contender(case: Case, trials: Sequence[TrialRecord]) -> Mapping[str, list[TrialRecord]]:
    """Trials by their condition as claims name it; none of a name that has no trial."""
    by_contender: dict[str, list[TrialRecord]] = defaultdict(list)
    for trial in trials:
        by_contender[case.contenders[trial.condition]].append(trial)
    return by_contender
