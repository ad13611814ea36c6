import pytest

from fairtrial.judge.metrics import METRICS
from tests.builders import a_trial


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
