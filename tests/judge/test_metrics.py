import re

import pytest

from fairtrial.judge.claims.absence import absence
from fairtrial.judge.metrics import METRICS, find_metric
from fairtrial.load.program import ProgramLoad
from fairtrial.record.model import ProgramRun
from fairtrial.record.processes import Readiness
from fairtrial.report.columns import ALWAYS, GOODPUT, IF_MEASURED, START_AND_MEMORY
from tests.builders import a_trial
from tests.record.test_histogram import encoded, zigzag


def test_a_key_without_its_unit_is_the_metrics_name() -> None:
    for name, metric in METRICS.items():
        assert metric.key.replace(f"_{metric.unit}", "", 1) == name == metric.name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("goodput", 4000),
        ("response_time_p50", 0.004),
        ("response_time_p90", 0.0064),
        ("response_time_p99", 0.016),
        ("response_time_max", 0.08),
        ("service_time_p50", 0.00392),
        ("service_time_p99", 0.01568),
        ("server_cpu_per_1000_requests", 0.95 / 4),
        ("peak_rss", 64 * 2**20),
    ],
)
def test_figures_of_a_trial(name: str, expected: float) -> None:
    assert METRICS[name].read(a_trial().record()) == pytest.approx(expected)


def test_nothing_measured_is_none_and_never_zero() -> None:
    for metric in METRICS.values():
        assert metric.read(a_trial().but(measured=False).record()) is None
    assert METRICS["goodput"].read(a_trial().serving(0).record()) is None
    assert METRICS["server_cpu_per_1000_requests"].read(a_trial().serving(0).record()) is None


def test_the_start_and_its_memory_are_read_where_they_were_measured(snapshot: object) -> None:
    names = ("start_up", "first_answer", "ready_rss", "end_rss")
    old = a_trial().record()
    assert [METRICS[name].read(old) for name in names] == [None] * 4
    assert absence(METRICS["start_up"], old).reason == snapshot
    assert old.server is not None
    readiness = Readiness(start_up_seconds=0.25, rss_bytes=2**20, first_answer_seconds=0.005)
    measured = {"readiness": readiness, "server": old.server.model_copy(update={"end_rss_bytes": 2**21})}
    assert [METRICS[name].read(old.model_copy(update=measured)) for name in names] == [0.25, 0.005, 2**20, 2**21]
    unread = old.model_copy(update={"readiness": Readiness(start_up_seconds=0.25)})
    assert [METRICS[name].read(unread) for name in names] == [0.25, None, None, None]
    assert not METRICS["start_up"].fits(ProgramLoad())


def test_cpu_time_is_for_the_answers_of_its_own_window() -> None:
    trial = a_trial().record()
    assert trial.server is not None
    longer = trial.server.model_copy(
        update={
            "window_seconds": trial.server.window_seconds * 2,
            "cpu_user_seconds": trial.server.cpu_user_seconds * 2,
            "cpu_system_seconds": trial.server.cpu_system_seconds * 2,
        }
    )
    read = METRICS["server_cpu_per_1000_requests"].read
    assert read(trial.model_copy(update={"server": longer})) == pytest.approx(read(trial))


def test_cpu_time_of_a_program_is_that_of_its_whole_job() -> None:
    """Its meters are opened before it begins and closed when it has ended: all that they saw is the job's."""
    trial = a_trial().record()
    run = (
        ProgramRun(operations=1000, seconds=0.5 * trial.server.window_seconds, exit_status=0) if trial.server else None
    )
    program = trial.model_copy(update={"program": run, "engine": None})
    assert METRICS["server_cpu_per_1000_requests"].read(program) == pytest.approx(0.95 * 3)


def test_times_to_the_first_byte_are_read_by_any_percentile() -> None:
    trial = a_trial().record()
    engine = trial.engine
    assert engine is not None and find_metric("first_byte_time_p50").read(trial) is None
    sooner = engine.model_copy(update={"first_byte_time": engine.service_time})
    assert find_metric("first_byte_time_p50").read(trial.model_copy(update={"engine": sooner})) == pytest.approx(
        0.00392
    )
    assert find_metric("first_byte_time_p99").label == "first byte time p99"
    with pytest.raises(ValueError, match="mean first_byte_time_p50"):
        find_metric("ttfb")


def test_any_percentile_may_be_asked_for() -> None:
    trial = a_trial().record()
    assert find_metric("response_time_p99") is not METRICS["response_time_p99"]
    assert find_metric("response_time_p99").read(trial) == METRICS["response_time_p99"].read(trial)
    assert trial.engine
    # All in the bucket of index 1,000, in units of 512 ns: whatever the percentile, that is the time.
    times = trial.engine.response_time.model_copy(update={"hdr_base64": encoded(zigzag(-1000, 12_000), lowest=1000)})
    known = trial.model_copy(update={"engine": trial.engine.model_copy(update={"response_time": times})})
    assert find_metric("response_time_p97.5").read(known) == pytest.approx(1000 * 512e-9, rel=0.01)
    assert find_metric("response_time_p99.999").read(known) is None, "12,000 samples do not support it"


@pytest.mark.parametrize("name", ["response_time_p0", "response_time_p100", "response_time_p", "p99"])
def test_what_is_no_percentile_is_no_metric(name: str) -> None:
    with pytest.raises(ValueError, match="there is no metric"):
        find_metric(name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("p99", "response_time_p99"),
        ("p99.9", "response_time_p99.9"),
        ("latency p95", "response_time_p95"),
        ("max", "response_time_max"),
        ("rate", "goodput"),
        ("goodput_per_second", "goodput"),
        ("CPU", "server_cpu_per_1000_requests"),
        ("DB CPU", "service_cpu_per_1000_requests"),
        ("memory", "peak_rss"),
        ("peak_rss_bytes", "peak_rss"),
        ("setle", "settle"),
    ],
)
def test_a_heading_of_the_table_is_answered_with_the_metric_it_is_of(name: str, meant: str, snapshot: object) -> None:
    with pytest.raises(ValueError) as error:
        find_metric(name)
    assert str(error.value) == snapshot
    find_metric(meant)


def test_a_name_like_no_other_is_answered_with_the_nearest(snapshot: object) -> None:
    with pytest.raises(ValueError) as error:
        find_metric("zebra")
    assert str(error.value) == snapshot


def test_every_heading_of_the_table_is_known() -> None:
    for column in (*ALWAYS, *IF_MEASURED, *START_AND_MEMORY, GOODPUT):
        (metric,) = [each for each in METRICS.values() if each.key == column.key]
        if column.title != metric.name:
            with pytest.raises(ValueError, match=re.escape(f"(did you mean {metric.name}?)")):
                find_metric(column.title)
