"""Several windows as one."""

import pytest

from fairtrial.lab.trial.pooled import pooled_machine, pooled_network, pooled_server, pooled_summary, pooled_times
from fairtrial.record.engine_summary import AtLeast, ConnectionAnswers, Distribution, EngineSummary, Tenths, UnderWay
from tests.builders import TrialBuilder, a_trial
from tests.builders.figures import calm_machine, calm_network
from tests.record.test_histogram import encoded, zigzag


def summary(trial: TrialBuilder) -> EngineSummary:
    engine = trial.record().engine
    assert engine is not None
    return engine.model_copy(update={"picks": None})


def test_counts_and_seconds_are_added() -> None:
    first = summary(a_trial().but(window=0.4).mixing(short=(0.75, 0.01), long=(0.25, 0.02)))
    second = summary(
        a_trial().but(window=0.5).serving(2000).erring(timeout=3).mixing(short=(0.5, 0.01), long=(0.5, 0.02))
    )
    pooled = pooled_summary([first, second])
    assert (pooled.window_seconds, pooled.verified) == (pytest.approx(0.9), 1600 + 1000)
    assert pooled.goodput_per_second == pytest.approx(2600 / 0.9)
    assert pooled.errors["timeout"] == 3 and pooled.error_share == pytest.approx(3 / 2603)
    assert [(share.name, share.verified) for share in pooled.mix] == [("short", 1700), ("long", 900)]
    assert pooled.busiest_thread_share == pytest.approx(first.busiest_thread_share)
    assert pooled.in_flight_at_end == first.in_flight_at_end + second.in_flight_at_end
    assert pooled.series == [] and pooled.achieved_over_offered is None


def test_requests_under_way_and_first_bytes_are_those_of_all_windows() -> None:
    def window(at_start: float, ended: float, at_end: float) -> EngineSummary:
        engine = summary(a_trial().but(window=0.5))
        under_way = UnderWay(
            at_start_seconds=at_start, ended_seconds=ended, at_end_seconds=at_end, mean_requests=(ended - 0.5) / 0.5
        )
        tenths = Tenths(verified=[1], errors=[0], max_seconds=[None])
        return engine.model_copy(
            update={"under_way": under_way, "first_byte_time": engine.service_time, "tenths": tenths}
        )

    pooled = pooled_summary([window(1.0, 4.0, 0.5), window(0.5, 6.0, 2.0)])
    assert pooled.under_way == UnderWay(
        at_start_seconds=1.5, ended_seconds=10.0, at_end_seconds=2.5, mean_requests=11.0
    )
    assert pooled.first_byte_time == pooled.service_time and pooled.tenths is None
    older = pooled_summary([window(1.0, 4.0, 0.5), summary(a_trial().but(window=0.5))])
    assert older.under_way is None and older.first_byte_time is None


def test_of_an_open_load_the_offered_share_is_that_of_all_windows() -> None:
    one = summary(a_trial()).model_copy(update={"offered": 12_000, "achieved_over_offered": 1.0})
    half = one.model_copy(update={"offered": 24_000, "achieved_over_offered": 0.5})
    assert pooled_summary([one, half]).achieved_over_offered == pytest.approx(2 / 3)
    assert pooled_summary([one, one.model_copy(update={"offered": None})]).offered is None


def test_percentiles_are_those_of_all_times() -> None:
    def times(hdr: str, count: int, mean: float, longest: float) -> Distribution:
        nothing: dict[str, float | None] = {"50": None, "99": None}
        return Distribution(
            count=count, min_seconds=1e-9, mean_seconds=mean, max_seconds=longest, percentiles=nothing, hdr_base64=hdr
        )

    low = times(encoded(zigzag(-10, 900)), 900, 10e-9, 10e-9)
    high = times(encoded(zigzag(-500, 100)), 100, 500e-9, 500e-9)
    none = times("", 0, 0.0, 0.0)
    pooled = pooled_times([low, none, high])
    assert (pooled.count, pooled.max_seconds, pooled.mean_seconds) == (1000, 500e-9, pytest.approx(59e-9))
    assert [round((value or 0) * 1e9) for value in pooled.percentiles.values()] == [10, 500]
    assert pooled.supported_percentile == 99
    assert pooled_times([none, none]) == none
    assert pooled.at_least is None
    bounded = high.model_copy(update={"at_least": AtLeast(count=4, min_seconds=400e-9, longest_other_seconds=300e-9)})
    told = pooled_times([low, bounded, high]).at_least
    assert told == AtLeast(count=4, min_seconds=400e-9, longest_other_seconds=500e-9)


def test_meters_are_added_and_memory_is_that_of_the_tightest_moment() -> None:
    tight = calm_machine(0.4).model_copy(update={"memory_available_bytes": 2**20, "thermal_throttles": None})
    machine = pooled_machine([tight, calm_machine(0.6)])
    assert machine.window_seconds == pytest.approx(1.0)
    assert machine.busy_seconds([0]) == pytest.approx(0.95)
    assert machine.own_server_cpu_seconds == pytest.approx(0.95)
    assert (machine.memory_available_bytes, machine.thermal_throttles) == (2**20, None)
    network = pooled_network([calm_network(), calm_network()])
    assert (network.sent_segments, network.local_ports) == (100_000, 28_232)


def test_a_servers_memory_is_the_most_of_any_window() -> None:
    meters = [trial.record().server for trial in (a_trial().but(rss=5 << 20), a_trial().but(rss=3 << 20))]
    pooled = pooled_server([meter for meter in meters if meter is not None])
    assert pooled.peak_rss_bytes == 5 << 20
    assert (pooled.window_seconds, pooled.cpu_seconds) == (pytest.approx(6.0), pytest.approx(2 * 0.95 * 3))


def told(least: int, most: int, evenness: float | None) -> ConnectionAnswers:
    return ConnectionAnswers(
        connections=16,
        least=least,
        most=most,
        without=int(least == 0),
        evenness=evenness,
        evenness_in_slices=evenness,
        slice_seconds=0.01,
    )


def test_each_window_has_connections_of_its_own() -> None:
    """The least and the most of any, and the mean evenness by answers; windows without one are not in it."""
    windows = [
        summary(a_trial().serving(rate)).model_copy(update={"connection_answers": each})
        for rate, each in ((3000, told(10, 90, 0.8)), (1000, told(0, 40, 0.4)), (0, told(0, 0, None)))
    ]
    pooled = pooled_summary(windows).connection_answers
    assert pooled is not None
    assert (pooled.connections, pooled.least, pooled.most, pooled.without) == (16, 0, 90, 1)
    assert pooled.evenness == pytest.approx(0.7) and pooled.evenness_in_slices == pooled.evenness
    unknown = [*windows, summary(a_trial())]
    assert pooled_summary(unknown).connection_answers is None
