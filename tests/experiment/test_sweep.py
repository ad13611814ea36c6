"""Values of a sweep: numbers, words and booleans, and what they are not taken for."""

from typing import Any

import pytest
from pydantic import ValidationError

from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import ConditionRef
from fairtrial.experiment.sweep import Sweep
from fairtrial.experiment.value import Value
from tests.builders.experiment import conditions_of


def swept(parameter: str, values: list[Any], **more: Any) -> Experiment:
    return Experiment.model_validate(
        {
            "name": "x",
            "title": "x",
            "workload": "survey-insert",
            "stacks": ["a", "b"],
            "load": {"kind": "closed"},
            "sweep": {"parameter": parameter, "values": values},
            **more,
        }
    )


def test_words_are_tried_in_the_order_given() -> None:
    experiment = swept("options.mode", ["upsert", "single"])
    assert [str(condition) for condition in experiment.condition_refs][:2] == ["a at upsert", "a at single"]
    assert [experiment.at(value).options for value in experiment.points] == [{"mode": "upsert"}, {"mode": "single"}]
    assert [one.id for one in conditions_of(experiment)][:2] == [
        "a/default/survey-insert/none/upsert",
        "a/default/survey-insert/none/single",
    ]


def test_booleans_stay_booleans_through_a_record() -> None:
    experiment = swept("load.keep_alive", [True, False])
    again = Experiment.model_validate_json(experiment.model_dump_json())
    assert again.sweep is not None and again.sweep.values[0] is True and again.sweep.values[1] is False
    conditions = conditions_of(again)
    assert [(one.contender, one.at) for one in conditions][:2] == [("a at true", True), ("a at false", False)]
    assert [getattr(one.load, "keep_alive", None) for one in conditions] == [True, False, True, False]
    read = type(conditions[0]).model_validate_json(conditions[0].model_dump_json())
    assert read.at is True


def test_a_placement_is_a_condition_s() -> None:
    conditions = conditions_of(swept("placement", ["disjoint", "shared"]))
    assert [(one.contender, one.placement) for one in conditions][:2] == [
        ("a at disjoint", "disjoint"),
        ("a at shared", "shared"),
    ]


def test_a_placement_is_one_of_two_and_is_not_for_programs(snapshot: object) -> None:
    with pytest.raises(ValueError, match="placement = apart: placement"):
        swept("placement", ["apart", "shared"])
    with pytest.raises(ValidationError) as error:
        swept("placement", ["disjoint", "shared"], load={"kind": "program"})
    assert [each["msg"] for each in error.value.errors()] == snapshot


@pytest.mark.parametrize(
    ("values", "variable"),
    [([False, True], ["false", "true"]), (["a=1", "b"], ["a=1", "b"]), ([1, 2.5], ["1", "2.5"])],
)
def test_variables_are_text(values: list[Any], variable: list[str]) -> None:
    experiment = swept("env.MODE", values)
    assert [experiment.at(value).env["MODE"] for value in experiment.points] == variable


@pytest.mark.parametrize(
    "values",
    [
        [3, 1],
        [1, 1.0],
        [True, 2],
        [1, True],
        ["single", 2],
        ["single", "upsert", "single"],
        [True, False, True],
        ["two words", "one"],
        ["", "one"],
        ["line\nfeed", "one"],
        ["1", "2"],
        ["nan", "a"],
        ["true", "false"],
        [[1], [2]],
    ],
)
def test_values_that_cannot_be(values: list[Any], snapshot: object) -> None:
    with pytest.raises(ValueError, match="values") as raised:
        Sweep.model_validate({"parameter": "env.MODE", "values": values})
    assert [each["msg"] for each in raised.value.errors()] == snapshot


