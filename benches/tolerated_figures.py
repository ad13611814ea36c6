"""Tolerances of what was measured, tried on records: times, errors, rates, connections, and how even a window is."""

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist, fmean

import numpy as np
import numpy.typing as npt

from benches.tolerance import ANSWERS, Tolerance, is_silent, largest, lets_pass, percent
from fairtrial.judge.claims.tail_reach import turns_reach
from fairtrial.judge.metrics import find_metric
from fairtrial.lab.trial.capacity import OFFERED_SHARE
from fairtrial.record.engine_summary import ConnectionAnswers, UnderWay
from fairtrial.record.histogram import read_histogram
from fairtrial.record.model import TrialRecord
from tests.builders import TrialBuilder, a_trial, an_experiment, calm_network, times, trials_of
from tests.judge.checks.test_faster_than_possible import answered, waiting
from tests.judge.checks.test_not_warm import window
from tests.tools.load.measurements import hdr

CONNECTIONS, WINDOW_SECONDS, ANSWER_SECONDS = 16, 8.0, 80e-6
"""Of a closed load, and what each answer takes of the server's one processor."""

RECORD = an_experiment("a").but(connections=CONNECTIONS).record()


def early_answers() -> Tolerance:
    """Answers to a call of 50 ms, before it is over."""
    record = waiting(call=0.05)
    early = largest(lambda share: lets_pass("faster-than-possible", answered(200, 0.05 * (1 - share)), record), 0, 0.5)
    gain = 1 / (1 - early) - 1
    return Tolerance(
        "faster-than-possible `share`", f"answers after {percent(1 - early)} of the delay", percent(gain), "left"
    )


def errors_for_the_slowest() -> Tolerance:
    """Of lognormal times, what p99 is if so many of the slowest answers are errors."""

    def with_errors(share: float) -> TrialRecord:
        return a_trial().serving(ANSWERS).erring(status_5xx=round(share * 3 * ANSWERS)).record()

    def left(name: str) -> Callable[[float], bool]:
        return lambda share: lets_pass("errors", with_errors(share), metric=f"response_time_p{name}")

    words = []
    for name in ("50", "99", "99.9"):
        share = largest(left(name), 0, 0.01)
        quantile = NormalDist().inv_cdf
        gain = math.exp(quantile(float(name) / 100) - quantile(float(name) / 100 - share)) - 1
        words.append(f"p{name} {percent(gain)}")
    return Tolerance(
        "errors `share`, `near`",
        "errors at once for the slowest of lognormal times (σ = 1)",
        ", ".join(words),
        "percentiles that may gain more are taken away",
    )


def unseen_wrong_bodies() -> Tolerance:
    """One body of 16 is compared: wrong ones of which none is met, with 5%."""
    share = 1 - 0.05 ** (16 / ANSWERS)
    return Tolerance(
        "errors `wrong_share`",
        f"{percent(share)} wrong bodies in {ANSWERS:,} answers, none of which is compared",
        percent(share),
        "left",
    )


def rates_that_were_not_kept() -> Tolerance:
    """A search for the capacity counts a rate of which so little is missing."""
    return Tolerance(
        "capacity, what was offered",
        f"{percent(1 - OFFERED_SHARE)} of the rate is not answered in the window",
        percent(1 / OFFERED_SHARE - 1),
        "left",
    )


def clients_that_are_gone() -> Tolerance:
    """Connects that are refused, so that fewer clients share the server."""

    def gone(share: float) -> TrialBuilder:
        return a_trial().but(window=30.0).serving(16_000 * (1 - share)).taking(0.001).erring(connect=16)

    times = largest(lambda share: lets_pass("clients-gone", gone(share).record(), metric="response_time_p50"), 0, 0.5)
    return Tolerance(
        "clients-gone `warn`, `refuse`",
        f"{percent(times)} of the clients' time gone by failed connects (`local_ports`)",
        f"{percent(times / (1 - times))} of a percentile",
        "from then on percentiles are taken away",
    )


