"""A sweep as a picture: lines over numbers, points over categories."""

from typing import Any

import pytest

from fairtrial.experiment.value import Value, format_value
from fairtrial.judge.judging import judge
from fairtrial.judge.model import Result
from fairtrial.report.curve_chart import curve_chart
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of


def swept(values: tuple[Value, ...], parameter: str, failing: str = "") -> Result:
    record = an_experiment("a", "b").sweeping(*values, parameter=parameter).record()
    rates = {
        f"{stack} at {format_value(value)}": 1000.0 * (1 + place)
        for place, value in enumerate(values)
        for stack in "ab"
    }

    def make(name: str, block: int) -> TrialBuilder:
        trial = a_trial().serving(rates[name] * (1 + block / 100))
        return trial.erring(status_5xx=6000) if name.endswith(failing or "nothing") else trial

    return judge(record, trials_of(record, make), interrupted=False)


def parts(result: Result) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    spec = curve_chart(result)
    assert spec is not None
    return spec["layer"], spec["data"]["values"]


def marks(result: Result) -> set[str]:
    return {layer["mark"]["type"] for layer in parts(result)[0]}


def test_numbers_are_joined() -> None:
    result = swept((1, 2, 16), "load.connections")
    assert marks(result) == {"line", "area"}
    x = parts(result)[0][0]["encoding"]["x"]
    assert (x["type"], x["scale"]["type"], x["axis"]["values"]) == ("quantitative", "log", [1, 2, 16])


@pytest.mark.parametrize(
    ("values", "parameter", "places"),
    [(("upsert", "single"), "env.MODE", ["upsert", "single"]), ((True, False), "load.keep_alive", ["true", "false"])],
)
def test_categories_are_points_with_bands_in_the_files_order_and_not_joined(
    values: tuple[Value, ...], parameter: str, places: list[str]
) -> None:
    result = swept(values, parameter)
    assert marks(result) == {"rule", "point"}
    layers, points = parts(result)
    for layer in layers:
        x = layer["encoding"]["x"]
        assert (x["type"], x["scale"]["domain"]) == ("ordinal", places)
        assert layer["encoding"]["xOffset"]["scale"]["domain"] == ["a", "b"]
    assert {(point["stack"], point["at"]) for point in points} == {(stack, at) for stack in "ab" for at in places}
    assert all(point["low"] < point["goodput"] < point["high"] for point in points)


def test_the_place_of_a_category_without_figures_stays_empty() -> None:
    layers, points = parts(swept(("first", "second", "third"), "env.MODE", failing=" at second"))
    assert layers[0]["encoding"]["x"]["scale"]["domain"] == ["first", "second", "third"]
    assert {point["at"] for point in points} == {"first", "third"}


def test_without_a_sweep_there_is_no_curve() -> None:
    record = an_experiment("a").record()
    assert curve_chart(judge(record, trials_of(record, lambda _name, _block: a_trial()), interrupted=False)) is None
