"""Sentences about a result as a whole: the ceiling of the load engine, workloads with what lies before services."""

from fairtrial.judge.judging import judge
from fairtrial.record.calibration import Calibration
from fairtrial.report.html import html_text
from fairtrial.report.sentences import ceiling_in_words, workloads_in_words
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


def test_the_distance_of_services_stands_beside_the_workload() -> None:
    record = an_experiment("a").record()
    away = {"sqlite": "1 ms away", "redis": "2 ms away"}
    conditions = [each.model_copy(update={"distances": away}) for each in record.conditions]
    result = judge(record.model_copy(update={"conditions": conditions}), [], interrupted=False)
    assert workloads_in_words(result) == ["random-item on sqlite, 1 ms away, redis 2 ms away"]


def test_where_the_distance_is_swept_the_values_say_it() -> None:
    swept = an_experiment("a").sweeping("0ms", "1ms", parameter="services.sqlite.latency")
    record = swept.record()
    assert [each.distances for each in record.conditions] == [{"sqlite": "0 ms away"}, {"sqlite": "1 ms away"}]
    assert workloads_in_words(judge(record, [], interrupted=False)) == ["random-item on sqlite"]