def passed_over() -> Tolerance:
    """Connections that have just more than a tenth of an even share."""

    def starving(number: int) -> TrialRecord:
        share = ANSWERS // 64
        least = share // 10 + 1
        others = (ANSWERS - number * least) // (64 - number)
        quick_us = (64 - number) * 80
        text = hdr(*[quick_us] * (others * (64 - number)), *[round(quick_us * others / least)] * (number * least))
        histogram = times(ANSWERS, 1e-6 * quick_us).model_copy(update={"hdr_base64": text, "percentiles": {}})
        squares = (64 - number) * others**2 + number * least**2
        even = ANSWERS**2 / 64 / squares
        spread = {"connections": 64, "least": least, "most": others, "without": 0, "evenness": even}
        answers = ConnectionAnswers.model_validate(spread | {"evenness_in_slices": even, "slice_seconds": 0.01})
        trial = a_trial().serving(ANSWERS / 8).but(window=8.0, connections=64).record()
        assert trial.engine is not None
        engine = trial.engine.model_copy(update={"response_time": histogram, "connection_answers": answers})
        return trial.model_copy(update={"engine": engine})

    number = max(each for each in range(1, 6) if lets_pass("uneven-connections", starving(each)))
    reach = turns_reach(find_metric("response_time_p99"), starving(number))
    return Tolerance(
        "uneven-connections `least`",
        f"{number} of 64 connections have a tenth of an even share, which p99 does not show",
        f"{percent(number / (64 - number))} of a percentile",
        f"{percent(reach)} in the interval; more shows in p99",
    )


def answering(seconds: npt.NDArray[np.float64], **changes: object) -> TrialRecord:
    """A trial whose answers took these times."""
    text = hdr(*(max(1, round(1e6 * each)) for each in seconds))
    update = {"hdr_base64": text, "percentiles": {"99": float(np.quantile(seconds, 0.99))}}
    histogram = times(len(seconds), float(np.median(seconds))).model_copy(update=update)
    rate = len(seconds) / WINDOW_SECONDS
    trial = a_trial().serving(rate).but(window=WINDOW_SECONDS, connections=CONNECTIONS).record()
    assert trial.engine is not None
    engine = trial.engine.model_copy(update={"response_time": histogram, "service_time": histogram, **changes})
    return trial.model_copy(update={"engine": engine})


def percentile(trial: TrialRecord, name: str) -> float:
    assert trial.engine is not None
    return read_histogram(trial.engine.response_time.hdr_base64).at(float(name))


def hanging_requests() -> Tolerance:
    """All connections but one hang until the window ends, so that the last one has quick answers."""
    left, answers = CONNECTIONS - 1, 4_000

    def usual(number: int) -> npt.NDArray[np.float64]:
        spread = [NormalDist().inv_cdf((each + 0.5) / number) for each in range(number)]
        return CONNECTIONS * ANSWER_SECONDS * np.exp(spread)

    def hung(share: float) -> TrialRecord:
        quick = round(share * answers)
        at_end = left * share * WINDOW_SECONDS
        return answering(
            np.concatenate([usual(answers - quick), usual(quick) / CONNECTIONS]),
            in_flight_at_end=left,
            oldest_in_flight_seconds=share * WINDOW_SECONDS,
            under_way=UnderWay(
                at_start_seconds=0.0,
                ended_seconds=CONNECTIONS * WINDOW_SECONDS - at_end,
                at_end_seconds=at_end,
                mean_requests=CONNECTIONS,
            ),
        )

    share = largest(lambda each: lets_pass("unanswered", hung(each), RECORD), 0, 0.5)
    names, fair, bought = ("50", "99"), hung(0), hung(share)
    gains = [f"p{name} {percent(percentile(fair, name) / percentile(bought, name) - 1)}" for name in names]
    reaches = [percent(turns_reach(find_metric(f"response_time_p{name}"), bought)) for name in names]
    return Tolerance(
        "unanswered `window_share`",
        f"{left} of {CONNECTIONS} connections hang for the last {share:.0%} of the window; lognormal times",
        ", ".join(gains),
        f"{' and '.join(reaches)} in the interval",
    )


def held_up_by_a_timer() -> Tolerance:
    """Few answers wait for so long that the others have the server for themselves."""
    delay_seconds, answers = 0.2, 20_000

    def held(share: float) -> TrialRecord:
        number = round(share * answers)
        others = CONNECTIONS - number * delay_seconds / WINDOW_SECONDS
        answer_seconds = WINDOW_SECONDS / answers
        even = ConnectionAnswers(
            connections=CONNECTIONS,
            least=answers // CONNECTIONS,
            most=answers // CONNECTIONS,
            without=0,
            evenness=1.0,
            evenness_in_slices=others / CONNECTIONS,
            slice_seconds=0.01,
        )
        seconds = np.array([others * answer_seconds] * (answers - number) + [delay_seconds] * number)
        trial = answering(seconds, connection_answers=even)
        return trial.model_copy(update={"network": calm_network().model_copy(update={"timeouts": number})})

    share = largest(lambda each: is_silent("delayed-ack", RECORD, held(each)), 0, 0.01)
    gain = percentile(held(0), "50") / percentile(held(share), "50") - 1
    reach = turns_reach(find_metric("response_time_p50"), held(share))
    return Tolerance(
        "delayed-ack, retransmits `share`",
        f"{percent(share)} of the answers wait for 200 ms",
        f"p50 {percent(gain)}",
        f"{percent(reach)} in the interval",
    )


