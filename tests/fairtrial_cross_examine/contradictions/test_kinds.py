"""Each kind of contradiction: what makes it fire, and an honest near miss that keeps it quiet."""

from typing import Any

import pytest

from fairtrial_cross_examine.contradictions import contradiction_kinds, find_contradictions
from fairtrial_cross_examine.figures import as_figure, exactly
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun, RunTimes, StatedRatio
from tests.fairtrial_cross_examine.runs import a_run, contradictions_of, milliseconds

Changes = dict[str, Any]
DELAYED = {"contender": "c", "connections": 1, "requests": None, "seconds": None}
AT_NO_DELAY = a_run(**DELAYED, name="at 0", delay_seconds=as_figure("0"), rate_per_second=as_figure("2000"))
COMMAND: Changes = {
    "tool": "hyperfine",
    "requests": None,
    "seconds": None,
    "rate_per_second": None,
    "load": None,
    "runs": 10,
}


def command(name: str, mean: str, deviation: str) -> PrintedRun:
    return a_run(
        **COMMAND,
        name=name,
        times={
            "mean": milliseconds(mean),
            "deviation": milliseconds(deviation),
            "minimum": milliseconds("1"),
            "maximum": milliseconds("900"),
            "percentiles": {},
        },
    )


def delayed(rate: str, delay: str, **more: object) -> list[PrintedRun]:
    return [
        AT_NO_DELAY,
        a_run(**DELAYED, rate_per_second=as_figure(rate), delay_seconds=as_figure(delay), **more),
    ]


def longest(*milliseconds_each: str, **more: object) -> list[PrintedRun]:
    return [
        a_run(
            name=f"run {number}",
            times={"maximum": milliseconds(each), "mean": milliseconds(f"{1 + 0.3 * number:.2f}"), **more},
        )
        for number, each in enumerate(milliseconds_each)
    ]


def alike(number: int, p50: Figure | None = None) -> list[PrintedRun]:
    percentiles = {"99": milliseconds("9.10"), **({} if p50 is None else {"50": p50})}
    return [a_run(times=RunTimes(mean=milliseconds("9.10"), percentiles=percentiles))] * number


