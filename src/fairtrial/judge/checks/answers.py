"""Answers that differ, are framed in two ways, or never come."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from statistics import median

import numpy as np

from fairtrial.base.formatting import count
from fairtrial.experiment.value import Value
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.generator import generator_remedy
from fairtrial.judge.checks.model import Case, Finding, LoadCase, Threshold, finding, nothing_to_do
from fairtrial.judge.checks.uneven_connections import percentiles_in
from fairtrial.load.kinds import Load
from fairtrial.record.comparison import EqualAnswers
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import TrialRecord
from fairtrial.record.protocol_causes import cause_remedy

CONFIDENCE = 0.95
NOT_STARTED = "see the log of the contender (`answers-` in the results folder), and let it start in each trial"


@check(
    "answers-differ",
    looks_at="answers to the same requests: before the first trial all of them, one after the other, and "
    "during the load those that change no state",
    remedy="make the contender answer as the reference does; what may differ between right answers is declared in "
    "[reference] of the workload file: values that change while others write are `volatile`",
    enough=Threshold(
        7000,
        "answers",
        "a field that is wrong in one answer of 1,000 is among 7,000 compared answers with a probability of 99.9% (1 "
        "- 0.999^7,000)",
    ),
)
def answers_differ(case: Case, *, enough: float) -> Iterator[Finding]:
    """Answers must be equal to those of the contender that the experiment names as its reference.

    A refusal for each trial with unequal answers, and for all trials of a contender whose answers differed before.

    And a note, or a warning, for each contender: how many answers were compared, and what would have been found.
    """
    reference = case.record.reference
    if reference is None:
        return
    for trial in case.trials:
        before = reference.conditions.get(trial.condition)
        if before is None or before.not_compared:
            reason = "nobody asked" if before is None else before.not_compared
            yield finding("refusal", f"nothing was compared before the load: {reason}", NOT_STARTED, trial=trial.index)
        for answers, when in ((before, "before the load"), (trial.equal_answers, "under load")):
            if answers is not None and answers.unequal:
                evidence = f"{what_differs(answers, when)}, of those of {reference.contender}"
                yield finding("refusal", evidence, trial=trial.index)
    for condition in case.record.conditions:
        under_load = [trial.equal_answers for trial in case.trials_of(condition.id)]
        compared = _compared(reference.conditions.get(condition.id), *under_load)
        if case.trials_of(condition.id):
            yield from _extent(case, condition.contender, compared, reference.under_load, enough)


def what_differs(answers: EqualAnswers, when: str) -> str:
    """The difference that is shown first, and how many answers differ: `look, …: /id is 8, not 7; WHEN 2 of 500 …`."""
    return f"{_first(answers)}; {_counted(answers, when)}"


def smallest_share(compared: int) -> float:
    """The smallest share of wrong answers of which one is among so many, with a probability of 95%; 1 if none were.

    If a share p of all answers is wrong, n answers are right with probability (1 - p)^n. Hanley, Lippman-Hand, "If
    nothing goes wrong, is everything all right?", JAMA 249 (1983), 1743-1745: about 3/n.
    """
    return 1 - (1 - CONFIDENCE) ** (1 / compared) if compared else 1.0


def _extent(
    case: Case, contender: str, compared: Mapping[str, int], under_load: list[str], enough: float
) -> Iterator[Finding]:
    own = case.record.own_workload
    names = list(own.requests) if own is not None else list(compared)
    few = [name for name in names if name in under_load and compared.get(name, 0) < enough]
    counts = ", ".join(
        f"{name} {compared.get(name, 0):,} (a share of {smallest_share(compared.get(name, 0)):.2g})" for name in names
    )
    yield finding(
        "warning" if any(not compared.get(name) for name in names) else "note",
        f"{contender}: compared answers, and the smallest share of wrong ones that would have been among them with "
        f"{CONFIDENCE:.0%}: {counts}",
        f"more blocks or a longer load compare more answers to {', '.join(few)}" if few else nothing_to_do(),
    )


def _compared(*parts: EqualAnswers | None) -> Counter[str]:
    compared: Counter[str] = Counter()
    for part in parts:
        if part is not None:
            compared.update({name: each.compared for name, each in part.requests.items()})
    return compared


def _first(answers: EqualAnswers) -> str:
    """The difference that is shown first, with what was asked."""
    if not answers.differences:
        return "answers differ"
    first = answers.differences[0]
    row = f" ({first.row})" if first.row else ""
    return f"{first.request}, instance {first.instance}, {first.asked}{row}: {first.what}"


def _counted(answers: EqualAnswers, when: str) -> str:
    parts = ", ".join(
        f"{each.unequal:,} of {count(each.compared, 'answer')} to {name}"
        for name, each in answers.requests.items()
        if each.unequal
    )
    return f"{when} {parts} differ"


@check(
    "unequal-answers",
    looks_at="the mean length of a trial's bodies, compared with those of the other contenders of its workload",
    remedy="look at one answer of each side: make them send the same fields, in full, compressed on both or neither",
    tolerance=Threshold(
        0.1,
        "share of the larger mean",
        "white space is free: compact and spaced JSON of a 180-byte row of five fields differ by about 5%",
    ),
)
def unequal_answers(case: Case, *, tolerance: float) -> Iterator[Finding]:
    """Contenders of one workload must send equally long bodies: a list and an error page are not comparable.

    A refusal for each trial that disagrees with more than half of the other contenders. Of two that differ, both are
    refused.
    """
    sweep = case.record.experiment.sweep
    # Options may decide how long answers are; the mix is a part of the workload's name.
    is_asked_by_value = sweep is not None and sweep.parameter.startswith("options.")
    questions = {each.id: (each.workload, each.at if is_asked_by_value else None) for each in case.record.conditions}
    contender = {condition.id: condition.contender for condition in case.record.conditions}
    means: dict[str, list[float]] = defaultdict(list)
    for trial in case.trials:
        mean = _mean_body_bytes(trial)
        if mean is not None:
            means[trial.condition].append(mean)
    typical: dict[tuple[str, Value | None], dict[str, float]] = defaultdict(dict)
    for condition, values in means.items():
        typical[questions[condition]][condition] = median(values)
    names = {each: list(sizes) for each, sizes in typical.items()}
    sizes = {name: np.array(list(lengths.values())) for name, lengths in typical.items()}
    for trial in case.trials:
        mine = _mean_body_bytes(trial)
        if mine is None:
            continue
        own = questions[trial.condition]
        apart = np.abs(sizes[own] - mine) > tolerance * np.maximum(sizes[own], mine)
        unlike = [name for place in np.flatnonzero(apart) if (name := names[own][place]) != trial.condition]
        others = len(names[own]) - 1
        if 2 * len(unlike) > others:
            first = ", ".join(f"{contender[name]} {typical[own][name]:,.0f}" for name in unlike[:4])
            more = f" and {len(unlike) - 4} more" if len(unlike) > 4 else ""
            side = "; which of the two is right cannot be told from this" if others == 1 else ""
            yield finding(
                "refusal",
                f"bodies are {mine:,.0f} bytes on average, those of {first}{more}{side}",
                trial=trial.index,
            )


def _mean_body_bytes(trial: TrialRecord) -> float | None:
    """None without answers, and where more than a hundredth of them failed an expectation.

    Such a trial is refused for its errors, and the size of its error pages must not accuse another contender.
    """
    summary = trial.engine
    if summary is None or summary.body_bytes is None or summary.verified < 0.99 * summary.answers:
        return None
    return summary.body_bytes.mean


@check(
    "two-framings",
    looks_at="answers with a Content-Length beside a Transfer-Encoding (RFC 9112, sections 6.2 and 6.3)",
    remedy="have the stack leave out the Content-Length where it sends chunks: a recipient that goes by the other "
    "header finds another end of the answer, as in request smuggling, and RFC 9112, 6.3 has clients treat it as an "
    "error",
    of_loads=True,
)
def two_framings(engine: EngineSummary) -> Iterator[Finding]:
    """Answers that announce their length in two ways, of which each recipient may believe another.

    A note.
    """
    if engine.two_framings:
        yield finding(
            "note",
            f"{engine.two_framings:,} of {engine.answers:,} answers had a Content-Length beside a "
            "Transfer-Encoding, which no sender may send (RFC 9112, 6.2); the load engine went by the "
            "Transfer-Encoding, and used no connection again after such an answer",
        )


@check(
    "unasked-bytes",
    looks_at="bytes on connections that rest between two requests, but for a farewell with status 408 (RFC 9112, "
    "section 9.2: a response is associated with the request that it answers by its place alone); over HTTP/2, frames "
    "on streams that had ended (RFC 9113, section 5.1)",
    remedy="look for a handler that answers twice, or goes on writing after its answer",
    of_loads=True,
)
def unasked_bytes(engine: EngineSummary) -> Iterator[Finding]:
    """Bytes on connections on which nothing was asked: a server that answers more often than it is asked.

    A refusal.
    """
    if engine.unasked:
        yield finding(
            "refusal",
            f"{engine.unasked:,} connections or streams on which nothing was asked got bytes, beside "
            f"{engine.answers:,} answers: which answer belongs to which request is not known of such a server",
        )


@check(
    "unanswered",
    looks_at="the age of the oldest request unanswered when the window closed, compared with the longest answered one",
    remedy="find what the stack waits for (a lock, an exhausted pool, a lost wake-up); lengthen duration_seconds if "
    "such times are normal for the workload",
    of_loads=True,
    window_share=Threshold(
        0.25,
        "share of the window",
        "in a closed load a connection that waits for a quarter of the window offers at most three quarters of its "
        "load",
    ),
    times=Threshold(
        2.0,
        "times the longest answered request",
        "the last requests of an honest run are cut off at ages up to about the longest time; twice that is "
        "a request that hangs (coordinated omission: Tene, How NOT to Measure Latency, 2013)",
    ),
)
def unanswered(engine: EngineSummary, case: LoadCase, *, window_share: float, times: float) -> Iterator[Finding]:
    """Requests that were still waiting when the window closed, whose times are in no percentile.

    A refusal.
    """
    waited, longest = engine.oldest_in_flight_seconds, engine.response_time.longest_answered_seconds or 0.0
    if waited is not None and waited > window_share * engine.window_seconds and waited > times * longest:
        yield finding(
            "refusal",
            f"{engine.in_flight_at_end:,} requests were unanswered when the window closed, one of them for "
            f"{waited:.2f} s of its {engine.window_seconds:.2f} s; the longest answered one took {longest:.3f} s",
            generator_remedy(engine, case.processors) or cause_remedy(engine, "timeout", ""),
        )


CONNECTS = ("connect", "refused")
"""Errors that take no time: a connect fails at once."""
ANSWERED = ("status_", "wrong_")
"""How errors begin that are answers, whose times are known."""


@check(
    "clients-gone",
    looks_at="the time that the clients of a closed load were at work, compared with the window, where connects failed "
    "(J. D. C. Little, Operations Research 9 (1961), 383-387)",
    remedy="see why connects fail (local ports, file descriptors, a backlog), and use a client that tries again; "
    "divide by the time at work to learn what the contender served",
    of_loads=True,
    warn=Threshold(
        0.02,
        "share of the clients' time",
        "the tolerance of `littles-law`, which then has no lower bound: beyond it somebody was missing",
    ),
    refuse=Threshold(
        0.05,
        "share of the clients' time",
        "the rate is that of fewer clients than are printed beside it; 5% is the size of the differences that claims "
        "are about",
    ),
)
def clients_gone(engine: EngineSummary, load: Load, *, warn: float, refuse: float) -> Iterator[Finding]:
    """Clients that could not connect and did nothing more: the rate is divided by a time in which nobody asked.

    A warning or a refusal, by the part of the clients' time that failed connects cost. A warning takes the percentiles
    away, which are lower with fewer clients.

    By Little's law, the answers' times, divided by the number of clients, are how long these were at work. Where other
    requests failed, or clients pause, nothing can be told.
    """
    if load.clients is None or load.fixed_requests is not None or engine.has_pauses or _others(engine.errors):
        return
    failed = sum(engine.errors.get(kind, 0) for kind in CONNECTS)
    times, window = engine.response_time, engine.window_seconds
    if not failed or times.mean_seconds is None or times.max_seconds is None or window <= 0:
        return
    at_work_seconds = times.count * times.mean_seconds / load.clients
    longest = max(times.max_seconds, engine.oldest_in_flight_seconds or 0.0)
    idle_share = 1 - (at_work_seconds + longest) / window
    if idle_share < min(warn, refuse):
        return
    is_refused = idle_share >= refuse
    gone = f"{count(failed, 'stream')} had no connection" if load.has_streams else f"{count(failed, 'connect')} failed"
    yield finding(
        "refusal" if is_refused else "warning",
        f"{gone}, and the clients were at work for {at_work_seconds:.2f} s of the "
        f"window of {window:.2f} s: {engine.goodput_per_second:,.0f} answers a second over all of it, and "
        f"{engine.verified / at_work_seconds:,.0f} while they were at work",
    )
    if not is_refused:
        yield finding("refusal", "the times are those of fewer clients", metrics=percentiles_in(engine))


def _others(errors: Mapping[str, int]) -> int:
    """How many requests failed in another way than at their connect, and without an answer."""
    return sum(number for kind, number in errors.items() if kind not in CONNECTS and not kind.startswith(ANSWERED))
