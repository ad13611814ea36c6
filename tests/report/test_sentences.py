"""Sentences about a result as a whole: the load engine's limits, workloads with what lies before services."""

from fairtrial.judge.judging import judge
from fairtrial.record.calibration import BlockCeiling, Calibration
from fairtrial.record.engine_summary import Routes
from fairtrial.report.html import html_text
from fairtrial.report.markdown import markdown_text
from fairtrial.report.sentences import ceiling_in_words, engine_waits, floor_in_words, notes, workloads_in_words
from tests.builders import a_trial, an_experiment, calm_machine, times, trials_of
from tests.lines import line_with


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


def test_it_is_said_that_over_http2_there_is_no_ceiling(snapshot: object) -> None:
    alone = an_experiment("a").but(connections=4, streams=4).record()
    said = "ceiling: none over HTTP/2, which the load engine's own target does not speak"
    assert ceiling_in_words(judge(alone, [], interrupted=False)) == said
    loads = {"pool": {"connections": 16}, "multiplexed": {"connections": 1, "http2": True, "streams": 16}}
    both = an_experiment("a").but(loads=loads).sweeping("pool", "multiplexed", parameter="load").record()
    both = both.model_copy(update={"calibrations": [calibrated(16, 61_234)]})
    words = ceiling_in_words(judge(both, [], interrupted=False))
    assert words == snapshot


def test_what_runs_already_at_several_addresses_is_told_with_all_of_them(snapshot: object) -> None:
    record = an_experiment("a").record()
    running = [stack.model_copy(update={"origin": "url"}) for stack in record.stacks]
    record = record.model_copy(update={"stacks": running})
    routes = Routes(addresses=["10.0.0.1:80", "10.0.0.2:80"], source_addresses=1, connections_each=8, ports_each=14_116)
    trials = [
        trial.model_copy(update={"engine": trial.engine and trial.engine.model_copy(update={"routes": routes})})
        for trial in trials_of(record, a_trial())
    ]
    (note,) = notes(judge(record, trials, interrupted=False))
    assert note == snapshot
    (one,) = notes(judge(record, trials_of(record, a_trial()), interrupted=False))
    assert "turns" not in one


def test_the_ceiling_over_the_blocks_shows_how_the_machine_changes() -> None:
    record = an_experiment("a", "b", blocks=3).record().model_copy(update={"calibrations": [calibrated(16, 60_000)]})
    rates = {1: 60_000.0, 2: 55_000.0, 3: 57_000.0}
    trials = [
        trial.model_copy(
            update={
                "ceiling": BlockCeiling(
                    per_second=rates[trial.block], slices_per_second=[rates[trial.block]], machine=calm_machine(0.6)
                )
            }
        )
        for trial in trials_of(record, a_trial())
    ]
    result = judge(record, trials, interrupted=False)
    (series,) = result.ceilings
    assert (series.per_second, len(series.conditions)) == (rates, 2)
    ending = "; before each of 3 blocks 55,000/s to 60,000/s (the last 5.00% below the first)"
    assert ceiling_in_words(result).endswith(ending)
    assert ending in html_text(result, record, trials)


def test_floors_are_named_with_their_loads() -> None:
    """Two loads without keep-alive have one floor with a single connection; an open load has one of its own as well."""
    floor, awake = times(10_000, 25e-6), {"wait": "awake"}
    several = [
        calibrated(1, 9_000).model_copy(update={"floor": floor, **awake}),
        calibrated(1, 9_000, lag=0.002).model_copy(update={"floor": floor, "floor_at_rate": times(999, 6e-5), **awake}),
        calibrated(64, 60_000).model_copy(update={"floor": floor, "wait": "sleep"}),
        calibrated(16, 60_000),
    ]
    record = an_experiment("a").record().model_copy(update={"calibrations": several})
    trials = trials_of(record, a_trial())
    line = (
        "floor: from a server that does nothing, the load engine measured response times of p50 0.025 ms, p99 0.100 ms "
        "with a single connection, a new one each time, awake while it awaits answers; p50 0.060 ms at 2,000/s with 1 "
        "connection, a new one each time, awake while it awaits answers; p50 0.025 ms, p99 0.100 ms with a single "
        "connection, asleep while it awaits answers"
    )
    result = judge(record, trials, interrupted=False)
    assert floor_in_words(result) == line
    assert line in html_text(result, record, trials)


def test_it_is_said_what_the_engine_did_while_it_awaited_answers(snapshot: object) -> None:
    record = an_experiment("a").record()
    trials = trials_of(record, a_trial())
    assert engine_waits(judge(record, trials, interrupted=False)) == []

    def with_waits(*waits: str) -> list[str]:
        waited = []
        for trial in trials:
            assert trial.engine
            engine = trial.engine.model_copy(update={"wait": waits[trial.block % len(waits)]})
            waited.append(trial.model_copy(update={"engine": engine}))
        return engine_waits(judge(record, waited, interrupted=False))

    assert with_waits("awake") == snapshot
    assert with_waits("sleep", "awake") == snapshot


def test_without_a_calibration_there_is_no_sentence() -> None:
    record = an_experiment("a").record()
    result = judge(record, [], interrupted=False)
    assert ceiling_in_words(result) == floor_in_words(result) == ""
    assert "ceiling" not in html_text(result, record, [])


def test_the_distance_of_services_stands_beside_the_workload(snapshot: object) -> None:
    record = an_experiment("a").record()
    away = {"sqlite": "1 ms away", "redis": "2 ms away"}
    conditions = [each.model_copy(update={"distances": away}) for each in record.conditions]
    result = judge(record.model_copy(update={"conditions": conditions}), [], interrupted=False)
    assert workloads_in_words(result) == snapshot


def test_where_the_distance_is_swept_the_values_say_it() -> None:
    swept = an_experiment("a").sweeping("0ms", "1ms", parameter="services.sqlite.latency")
    record = swept.record()
    assert [each.distances for each in record.conditions] == [{"sqlite": "0 ms away"}, {"sqlite": "1 ms away"}]
    assert workloads_in_words(judge(record, [], interrupted=False)) == ["random-item on sqlite"]


def test_what_cores_made_of_the_placement_is_in_the_report(snapshot: object) -> None:
    record = an_experiment("a").record()
    placement = record.placement.model_copy(update={"shared_cores": [[0, 1]]})
    record = record.model_copy(update={"placement": placement})
    trials = trials_of(record, a_trial())
    page = html_text(judge(record, trials, interrupted=False), record, trials)
    assert line_with(page, "load engine on") == snapshot


def test_what_figures_of_a_shared_machine_are_worth_is_said() -> None:
    record = an_experiment("a", "b").record()

    def markdown(own_share: float) -> str:
        """Where the lab's own processes used this share of the server's processor, which was used by 95%."""
        shared = a_trial().on_machine(own_server_cpu_seconds=own_share * 3.0)
        trials = trials_of(record, lambda name, block: shared if block == 2 else a_trial())
        return markdown_text(judge(record, trials, interrupted=False))

    said = "Others used this machine in 2 of 10 trials: compare these figures with each other, and with none of another"
    assert said in markdown(0.8)
    assert "Others used this machine" not in markdown(0.95)