FIRES: dict[str, list[tuple[list[PrintedRun], str]]] = {
    "rate": [
        (
            [a_run(rate_per_second=as_figure("10100.00"))],
            "100,000 requests in 10 s are 10,000/s, but 10,100/s is printed",
        ),
        ([a_run(requests=exactly(99_000))], "are 9,900.00/s"),
        ([a_run(rate_seconds=as_figure("9.00"))], "11,111/s"),
    ],
    "time-per-request": [
        ([a_run(time_per_request_seconds=milliseconds("0.100"))], "50 times as long"),
        ([a_run(time_per_request_seconds=milliseconds("7.000"))], "it is 5.00 ms"),
        ([a_run(time_across_seconds=milliseconds("5.000"))], "across all concurrent requests"),
    ],
    "clients-idle": [
        (
            [a_run(requests=None, seconds=None, times={"mean": milliseconds("0.60")})],
            "at work for 120 ms of each second, 12.0% of the time",
        ),
        ([a_run(times={"mean": milliseconds("1.20")})], "at work for 2.40 s of the 10.0 s"),
        ([a_run(tool="wrk", dead_clients=50, times={"mean": milliseconds("1.20")})], "50 of 50 connections"),
        ([a_run(unanswered={"timeout": 5}, times={"mean": milliseconds("0.70")})], "at work for 2.40 s"),
    ],
    "too-much-time": [
        (
            [a_run(requests=None, seconds=None, times={"mean": milliseconds("6.00")})],
            "10,000 requests of 6.00 ms each take 50 clients 1.20 s, but each second has 1.00 s",
        ),
        ([a_run(times={"mean": milliseconds("5.20")})], "take 50 clients 10.4 s, but the run lasted 10.0 s"),
        ([a_run(tool="wrk", times={"mean": milliseconds("10.20")})], "wrk adds latencies"),
        ([a_run(times={"mean": milliseconds("10.20"), "percentiles": {}})], "Pipelined, 2.04 at a time"),
        (
            [a_run(tool="hey", requests=exactly(2_000_000), times={"mean": milliseconds("0.52")})],
            "the 1,000,000 that it keeps",
        ),
    ],
    "errors-as-throughput": [
        ([a_run(failures={"non-2xx": 62_000})], "Without them it is 3,800.00/s"),
        ([a_run(failures={"non-2xx": 62_000, "length": 10_000})], "2,800.00/s to 3,800.00/s"),
        ([a_run(unanswered={"timeout": 500}, unanswered_are_requests=True)], "500 timeout of 100,000"),
        (
            [a_run(tool="ab", failures={"non-2xx": 62_000, "length": 38_000})],
            "the 38,000 that it calls failed are the only answers that can be right",
        ),
        (
            [
                a_run(
                    tool="ab",
                    failures={"non-2xx": 62_000, "length": 38_000},
                    document_bytes=exactly(601),
                    bodies_bytes=exactly(62_000 * 601),
                )
            ],
            "all 37,262,000 bytes of bodies. The 38,000 that it calls failed had not one byte: no request was answered",
        ),
        # A count that was rounded can be less than all that failed.
        ([a_run(requests=as_figure("100000"), failures={"non-2xx": 100_400})], "Without them it is 0.00/s (0.00% of"),
        ([a_run(failures={"status 500": 200}, rate_per_second=None, seconds=None)], "these are no throughput"),
    ],
    "lost-requests": [
        ([a_run(unanswered={"timeout": 2000})], "nothing above p98.04 is known, so that p99 is not 9.10 ms"),
        ([a_run(unanswered={"read": 150, "timeout": 50})], "150 read, 50 timeout"),
    ],
    "unequal-lengths": [
        ([a_run(), a_run(name="other", document_bytes=exactly(601))], "other has 601 bytes of a body"),
        (
            [a_run(), a_run(name="other", document_bytes=exactly(601), failures={"non-2xx": 9})],
            "The length of other can be that of an error page",
        ),
        (
            [a_run(answer_bytes=exactly(300)), a_run(name="other", answer_bytes=exactly(1400))],
            "bytes of an answer with its headers",
        ),
        ([a_run(stored_bytes=exactly(0)), a_run(name="b", stored_bytes=exactly(104))], "left behind"),
        (
            [a_run(url="http://a/x"), a_run(name="other", url="http://b:80/x?y", document_bytes=exactly(9))],
            "they did not do the same work",
        ),
    ],
    "unsupported-percentile": [
        ([a_run(requests=exactly(990), times={"percentiles": {"99": milliseconds("9.10")}})], "lie 9.9;"),
        (
            [a_run(times={"sample": 50_000, "percentiles": {"99.99": milliseconds("20.00")}})],
            "p99.99 20.0 ms: above p99.99 of 50,000 answers lie 5",
        ),
        (
            [a_run(requests=exactly(100), times={"percentiles": {"95": milliseconds("9"), "99": milliseconds("9")}})],
            "p99 needs 1,000",
        ),
    ],
    "mean-as-percentile": [
        (alike(number=3), "The mean and the p99 are both 9.10 ms, to the digit, as in 3 of 3 rows by some"),
    ],
    "stalls": [
        (longest("229.00", "233.00", "234.00"), "3 of 3 runs have their longest answer between 229 ms and 234 ms"),
        (longest(*["231.00"] * 6, *["31.00"] * 18), "6 of 24 runs"),
        (longest("41.00", "40.10", "44.00"), "a delayed acknowledgement (40 ms)"),
        (longest(*["1004.00"] * 3), "a connect that was sent again (1 s)"),
        (longest(*["3010.00"] * 3), "a connect that was sent again (3 s)"),
        (
            longest("44.00", mean=milliseconds("1.00"), percentiles={"99": milliseconds("41.00")}),
            "p99 is 41.0 ms and the maximum 44.0 ms, at a mean of 1.00 ms",
        ),
        (
            [a_run(times={"mean": milliseconds("41.10"), "deviation": milliseconds("1.30")})],
            "Unless the server waits so long by itself",
        ),
    ],
    "closed-beside-open": [
        (
            [a_run(), a_run(name="paced", load="open", constant_rate_per_second=as_figure("2000"))],
            "cannot be compared",
        ),
    ],
    "load-not-offered": [
        ([a_run(load="open", constant_rate_per_second=as_figure("12000"))], "83.3% of it"),
        ([a_run(load="open", dropped_requests=200)], "200 requests were due and were never sent"),
    ],
    "implied-delay": [
        (delayed("19", "0.010"), "19.00/s one after another are 52.6 ms a request; 10.0 ms was stated"),
        (delayed("16", "0.050"), "the delay was 62.0 ms"),
        (delayed("150", "0.010"), "No answer can be faster than the delay"),
        (
            [
                a_run(
                    **(DELAYED | {"connections": 4}),
                    rate_per_second=as_figure("600"),
                    delay_seconds=as_figure("0.010"),
                )
            ],
            "faster",
        ),
    ],
    "chosen-run": [
        ([a_run(statistic="best", runs=5)], "the best of 5 runs each"),
        (
            [
                a_run(statistic="chosen"),
                a_run(name="b", statistic="chosen", rate_per_second=as_figure("10100.00")),
            ],
            "The two closest differ by 1.0%",
        ),
    ],
    "order-within-noise": [
        ([command("a", "100.0", "10.0"), command("b", "101.0", "10.0")], "a is 1.0% faster than b by the means"),
    ],
    "impossible-times": [
        ([a_run(times={"maximum": milliseconds("8.00")})], "The p99 is 9.10 ms, and the maximum is 8.00 ms"),
        ([a_run(times={"minimum": milliseconds("4.99")})], "The minimum is 4.99 ms, and the p50 is 4.70 ms"),
        ([a_run(times={"mean": milliseconds("33.00")})], "The mean is 33.0 ms, and the maximum is 31.0 ms"),
        ([a_run(times={"mean": milliseconds("0.50")})], "The minimum is 900 µs, and the mean is 500 µs"),
        ([a_run(times={"deviation": milliseconds("11.00")})], "at most 10.2 ms"),
        ([a_run(times={"mean": milliseconds("7.50")})], "at most 7.12 ms: 0.5 × 4.70 ms + 0.49 × 9.10 ms"),
        ([a_run(times={"mean": milliseconds("2.00")})], "at least 2.84 ms: 0.5 × 900 µs"),
        # Without a maximum there is no upper bound, and without the number of answers a thousand are assumed.
        (
            [a_run(requests=None, times={"mean": milliseconds("2.00"), "maximum": None, "deviation": None})],
            "at least 2.8",
        ),
    ],
    "planned-time": [
        ([a_run(planned_seconds=exactly(5))], "The run was to last 5.00 s, and 10.0 s are printed"),
        ([a_run(planned_seconds=exactly(30))], "It was ended early"),
    ],
    "body-bytes": [
        ([a_run(bodies_bytes=exactly(5113 * 50_000))], "100,000 answers of 5,113 bytes are 511,300,000"),
        ([a_run(bodies_bytes=exactly(0))], "but 0 are printed"),
        ([a_run(bodies_bytes=exactly(900), all_bytes=exactly(800))], "more than the 800 bytes that came"),
    ],
}

