"""What the judge says of a sweep, of equals, and of ranks."""

import pytest

from fairtrial.experiment.value import Value
from fairtrial.judge.judging import judge
from fairtrial.judge.model import Result
from fairtrial.report.columns import rank
from fairtrial.report.sentences import loads_in_words, notes
from tests.builders import ExperimentBuilder, TrialBuilder, a_trial, an_experiment, trials_of

LOADS = (1, 2, 4, 8, 16, 32)
WOBBLE = (1.0, 1.02, 0.98, 1.01, 0.99)


def scaled(load: float) -> float:
    """The law with a contention of 0.05 and a coherency of 0.004: its peak is at 15.4."""
    return 1000 * load / (1 + 0.05 * (load - 1) + 0.004 * load * (load - 1))


def judged(experiment: ExperimentBuilder, rates: dict[str, float]) -> Result:
    def make(name: str, block: int) -> TrialBuilder:
        own = 1 + ((block + 2 * len(name)) % 5 - 2) / 500
        return a_trial().serving(rates[name] * WOBBLE[block % 5] * own)

    record = experiment.record()
    return judge(record, trials_of(record, make), interrupted=False)


def test_a_sweep_is_a_curve_for_each_stack_with_the_law_it_follows() -> None:
    rates = {f"a at {load}": scaled(load) for load in LOADS}
    result = judged(an_experiment("a").sweeping(*LOADS), rates)
    (curve,) = result.curves
    assert (curve.stack, curve.parameter, curve.at) == ("a", "load.connections", list(map(float, LOADS)))
    assert curve.scaling and curve.scaling.refused is None
    assert curve.scaling.contention and curve.scaling.contention.estimate == pytest.approx(0.05, abs=0.01)
    assert curve.scaling.peak and curve.scaling.peak.estimate == pytest.approx(15.4, rel=0.05)
    assert "contention 0.05" in notes(result)[0] and "peak at 15" in notes(result)[0]
    assert all(condition.rank is None for condition in result.conditions), "one stack has nobody to be ranked with"


def test_a_curve_that_follows_no_law_is_refused_one() -> None:
    rates = {f"a at {load}": rate for load, rate in zip(LOADS, (1000, 100, 1000, 100, 1000, 100), strict=True)}
    scaling = judged(an_experiment("a").sweeping(*LOADS), rates).curves[0].scaling
    assert scaling is not None and scaling.contention is None
    assert "misses the points" in (scaling.refused or "")


@pytest.mark.parametrize(
    ("parameter", "values", "names"),
    [
        ("env.WEB_CONCURRENCY", ("one", "auto", "max"), ["one", "auto", "max"]),
        ("load.keep_alive", (True, False), ["true", "false"]),
    ],
)
def test_a_sweep_over_categories_is_a_curve_in_the_files_order_that_follows_no_law(
    parameter: str, values: tuple[Value, ...], names: list[str]
) -> None:
    rates = {f"{stack} at {name}": 1000.0 * place for place, name in enumerate(names, 2) for stack in "ab"}
    rates["b at " + names[1]] *= 2
    result = judged(an_experiment("a", "b").sweeping(*values, parameter=parameter), rates)
    again = Result.model_validate_json(result.model_dump_json())
    for curve in (result.curves[0], again.curves[0]):
        assert [(at, type(at)) for at in curve.at] == [(value, type(value)) for value in values]
        assert curve.scaling is None
    found = [one.estimate for one in result.curves[0].goodput_per_second if one is not None]
    assert found == pytest.approx([1000.0 * place for place in range(2, 2 + len(names))], rel=0.02)
    assert rank(next(one for one in result.conditions if one.contender == f"b at {names[1]}")) == "1"
    assert loads_in_words(result)[0].endswith(f"; {result.curves[0].title} {', '.join(names)}")


def test_each_load_of_a_sweep_over_loads_is_in_words(snapshot: object) -> None:
    loads = {"pool": {"connections": 8}, "multiplexed": {"connections": 1, "http2": True, "streams": 8}}
    experiment = an_experiment("a").but(loads=loads).sweeping("pool", "multiplexed", parameter="load")
    result = judged(experiment, {"a at pool": 1000.0, "a at multiplexed": 900.0})
    assert loads_in_words(result) == snapshot
    assert result.curves[0].scaling is None


def test_stacks_are_ranked_at_each_value_and_ties_are_ties() -> None:
    rates = {"a at 1": 1000.0, "b at 1": 1000.0, "c at 1": 2000.0, "a at 2": 3000.0, "b at 2": 2000.0, "c at 2": 1000.0}
    result = judged(an_experiment("a", "b", "c").sweeping(1, 2), rates)
    ranks = {condition.contender: rank(condition) for condition in result.conditions}
    assert ranks == {"c at 1": "1", "a at 1": "2~3", "b at 1": "2~3", "a at 2": "1", "b at 2": "2", "c at 2": "3"}
    groups = {condition.contender: condition.tie_groups for condition in result.conditions}
    assert groups["a at 1"] == groups["b at 1"] != groups["c at 1"]


@pytest.mark.parametrize(("second", "found"), [(1000.0, False), (1100.0, True)])
def test_the_noise_floor_is_the_difference_of_a_stack_to_itself(second: float, found: bool) -> None:
    result = judged(an_experiment("a", "b").but(noise_floor=True), {"a": 1000.0, "b": 2000.0, "a again": second})
    floor = result.noise_floor
    assert floor is not None and floor.contender == "a" and floor.blocks == 5
    assert floor.estimate == pytest.approx(second / 1000, rel=0.01)
    assert floor.difference_found is found
    assert ("no difference was found" in notes(result)[0]) is not found
    assert rank(next(one for one in result.conditions if one.contender == "a again")) == "–"


def test_where_the_scatter_comes_from() -> None:
    result = judged(an_experiment("a"), {"a": 1000.0})
    assert result.conditions[0].scatter is not None
    assert result.conditions[0].scatter.starts == pytest.approx(1)
