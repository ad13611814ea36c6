"""Notes on what could not be examined, because of a workload file or a short window: every result has them, so that
nobody takes silence for a proof."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from fairtrial.base.printable import printable
from fairtrial.judge.checks.model import Finding, nothing_to_do
from fairtrial.judge.checks.not_stationary import full_seconds
from fairtrial.judge.checks.not_warm import TENTHS_UP_TO_SECONDS as LONG_ENOUGH_SECONDS
from fairtrial.judge.checks.not_warm import window_parts
from fairtrial.judge.statistics.student import MINIMUM_BLOCKS
from fairtrial.judge.statistics.trend import SHORTEST
from fairtrial.record.comparison import ReferenceRecord
from fairtrial.record.identity import WorkloadIdentity
from fairtrial.record.model import ExperimentRecord, TrialRecord, by_condition

WRITES_STORED = "writes-stored"
OF_WORKLOAD_FILES = {
    "ledger": "whether the work was done that answers imply: the file does not say what an answer takes",
    "stale": "whether answers came from memory: the file does not say which rows could be changed meanwhile",
    "answered-while-held": "whether answers waited for their source: the file does not say which requests need one",
    WRITES_STORED: "whether everything that was acknowledged is stored: the file does not say where to look",
}
"""By check, what it examines of the lab's own workloads alone."""

READING = ("GET", "HEAD", "OPTIONS")
"""Methods that are defined to change nothing (RFC 9110, section 9.2.1)."""

REMEDY = nothing_to_do("a contender that skips such work is not found out here")
NAMED_CHARACTERS = 300
AUDIT = "add an [audit.NAME] whose lowest number is {{acknowledged REQUEST}}: docs/workload-file.md"


OF_THE_HARNESS = {
    "harness-limited": "whether goodput is near the ceiling of the load engine over {protocol}",
    "latency-at-the-floor": "which part of the median is the load engine's own over {protocol}",
}
"""By check, what it examines by a calibration, which there is over HTTP/1.1 alone."""
NO_CEILING = (
    "look at `generator-saturated`, which is examined: a load engine with processor time to spare was not the limit; "
    "of medians at a low load, compare over HTTP/1.1 where it is spoken"
)

STREAMS_ALIKE = nothing_to_do(
    "a stream whose answer never comes is found by `unanswered`; compare p99 with that of fewer streams"
)

LONGER = (
    "lengthen duration_seconds where a drift matters; goodput and times of so short a window are those of its length"
)
OF_PROGRAMS = (
    "they are timed from their start, and their figures hold what a runtime compiles and loads meanwhile",
    nothing_to_do("give a job so many operations that the start weighs little"),
)
CHANGING = (
    "its rate changes by intent",
    nothing_to_do("a drift of the machine hits all conditions of a block; for one rate, write an open load"),
)
OF_SEARCHES = (
    "a search counts a window in which its objective held: a queue mostly goes in it",
    nothing_to_do("such a capacity is that of a contender that was not warm, at the lowest"),
)
ALTERNATING = nothing_to_do("slices of all conditions alternate, so that a drift of the machine hits all")


