"""The model of the engine's summary has the keys that the engine writes: engine/tests/summary_keys.json, which the
engine's own test keeps."""

import json
import types
from typing import Any, Literal, Union, get_args, get_origin

import pytest

from fairtrial.base.locations import shipped
from fairtrial.record.engine_summary import EngineSummary

KINDS = {int: "number", float: "number", str: "string", bool: "boolean"}


def differences(annotation: Any, keys: Any, where: str = "summary") -> list[str]:
    """Where a value of this type could not have these keys, or would have others, or other kinds of values."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        (only,) = (argument for argument in arguments if argument is not type(None))
        return differences(only, keys, where)
    if keys == "null":
        return [] if annotation in KINDS else [f"{where}: never there"]
    if hasattr(annotation, "__pydantic_fields__"):
        fields = annotation.__pydantic_fields__
        others = [f"{where}.{name}" for name in sorted(fields.keys() ^ keys.keys())]
        same = [name for name in fields if name in keys]
        return others + [
            each for name in same for each in differences(fields[name].annotation, keys[name], f"{where}.{name}")
        ]
    if origin is Literal:
        return differences(type(arguments[0]), keys, where)
    if origin is dict:
        return [each for name, kind in keys.items() for each in differences(arguments[1], kind, f"{where}.{name}")]
    if origin in (list, tuple):
        return differences(arguments[0], keys[0], f"{where}[]")
    return [] if KINDS[annotation] == keys else [f"{where}: {keys}"]


@pytest.fixture
def keys() -> Any:
    return json.loads((shipped("engine") / "tests/summary_keys.json").read_text())


def test_the_model_has_the_keys_of_the_engine(keys: Any) -> None:
    assert differences(EngineSummary, keys) == []


def test_a_key_of_one_of_them_alone_is_a_difference(keys: Any) -> None:
    keys["new"] = keys.pop("driver")
    keys["mix"][0]["name"] = "number"
    del keys["cohort"]["censored"]
    assert differences(EngineSummary, keys) == [
        "summary.driver",
        "summary.new",
        "summary.cohort.censored",
        "summary.mix[].name: number",
    ]