QUIET: dict[str, list[list[PrintedRun]]] = {
    "rate": [
        [a_run(rate_per_second=as_figure("10009.00"))],
        [a_run(requests=as_figure("100500"), rate_per_second=as_figure("10045"))],
        [a_run(rate_per_second=None)],
        [a_run(seconds=None)],
        [
            a_run(
                tool="autocannon",
                rate_per_second=as_figure("9100"),
                rate_seconds=as_figure("10").plus(1).times(1.0),
            )
        ],
    ],
    "time-per-request": [
        [a_run(time_per_request_seconds=milliseconds("5.000"), time_across_seconds=milliseconds("0.100"))],
        [a_run(time_per_request_seconds=milliseconds("5.04"))],
        [a_run(time_per_request_seconds=milliseconds("0.100"), connections=1)],
    ],
    "clients-idle": [
        [a_run(times={"mean": milliseconds("1.90")})],
        [a_run(load="open", times={"mean": milliseconds("0.10")})],
        [a_run(load=None, times={"mean": milliseconds("0.10")})],
        # A client that hung all of the time was at work.
        [a_run(unanswered={"timeout": 50}, times={"mean": milliseconds("0.10")})],
        # Whole milliseconds: 0 may be 0.99.
        [a_run(connections=10, times={"mean": as_figure("0", 1e-3).plus(0.0005)})],
        [a_run(connections=None, times={"mean": milliseconds("0.10")})],
        # One client still waits for the longest answer when no request is left for the others.
        [a_run(requests=exactly(200), times={"mean": milliseconds("50.00"), "maximum": milliseconds("9990.00")})],
        [a_run(may_pause=True, times={"mean": milliseconds("0.10")})],
        # To open a connection takes longer than one request, and with TLS it may be opened for each.
        [a_run(requests=exactly(400), times={"mean": milliseconds("0.10")})],
        [a_run(url="https://a/", times={"mean": milliseconds("0.10")})],
    ],
    "too-much-time": [
        [a_run(times={"mean": milliseconds("5.05")})],
        [a_run(tool="wrk", times={"mean": milliseconds("8.00")})],
        [a_run(load="open", times={"mean": milliseconds("90.00"), "maximum": milliseconds("900.00")})],
    ],
    "errors-as-throughput": [
        [a_run(failures={"non-2xx": 90})],
        [a_run(unanswered={"timeout": 5000})],
        [a_run(requests=None, failures={"non-2xx": 5})],
    ],
    "lost-requests": [
        [a_run(unanswered={"timeout": 90})],
        [a_run(unanswered={"timeout": 900}, times={"mean": None, "percentiles": {}})],
    ],
    "unequal-lengths": [
        [a_run(), a_run(name="other", document_bytes=exactly(5300))],
        [a_run(answer_bytes=exactly(130)), a_run(name="other", answer_bytes=exactly(420))],
        [a_run(url="http://a/x"), a_run(name="other", url="http://a/y", document_bytes=exactly(9))],
        [a_run(url="http://a/x"), a_run(name="other", url="http://a/x?y", document_bytes=exactly(9))],
        [a_run()],
    ],
    "unsupported-percentile": [
        [a_run(requests=exactly(1000))],
        [a_run(times={"percentiles": {"99.99": milliseconds("20.00")}})],
        [a_run(requests=exactly(5), times={"percentiles": {"50": milliseconds("4.00")}})],
        [command("c", "10.0", "1.0")],
    ],
    "mean-as-percentile": [
        # Once is chance.
        alike(number=1),
        # All times are the same.
        alike(number=3, p50=milliseconds("9.10")),
        # So they nearly are, as those of a server that waits for as long each time.
        alike(number=3, p50=milliseconds("9.05")),
        # Two digits agree often.
        [a_run(times=RunTimes(mean=milliseconds("9.1"), percentiles={"99": milliseconds("9.1")}))] * 3,
    ],
    "stalls": [
        # Once, or five times in 24, is chance.
        longest("231.50"),
        longest("229.00", "31.00", "234.00"),
        longest(*["231.00"] * 5, *["31.00"] * 19),
        longest("260.00", "190.00", "31.00"),
        # Runs of one server can have a maximum of its own.
        longest(*["231.00"] * 3, mean=milliseconds("4.90")),
        # Ten times the mean is a tail.
        longest(*["231.00"] * 3, mean=milliseconds("23.10")),
        # So is a percentile below the timer, and one that rests on three answers.
        longest("44.00", mean=milliseconds("1.00"), percentiles={"99": milliseconds("21.00")}),
        longest("44.00", mean=milliseconds("1.00"), percentiles={"99.997": milliseconds("41.00")}),
        [a_run(times={"mean": milliseconds("41.10"), "deviation": milliseconds("20.00")})],
        # Servers wait for 200 ms or 1 s because they are told to.
        [a_run(times={"mean": milliseconds("201.10"), "deviation": milliseconds("1.00")})],
        [a_run(times={"mean": milliseconds("1002.00"), "deviation": milliseconds("2.00")})],
        [command("sleep", "200.0", "1.0")],
    ],
    "closed-beside-open": [
        [a_run(), a_run(name="b")],
        [a_run(load="open"), a_run(name="b", load="open")],
        [a_run(), a_run(name="b", load="open", times={"mean": None, "percentiles": {}})],
        # First how much it can do, then its latencies below that.
        [a_run(url="http://a/x"), a_run(name="b", url="http://a/x", load="open")],
    ],
    "load-not-offered": [
        [a_run(load="open", constant_rate_per_second=as_figure("10050"))],
        [a_run(load="open", dropped_requests=90)],
        # A mean of a second each, of which the last one was cut short.
        [a_run(load="open", constant_rate_per_second=exactly(10_000), rate_per_second=as_figure("9090.91"))],
        [a_run()],
    ],
    "implied-delay": [
        delayed("95", "0.010"),
        delayed("10", "0.100"),
        delayed("2", "0.500"),
        # Without a run at no delay, the time can be the request's own.
        [a_run(**DELAYED, rate_per_second=as_figure("19"), delay_seconds=as_figure("0.010"))],
        [
            a_run(
                **(DELAYED | {"connections": None}),
                rate_per_second=as_figure("800"),
                delay_seconds=as_figure("0.010"),
            )
        ],
    ],
    "chosen-run": [
        [a_run(statistic="median", runs=5)],
        [a_run(statistic="only")],
        [a_run(runs=1), a_run(name="b", runs=1)],
    ],
    "order-within-noise": [
        [command("a", "100.0", "10.0"), command("b", "130.0", "10.0")],
        [command("a", "100.0", "1.0"), command("b", "101.5", "1.0")],
        [command("a", "100.0", "10.0")],
        [a_run(), a_run(name="b")],
    ],
    "impossible-times": [
        [a_run(times={"maximum": milliseconds("9.10")})],
        [a_run(times={"maximum": milliseconds("9.05")})],
        [a_run(times={"deviation": milliseconds("10.00")})],
        [a_run(times={"minimum": None, "maximum": None})],
        [a_run(times={"mean": milliseconds("7.10")})],
        [a_run(times={"mean": milliseconds("2.90")})],
        [command("c", "800.0", "10.0")],
    ],
    "planned-time": [
        [a_run(planned_seconds=exactly(9))],
        [a_run(planned_seconds=exactly(11))],
        [a_run(planned_seconds=exactly(1), seconds=as_figure("2.90"))],
        [a_run(planned_seconds=exactly(5), seconds=None)],
    ],
    "body-bytes": [
        [a_run(bodies_bytes=exactly(5113 * 100_050))],
        [a_run(bodies_bytes=exactly(5113 * 50_000), failures={"length": 50_000})],
        [a_run(bodies_bytes=exactly(5113 * 90_000), unanswered={"errors": 10_000})],
        [a_run(bodies_bytes=exactly(900), all_bytes=exactly(900), document_bytes=None)],
    ],
}


