"""Which times a sample supports, and how they are written."""

from collections.abc import Sequence
from io import StringIO

from rich.console import Console

from fairtrial.lab.trial.capacity import judge_probe
from fairtrial.load.capacity import CapacityLoad, Objective
from fairtrial.record.capacity import CapacitySearch, Probe
from fairtrial.record.engine_summary import AtLeast, Cohort, JourneyAccount, JourneyStepAccount, StreamUse
from fairtrial.report.columns import time_cell
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.report.figures import (
    OF_STREAMS,
    FigureTable,
    columns,
    generator_in_words,
    goodput_in_words,
    journeys_table,
    missing_percentiles,
    notes_on_times,
    probes_table,
    times_table,
)
from fairtrial.tools.load.report.terminal import print_measurement
from tests.builders import a_trial
from tests.tools.load.measurements import busy, closed, measurement, open_measurement, with_trial


def rows_of(table: FigureTable | None) -> Sequence[Sequence[str]]:
    """The rows of a table that there is."""
    assert table is not None
    return table.rows


def rows(measurement: Measurement) -> Sequence[Sequence[str]]:
    """The rows of the table of times."""
    return rows_of(times_table(measurement))


def test_only_supported_percentiles_are_shown(snapshot: object) -> None:
    few = measurement(a_trial().serving(100))
    assert columns(few) == ["50", "90", "95"]
    assert missing_percentiles(few) == snapshot
    assert len(rows(few)[0]) == 5
    assert missing_percentiles(measurement(a_trial().serving(50_000))) == ""
    assert "p99.99 is not shown" in missing_percentiles(measurement())


def test_the_kinds_of_times_of_a_load() -> None:
    assert [row[0] for row in rows(measurement())] == ["response time"]
    assert [row[0] for row in rows(open_measurement())] == ["response time", "service time", "send lag"]
    few_streams = StreamUse(planned=50, allowed=10, most=10)
    waiting = measurement(load=closed(http2=True, streams=50), streams=few_streams)
    assert [row[0] for row in rows(waiting)] == ["response time", "service time", "send lag"]
    assert OF_STREAMS in notes_on_times(waiting)
    reopening = measurement(load=closed({"requests_per_connection": 1}))
    assert [row[0] for row in rows(reopening)] == ["response time", "connect time"]


def test_cells() -> None:
    seconds = (None, 0.5e-6, 162e-6, 2.1e-3, 1.234)
    assert [time_cell(each, None) for each in seconds] == ["–", "<0.001", "0.162", "2.10", "1,234"]


def test_goodput() -> None:
    assert goodput_in_words(measurement()) == "4,000 verified answers/s"
    assert goodput_in_words(measurement(goodput_per_second=12.34)) == "12.3 verified answers/s"
    assert goodput_in_words(measurement(a_trial().serving(0))) == "no verified answer"


def test_a_journey_has_a_row_that_says_where_others_broke_off() -> None:
    steps = [
        JourneyStepAccount(name=name, broken_off=count) for name, count in {"make": 0, "fill": 2, "pay": 1000}.items()
    ]
    journey = JourneyAccount(
        name="buy",
        count=4005,
        completed=3000,
        broken_off=1002,
        unfinished=3,
        journey_time=measurement().summary.response_time,
        steps=steps,
    )
    ((name, rate, broken_off, unfinished, *_),) = rows_of(journeys_table(measurement(journeys=[journey])))
    assert (name, rate, broken_off, unfinished) == ("buy", "1,000.0", "1,002 (fill 2, pay 1,000)", "3")
    assert journeys_table(measurement()) is None


def test_the_load_generator(snapshot: object) -> None:
    one = measurement(threads=busy(0.61), driver="io_uring", driver_fallback=None)
    assert generator_in_words(one) == "61% of its processor, io_uring"
    two = measurement(threads=busy(0.5) * 2, driver="epoll", driver_fallback="not allowed")
    assert generator_in_words(two) == snapshot


def test_what_falls_among_requests_without_an_end_is_a_lower_bound() -> None:
    times = open_measurement().summary.response_time
    ninth = times.percentiles["99"]
    assert ninth is not None
    told = times.model_copy(update={"at_least": AtLeast(count=9, min_seconds=ninth, longest_other_seconds=0.1)})
    cells = rows(open_measurement(response_time=told))[0][1:]
    assert [text.startswith("> ") for text in cells] == [False, False, False, True, True, True]
    assert list(rows(open_measurement())[0][1:]) == [text.removeprefix("> ") for text in cells]


def test_the_runs_of_a_search_mark_lower_bounds() -> None:
    probe = Probe(
        rate_per_second=500,
        seconds=2,
        confirming=False,
        achieved_over_offered=1.0,
        percentiles_seconds={"50": 0.004, "99": 0.19},
        error_share=0.0,
        busiest_thread_share=0.1,
        objectives=[],
    )
    for at_least_seconds, cells in ((None, ["4.00", "190"]), (0.1, ["4.00", "> 190"]), (0.004, ["> 4.00", "> 190"])):
        told = probe.model_copy(update={"at_least_seconds": at_least_seconds})
        (row,) = rows_of(probes_table(with_trial(open_measurement(), capacity=CapacitySearch(probes=[told], found=[]))))
        assert list(row[4:6]) == cells


def test_no_more_is_answered_than_was_asked() -> None:
    """Answers to requests from before the window count beside those that were under way when it opened; the share of
    what was offered is that of the window's own requests, whenever they were answered."""
    offered = open_measurement()
    cohort = Cohort(drain_seconds=0.1, answers=1000, failures=0, censored=0)
    window = {"offered": 1000, "sent": 1000, "answers": 1019, "verified": 1019, "in_flight_at_start": 20}
    summary = offered.summary.model_copy(
        update={**window, "in_flight_at_end": 1, "achieved_over_offered": 1.019, "cohort": cohort}
    )
    assert summary.answered_share == 1.0 and summary.requests == 1020
    load = CapacityLoad(kind="capacity", objectives=[Objective(name="p99", percentile=99, within_milliseconds=50)])
    (row,) = rows_of(
        probes_table(
            with_trial(offered, capacity=CapacitySearch(probes=[judge_probe(load, 1000, 1, False, summary)], found=[]))
        )
    )
    assert row[3] == "100.0%"
    text = StringIO()
    print_measurement(Console(width=120, file=text), with_trial(offered, engine=summary), verbose=True)
    assert "1,019 verified of 1,019 answers to 1,020 requests" in text.getvalue()
    assert "1,000 requests, 100.00% of them answered" in text.getvalue()


def test_what_never_was_answered_is_missing_from_the_share() -> None:
    summary = open_measurement().summary
    cohort = Cohort(drain_seconds=2.0, answers=900, failures=40, censored=60)
    assert summary.model_copy(update={"offered": 1000, "cohort": cohort}).answered_share == 0.9
    without_drain = {"cohort": None, "achieved_over_offered": 1.02, "offered": None}
    assert summary.model_copy(update=without_drain).answered_share == 1.0
    closed = {"cohort": None, "achieved_over_offered": None}
    assert summary.model_copy(update=closed).answered_share is None