def in_blocks(course: Sequence[float]) -> list[TrialRecord]:
    """Windows of this course, second by second, in five blocks."""
    trials = trials_of(RECORD, a_trial())
    return [window(trial, [100_000 * each for each in course]) for trial in trials]


def quick_beginnings() -> Tolerance:
    """Windows whose first part is faster than their rest."""

    def course(boost: float, seconds: int) -> list[float]:
        first = max(1, seconds // 5)
        return [1 + boost] * first + [1.0] * (seconds - first)

    def passing(seconds: int) -> float:
        return largest(lambda boost: is_silent("not-warm", RECORD, *in_blocks(course(boost, seconds))), 0, 1)

    boosts = {seconds: passing(seconds) for seconds in (2, 5)}
    gain = max(fmean(course(boost, seconds)) - 1 for seconds, boost in boosts.items())
    words = ", ".join(f"{percent(boost)} in {seconds} s" for seconds, boost in boosts.items())
    return Tolerance(
        "not-warm `tolerance`",
        f"the first part of a window faster by {words}",
        f"{percent(gain)}, over the rest",
        "left",
    )


def declining_windows() -> Tolerance:
    """Windows that get slower all the time."""

    def course(decline: float) -> list[float]:
        return list(np.linspace(1 + decline / 2, 1 - decline / 2, 10))

    def passes(decline: float) -> bool:
        trials = in_blocks(course(decline))
        return is_silent("not-stationary", RECORD, *trials) and is_silent("not-warm", RECORD, *trials)

    decline = largest(passes, 0, 1)
    rest = course(decline)[2:]
    return Tolerance(
        "not-stationary `warn`",
        f"{percent(decline)} slower at the end of ten seconds",
        f"{percent(1 / fmean(rest) - 1)}, over the rest",
        "left",
    )


def connections_not_kept() -> Tolerance:
    """A connect costs as much as an answer, and nobody else pays for it."""

    def again(share: float) -> TrialRecord:
        trial = a_trial().serving(ANSWERS / 3).record()
        assert trial.engine is not None
        connects = CONNECTIONS + round(share * trial.engine.answers)
        return trial.model_copy(update={"engine": trial.engine.model_copy(update={"connects": connects})})

    share = largest(lambda each: is_silent("keep-alive-not-kept", RECORD, again(each)), 0, 1)
    return Tolerance(
        "keep-alive-not-kept `connects`",
        f"{percent(share)} of the answers on a new connection",
        f"{100 / (1 + share) - 100:.1f}%",
        "left",
    )


def shorter_bodies() -> Tolerance:
    """Bodies without white space, beside such that have some."""
    body_bytes, head_bytes = 180, 120

    def sized(number: float) -> TrialRecord:
        trial = a_trial().record()
        assert trial.engine is not None and trial.engine.body_bytes is not None
        sizes = trial.engine.body_bytes.model_copy(update={"mean": number})
        return trial.model_copy(update={"engine": trial.engine.model_copy(update={"body_bytes": sizes})})

    record = an_experiment("a", "b", blocks=1).record()

    def passes(share: float) -> bool:
        pair = [sized(body_bytes * (1 - share)), sized(body_bytes)]
        trials = [
            trial.model_copy(update={"condition": condition.id, "index": number})
            for number, (trial, condition) in enumerate(zip(pair, record.conditions, strict=True), 1)
        ]
        return is_silent("unequal-answers", record, *trials)

    share = largest(passes, 0, 0.5)
    return Tolerance(
        "unequal-answers `tolerance`",
        f"{percent(share)} of a body of {body_bytes} bytes is white space that others print",
        f"{percent(share * body_bytes / (body_bytes + head_bytes))} of the bytes",
        "left: free to all",
    )


ROWS: Sequence[Callable[[], Tolerance]] = (
    early_answers,
    errors_for_the_slowest,
    unseen_wrong_bodies,
    rates_that_were_not_kept,
    clients_that_are_gone,
    passed_over,
    hanging_requests,
    held_up_by_a_timer,
    quick_beginnings,
    declining_windows,
    connections_not_kept,
    shorter_bodies,
)
