"""Sentences about a result as a whole: the ceiling of the load engine."""

from fairtrial.judge.judging import judge
from fairtrial.record.calibration import Calibration
from fairtrial.report.html import html_text
from fairtrial.report.sentences import ceiling_in_words
from tests.builders import a_trial, an_experiment, calm_machine, times, trials_of


def calibrated(connections: int, ceiling: float, lag: float | None = None) -> Calibration:
    return Calibration(
        connections=connections,
        keep_alive=connections > 1,
        ceiling_per_second=ceiling,
        mean_per_second=0.97 * ceiling,
        window_seconds=1.0,
        engine_cpu_seconds_per_request=1.1e-5,
        busiest_thread_share=0.7,
        machine=calm_machine(1.0),
        rate_per_second=None if lag is None else 2000,
        pacing_lag=None if lag is None else times(2000, lag / 4),
    )


def test_one_line_for_all_loads() -> None:
    several = [calibrated(16, 61_234), calibrated(1, 9_000, lag=0.002)]
    record = an_experiment("a", "b").record().model_copy(update={"calibrations": several})
    trials = trials_of(record, a_trial())
    result = judge(record, trials, interrupted=False)
    line = (
        "ceiling: from a server that does nothing, the load engine reached 61,234/s with 16 connections, 9,000/s with "
        "1 connection, a new one each time; 11.0 µs of its processor a request; an open load's p99 of send lag: 2.00 ms"
    )
    assert ceiling_in_words(result) == line
    assert line.replace("'", "&#39;") in html_text(result, record, trials)


def test_without_a_calibration_there_is_no_sentence() -> None:
    record = an_experiment("a").record()
    result = judge(record, [], interrupted=False)
    assert ceiling_in_words(result) == ""
    assert "ceiling" not in html_text(result, record, [])
