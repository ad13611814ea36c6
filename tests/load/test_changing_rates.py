"""`ramp` and `steps`: open loads whose rate changes within the window, in words, in plans and in claims."""

from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.base.toml_file import read_toml
from fairtrial.experiment.ab_test import METRICS
from fairtrial.experiment.changes import with_settings
from fairtrial.experiment.model import Experiment
from fairtrial.judge.metrics import find_metric
from fairtrial.load.engine_terms import OfferedStep, Ramp, Steps, StopAfterSeconds
from fairtrial.load.kinds import Load
from fairtrial.load.open import OpenLoad
from fairtrial.load.ramp import RampLoad
from fairtrial.load.steps import StepsLoad

FILE = 'name = "x"\ntitle = "x"\nworkload = "plaintext"\nstacks = ["a"]\n'
RAMP = 'kind = "ramp"\nfrom_per_second = 100\nto_per_second = 500\nduration_seconds = 20.0'
STEPS = """kind = "steps"
steps = [
    { rate_per_second = 100, seconds = 2.5 },
    { rate_per_second = 1000, seconds = 0.5 },
    { rate_per_second = 0, seconds = 1 },
]"""


def experiment(folder: Path, load: str, more: str = "") -> Experiment:
    file = folder / "x.toml"
    file.write_text(f"{FILE}{more}\n[load]\n{load}\n")
    return read_toml(file, Experiment)


def ramp_and_steps(folder: Path) -> tuple[RampLoad, StepsLoad]:
    ramp, steps = (experiment(folder, load).load for load in (RAMP, STEPS))
    assert isinstance(ramp, RampLoad) and isinstance(steps, StepsLoad)
    return ramp, steps


@pytest.mark.parametrize(
    "load",
    [
        RAMP.replace("from_per_second = 100\n", ""),
        RAMP.replace("= 100", "= 500"),
        RAMP.replace("= 100", "= -1"),
        f"{RAMP}\nrate_per_second = 5",
        f"{RAMP}\nwarmup_seconds = 2\nwarmup_limit_seconds = 1",
        f"{STEPS}\nduration_seconds = 3",
        'kind = "steps"\nsteps = []',
        'kind = "steps"\nsteps = [{ rate_per_second = 5, seconds = 0 }]',
        'kind = "steps"\nsteps = [{ rate_per_second = 0, seconds = 1 }]',
        STEPS.replace("seconds = 2.5", "seconds = 80000").replace("seconds = 0.5", "seconds = 7000"),
    ],
)
def test_contradictions(tmp_path: Path, load: str, snapshot: object) -> None:
    with pytest.raises(Problem) as caught:
        experiment(tmp_path, load)
    assert caught.value.reason == snapshot


def test_in_words(tmp_path: Path, snapshot: object) -> None:
    ramp, steps = ramp_and_steps(tmp_path)
    assert ramp.describe() == snapshot
    assert ramp.lengths() == "20 s"
    assert steps.describe() == snapshot
    assert steps.lengths() == "4 s in all"
    more = experiment(tmp_path, f"{STEPS}\nwarmup_seconds = 2\ndrain_seconds = 5\ndeadline_seconds = 1").load
    assert more.lengths() == snapshot
    assert more.describe() == snapshot


def test_in_the_engines_terms(tmp_path: Path) -> None:
    ramp, steps = ramp_and_steps(tmp_path)
    assert ramp.engine_terms()["load"] == Ramp(from_per_second=100, to_per_second=500, connections=256)
    terms = steps.engine_terms()
    assert terms["stop"] == StopAfterSeconds(seconds=4)
    rates = [(100.0, 2.5), (1000.0, 0.5), (0.0, 1.0)]
    expected = [OfferedStep(rate_per_second=rate, seconds=seconds) for rate, seconds in rates]
    assert terms["load"] == Steps(steps=expected, connections=256)
    assert (terms["warmup_seconds"], terms["warmup_limit_seconds"]) == (0, None)


def test_a_record_reads_back(tmp_path: Path) -> None:
    for load in ramp_and_steps(tmp_path):
        assert type(load).model_validate_json(load.model_dump_json()) == load


def test_questions(tmp_path: Path) -> None:
    """The rate is given, and in no moment that of the window."""
    for load, mean, peak, seconds in zip(ramp_and_steps(tmp_path), (300, 187.5), (500, 1000), (20, 4), strict=True):
        assert load.is_open and not load.is_stationary and not load.can_be_sliced
        assert (load.mean_per_second, load.peak_per_second, load.window_seconds) == (mean, peak, seconds)
        assert (load.offered_per_second, load.clients, load.fixed_requests) == (None, None, None)
        assert load.planned_seconds == seconds
        assert load.single_run() is load


def test_a_window_of_another_length_has_the_same_course(tmp_path: Path) -> None:
    ramp, steps = (load.lasting(8) for load in ramp_and_steps(tmp_path))
    assert isinstance(ramp, RampLoad) and isinstance(steps, StepsLoad)
    assert (ramp.from_per_second, ramp.to_per_second, ramp.window_seconds) == (100, 500, 8)
    assert [step.seconds for step in steps.steps] == [5, 1, 2]


def test_a_quick_run_has_the_same_rates_in_a_second(tmp_path: Path) -> None:
    for text in (RAMP, STEPS):
        quick = with_settings(experiment(tmp_path, text), quick=True)[0].load
        assert quick.window_seconds == pytest.approx(1) and quick.peak_per_second in (500, 1000)


def test_it_cannot_be_cut_into_slices(tmp_path: Path, snapshot: object) -> None:
    for load in (RAMP, STEPS):
        with pytest.raises(Problem) as error:
            experiment(tmp_path, load, more="slices = {}")
        assert str(error.value) == snapshot


def test_a_rate_at_its_end_can_be_swept(tmp_path: Path) -> None:
    more = '[sweep]\nparameter = "load.to_per_second"\nvalues = [200, 400]\n'
    swept = experiment(tmp_path, RAMP, more=more)
    assert [swept.at(value).load.peak_per_second for value in swept.points] == [200, 400]


@pytest.mark.parametrize("metric", ["goodput", "response_time_p99", "errors", "server_cpu_per_1000_requests"])
def test_what_an_open_load_is_measured_by_is_measured(tmp_path: Path, metric: str) -> None:
    for load in ramp_and_steps(tmp_path):
        assert find_metric(metric).fits(load)


def test_what_others_are_measured_by_is_not(tmp_path: Path) -> None:
    loads: tuple[Load, ...] = (*ramp_and_steps(tmp_path), OpenLoad(kind="open", rate_per_second=5))
    for load in loads:
        assert not find_metric("capacity").fits(load) and not find_metric("elapsed").fits(load)


def test_between_two_refs_times_tell(tmp_path: Path) -> None:
    of_kinds: list[Any] = [METRICS[load.kind] for load in ramp_and_steps(tmp_path)]
    assert of_kinds == [METRICS["open"]] * 2