@pytest.mark.parametrize(
    ("parameter", "values"),
    [
        ("load.connections", [True, False]),
        ("dataset.seed", [False, True]),
        ("instances", [True, False]),
        ("concurrency_budget", [0, 4]),
        ("load.keep_alive", [0, 1]),
        ("load.keep_alive", ["off", "on"]),
        ("load.connections", ["few", "many"]),
    ],
)
def test_a_value_is_not_taken_for_another_kind(parameter: str, values: list[Any], snapshot: object) -> None:
    with pytest.raises(ValueError, match="sweep:") as raised:
        swept(parameter, values)
    assert [each["msg"] for each in raised.value.errors()] == snapshot


@pytest.mark.parametrize("at", [16, 0.5, True, False, "upsert", "a at"])
def test_a_condition_is_named_as_it_is_read(at: Value, snapshot: object) -> None:
    reference = ConditionRef.model_validate({"stack": "a:b@c", "at": at})
    if at == "a at":
        with pytest.raises(ValidationError) as error:
            ConditionRef.model_validate(str(reference))
        assert [each["msg"] for each in error.value.errors()] == snapshot
        return
    read = ConditionRef.model_validate(str(reference))
    assert (read.at, type(read.at) is bool) == (at, type(at) is bool)


def test_a_claim_about_another_kind_of_value_is_about_nothing_that_is_tried(snapshot: object) -> None:
    """True equals 1 in Python, and `at true` is not `at 1`."""
    claim = {"kind": "budget", "id": "x", "text": "x", "at_least": "1/s"}
    swept("load.keep_alive", [False, True], claims=[claim | {"of": "a at true"}])
    with pytest.raises(ValidationError) as error:
        swept("load.keep_alive", [False, True], claims=[claim | {"of": "a at 1"}])
    assert [each["msg"] for each in error.value.errors()] == snapshot


@pytest.mark.parametrize("values", [["single", "upsert"], [False, True]])
def test_a_shape_with_an_order_needs_numbers(values: list[Any], snapshot: object) -> None:
    claim = {"kind": "shape", "id": "goes-up", "text": "x", "of": "a", "shape": "rises"}
    with pytest.raises(ValidationError) as error:
        swept("env.MODE", values, claims=[claim])
    assert [each["msg"] for each in error.value.errors()] == snapshot
    assert swept("env.MODE", [1, 2], claims=[claim]).claims
    assert swept("env.MODE", values, claims=[claim | {"shape": "flat", "within": 0.1}]).claims, "it has no order"


def test_variants_of_a_service(snapshot: object) -> None:
    values = ["default", "relaxed"]
    experiment = swept("services.postgresql.variant", values, service="postgresql", services={"redis": {}})
    assert [experiment.at(value).services["postgresql"].variant for value in experiment.points] == values
    assert "redis" in experiment.at("relaxed").services
    with pytest.raises(ValidationError) as error:
        swept("services.mariadb.variant", values, service="postgresql")
    assert [each["msg"] for each in error.value.errors()] == snapshot
    with pytest.raises(ValidationError) as error:
        swept("services.redis.variant", values, service="postgresql", cache="redis")
    assert [each["msg"] for each in error.value.errors()] == snapshot
    given = {"postgresql": {"url_from": "URL"}}
    with pytest.raises(ValidationError) as error:
        swept("services.postgresql.variant", values, service="postgresql", services=given)
    assert [each["msg"] for each in error.value.errors()] == snapshot


@pytest.mark.parametrize("name", ["postgresql", "redis"])
def test_latencies_of_a_service_or_its_cache(name: str) -> None:
    experiment = swept(f"services.{name}.latency", ["0ms", "1ms"], service="postgresql", cache="redis")
    away = [experiment.at(value).services[name].distance() for value in experiment.points]
    assert away == ["0 ms away", "1 ms away"]
    assert [condition.distances for condition in conditions_of(experiment)][:2] == [{name: word} for word in away]
    with pytest.raises(ValueError, match="a number with a unit"):
        swept(f"services.{name}.latency", ["near", "far"], service="postgresql", cache="redis")