def unexamined_notes(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> Iterator[Finding]:
    """Notes on the experiment: what of a workload file, and of windows that were too short, nobody examined."""
    yield from _of_workload_file(record)
    yield from _short_windows(record, trials)
    yield from _uncompared_parts(record, trials)
    yield from _over_streams(record)


def _short_windows(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> Iterator[Finding]:
    """A note for all conditions whose windows were equally short for `not-stationary`, naming each of them."""
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    grouped = by_condition(trials)
    for condition in record.conditions:
        measured = [trial for trial in grouped.get(condition.id, ()) if trial.engine is not None]
        if not measured:
            continue
        if not condition.load.is_stationary:
            alike[CHANGING].append(condition.contender)
        elif any(full_seconds(trial) >= SHORTEST for trial in measured):
            continue
        elif any(trial.slices is not None for trial in measured):
            alike["measured in slices", ALTERNATING].append(condition.contender)
        else:
            longest = max(trial.engine.window_seconds for trial in measured if trial.engine is not None)
            alike[f"{longest:.3g} s at most", LONGER].append(condition.contender)
    for (windows, remedy), contenders in alike.items():
        names = printable(", ".join(contenders), NAMED_CHARACTERS)
        what = f"whether goodput and times change within a window, which takes {SHORTEST} s, of: {names} ({windows})"
        yield _note("not-stationary", what, remedy, contenders)


def _over_streams(record: ExperimentRecord) -> Iterator[Finding]:
    """A note for each check that needs a calibration, for all conditions over HTTP/2 or HTTP/3, as there is none; and
    one for those whose streams share connections, as their answers are counted by connection."""
    loads = {each.contender: each.load for each in record.conditions}
    for protocol in sorted({load.protocol for load in loads.values() if load.has_streams}):
        over_it = [name for name, load in loads.items() if load.protocol == protocol]
        conditions = printable(", ".join(over_it), NAMED_CHARACTERS)
        for check, what in OF_THE_HARNESS.items():
            question = what.format(protocol=protocol)
            evidence = f"{question}, of: {conditions}; the load engine's own target speaks HTTP/1.1 alone"
            yield _note(check, evidence, NO_CEILING, over_it)
    shared = [name for name, load in loads.items() if load.clients is not None and load.streams > 1]
    if shared:
        conditions = printable(", ".join(shared), NAMED_CHARACTERS)
        what = "whether the streams of one connection were served alike, as the connections were to each other"
        yield _note("uneven-connections", f"{what}, of: {conditions}", STREAMS_ALIKE, shared)


def _uncompared_parts(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> Iterator[Finding]:
    """A note for all conditions whose warm-ups did not tell whether they were warm, and of which `not-warm` compared no
    first parts of windows, for each reason."""
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    grouped = by_condition(trials)
    for condition in record.conditions:
        measured = [trial for trial in grouped.get(condition.id, ()) if trial.engine is not None]
        compared = sum(window_parts(trial) is not None for trial in measured)
        if not measured or all(_was_flat(trial) for trial in measured):
            continue
        if not condition.load.is_stationary:
            alike[CHANGING].append(condition.contender)
            continue
        if compared >= MINIMUM_BLOCKS:
            continue
        if any(trial.slices is not None for trial in measured):
            why = "measured in slices", ALTERNATING
        elif any(trial.capacity is not None for trial in measured):
            why = OF_SEARCHES
        elif compared < len(measured):
            why = "windows too short or with too few answers", f"lengthen duration_seconds to {LONG_ENOUGH_SECONDS} s"
        else:
            why = f"fewer than {MINIMUM_BLOCKS} blocks", f"run {MINIMUM_BLOCKS} blocks or more"
        alike[why].append(condition.contender)
    programs = [each.contender for each in record.conditions if not each.load.offers_requests]
    if programs:
        names = printable(", ".join(programs), NAMED_CHARACTERS)
        yield _note("not-warm", f"whether programs were warm, of: {names}; {OF_PROGRAMS[0]}", OF_PROGRAMS[1], programs)
    for (reason, remedy), contenders in alike.items():
        names = printable(", ".join(contenders), NAMED_CHARACTERS)
        what = f"whether contenders were warm, of: {names} ({reason}; and no warm-up that ended as flat)"
        yield _note("not-warm", what, remedy, contenders)


def _was_flat(trial: TrialRecord) -> bool:
    warm_up = None if trial.engine is None else trial.engine.warm_up
    return warm_up is not None and warm_up.end == "flat"


def _of_workload_file(record: ExperimentRecord) -> Iterator[Finding]:
    """A note for each check that has nothing to examine because the workload is a file, and for each schema that says
    nothing, and for requests of which nothing is expected; else none.
    """
    identity = record.own_workload
    if identity is None:
        return
    for check, what in OF_WORKLOAD_FILES.items():
        if check != WRITES_STORED or not identity.audits:
            yield _note(check, what, REMEDY)
        elif unproven := _unproven(identity):
            request_names = printable(", ".join(unproven), NAMED_CHARACTERS)
            yield _note(
                check, f"whether what was acknowledged is stored, of: {request_names}; no audit counts it", AUDIT
            )
    for request in identity.accepts_anything:
        yield Finding(
            check="errors",
            severity="note",
            evidence=f"{request}: its schema accepts any answer",
            remedy="say in the schema what an answer holds: types of its members, and which are required",
        )
    if identity.expects_nothing:
        names = printable(", ".join(identity.expects_nothing), NAMED_CHARACTERS)
        yield Finding(
            check="errors",
            severity="note",
            evidence=f"{names}: any answer with 2xx (gRPC: OK) is right, as the file expects nothing of it",
            remedy="add `expect`: a status, a type, values that must stand in the answer: docs/workload-file.md",
        )
    if record.reference is not None:
        for what in _of_the_reference(identity, record.reference):
            yield _note("answers-differ", what, REMEDY)


def _note(check: str, what: str, remedy: str, contenders: Sequence[str] = ()) -> Finding:
    return Finding(
        check=check,
        severity="note",
        evidence=f"not examined: {what}",
        remedy=remedy,
        contenders=list(contenders),
        examined=False,
    )


def _unproven(identity: WorkloadIdentity) -> list[str]:
    """The requests that may write, and of which no audit proves that as many are stored as were acknowledged."""
    proven = {name for names in identity.audits.values() for name in names}
    return [name for name, what in identity.requests.items() if name not in proven and what.split()[0] not in READING]


def _of_the_reference(identity: WorkloadIdentity, reference: ReferenceRecord) -> Iterator[str]:
    only_before = [name for name in identity.requests if name not in reference.under_load]
    if only_before:
        yield (
            f"answers to {', '.join(only_before)} under load: such requests change state, or cannot be sent twice, and "
            "were compared before the first trial only"
        )
    yield "headers of answers, apart from Content-Type"