def test_an_honest_run_contradicts_nothing() -> None:
    assert list(find_contradictions(PrintedOutput(runs=[a_run()]))) == []


@pytest.mark.parametrize(
    ("kind", "runs", "words"), [(kind, runs, words) for kind, cases in FIRES.items() for runs, words in cases]
)
def test_it_fires(kind: str, runs: list[PrintedRun], words: str) -> None:
    first, *_ = contradictions = contradictions_of(kind, *runs)
    assert any(words in each.says for each in contradictions), [each.says for each in contradictions]
    assert first.figures and first.formula and first.ask.strip()
    assert {each.kind for each in contradictions} == {kind}


@pytest.mark.parametrize(("kind", "runs"), [(kind, runs) for kind, cases in QUIET.items() for runs in cases])
def test_a_near_miss_keeps_it_quiet(kind: str, runs: list[PrintedRun]) -> None:
    assert [each.says for each in contradictions_of(kind, *runs)] == []


def stated(subject: str, ratio: str, of: str | None = None, to: str | None = None, **more: str) -> StatedRatio:
    return StatedRatio.model_validate(
        {"subject": subject, "source": "honest.txt", "factor": as_figure(ratio), "of": of, "to": to, **more}
    )


@pytest.mark.parametrize(
    "ratios",
    [
        [stated("twice", "2.0", "fast", "slow")],
        [stated("in seconds", "4.0", "fast", "slow", measure="seconds")],
        [stated("same", "2"), stated("same", "4.0")],
    ],
)
def test_a_stated_ratio_is_refuted(ratios: list[StatedRatio], snapshot: object) -> None:
    fast = a_run(name="fast", seconds=as_figure("2.5"), rate_per_second=as_figure("40000"))
    slow = a_run(name="slow")
    (contradiction,) = contradictions_of("stated-ratio", fast, slow, ratios=ratios)
    assert contradiction.says == snapshot


@pytest.mark.parametrize(
    "ratios",
    [
        [stated("four times", "4.0", "fast", "slow")],
        [stated("roughly", "3.95", "fast", "slow")],
        [stated("same", "2"), stated("same", "2.3")],
        [stated("one", "2"), stated("other", "4")],
    ],
)
def test_a_stated_ratio_that_the_figures_give(ratios: list[StatedRatio]) -> None:
    fast = a_run(name="fast", rate_per_second=as_figure("40000"))
    assert contradictions_of("stated-ratio", fast, a_run(name="slow"), ratios=ratios) == []


def test_seconds_without_their_zeros(snapshot: object) -> None:
    printed = a_run(
        tool="ab",
        requests=exactly(10),
        connections=10,
        seconds=as_figure("1.75797"),
        rate_per_second=as_figure("9.30"),
        times={"mean": None, "percentiles": {}},
    )
    (contradiction,) = contradictions_of("rate", printed)
    assert contradiction.says == snapshot
    (contradiction,) = contradictions_of("rate", printed.model_copy(update={"tool": "wrk"}))
    assert "ab 2.0" not in contradiction.says and "The rate belongs to 1.08 s" in contradiction.says


def test_every_kind_is_tried_both_ways() -> None:
    assert set(FIRES) | {"stated-ratio"} == set(contradiction_kinds())
    assert set(QUIET) == set(FIRES)
