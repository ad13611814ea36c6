"""TOML files as models. Errors name the file, the key as it stands there, its value and what is allowed."""

import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from fairtrial.base.fault_words import fault_in_words
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.registry import did_you_mean
from fairtrial.base.regular_file import read_regular
from fairtrial.base.strict import IN_ITS_TABLE

Model = TypeVar("Model", bound=BaseModel)
LARGEST_FILE_BYTES = 1 << 20


def read_toml(path: Path, model: type[Model], page: str = "docs/experiments.md", **other_values: Any) -> Model:
    """Read a file as a `model`.

    Args:
        page: of the documentation, which has the keys.
        other_values: values of keys that do not come from the file and must not be set in it.

    Raises:
        Problem: the file cannot be read, is not TOML, or does not fit the model.
    """
    try:
        content = read_regular(path, LARGEST_FILE_BYTES)
        if len(content) > LARGEST_FILE_BYTES:
            raise Problem(f"{path}: larger than {LARGEST_FILE_BYTES} bytes", "is it the right file?")
        table = tomllib.loads(content.decode())
    except OSError as error:
        raise Problem(f"{path}: cannot be read: {error.strerror}", "check the path and its permissions") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{path}: not UTF-8 text", "TOML files are UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise Problem(f"{path}: not valid TOML: {error}", "correct the line it names") from error
    except RecursionError:
        raise Problem(f"{path}: not valid TOML: nested too deeply", "is it the right file?") from None
    if key := next(_keys_with_nul(table), None):
        raise Problem(
            f"{path}: {printable(key, 100)}: holds a NUL (\\u0000), which no program, path or variable can hold",
            "take it out; bytes of any kind can be sent from a file (`body_file`)",
        )
    if overlap := other_values.keys() & table.keys():
        raise Problem(f"{path}: {', '.join(sorted(overlap))}: cannot be set in this file", "remove the key")
    values = other_values | table
    try:
        return model.model_validate(values)
    except ValidationError as error:
        complaints = [_complaint(path, model, values, dict(fault)) for fault in error.errors()]
        raise Problem("\n".join(complaints), f"{page} has the keys, and what they mean") from error


def _keys_with_nul(value: Any, key: str = "") -> Iterator[str]:
    """The keys, as they stand in the file, that are or hold a text with a NUL character."""
    if isinstance(value, str) and "\0" in value:
        yield key
    elif isinstance(value, dict):
        for name, member in value.items():
            below = f"{key}.{name}".removeprefix(".")
            yield from [below] if "\0" in name else _keys_with_nul(member, below)
    elif isinstance(value, list):
        for place, member in enumerate(value):
            yield from _keys_with_nul(member, f"{key}[{place}]")


def _complaint(path: Path, model: type[BaseModel], values: dict[str, Any], fault: dict[str, Any]) -> str:
    location = fault["loc"]
    key = _key_in_file(location, values, missing=fault["type"] == "missing")
    where = f"{path}: {key}" if key else f"{path}"
    if fault["type"] == "extra_forbidden":
        allowed = _keys_at(model, location[:-1])
        suggestion = did_you_mean(str(location[-1]), allowed)
        return f"{where}: unknown key{suggestion}; allowed here: {', '.join(allowed)}"
    if fault["type"] == "missing":
        return f"{where}: missing; it must be set{_example(model, location)}"
    value = fault["input"]
    excerpt = f"; found {value!r:.80}" if isinstance(value, str | int | float | bool) else ""
    return f"{where}: {fault_in_words(fault)}{_heading(key, fault)}{excerpt}"


def _heading(key: str, fault: dict[str, Any]) -> str:
    """`: [load], not [[load]]`, where the brackets of a heading make another kind of value than is allowed."""
    value, single, double = fault["input"], f"[{key}]", f"[[{key}]]"
    if "[" in key:  # within a list, which has no heading of that name
        return ""
    is_list_of_tables = isinstance(value, list) and value and all(isinstance(each, dict) for each in value)
    if is_list_of_tables and fault["type"] in ("dict_type", "model_type", "model_attributes_type"):
        right = f"[{key}.NAME]" if fault["type"] == "dict_type" else single
        return f": {right}, not {double}"
    is_list = fault["type"] in ("list_type", "tuple_type")
    return f": {double}, not {single}" if is_list and isinstance(value, dict) else ""


def _example(model: type[BaseModel], location: Sequence[int | str]) -> str:
    """`, such as load = { kind = "closed" }`: of a missing table whose field has an example; `, as [requests.NAME]` of
    tables that have names."""
    field = model.model_fields.get(str(location[0])) if len(location) == 1 else None
    if field is None or not field.examples:
        return f", as [{location[0]}.NAME]" if field is not None and get_origin(field.annotation) is dict else ""
    members = ", ".join(f"{key} = {json.dumps(value)}" for key, value in field.examples[0].items())
    return f", such as {location[0]} = {{ {members} }}"


def _key_in_file(location: Sequence[int | str], values: Any, *, missing: bool) -> str:
    """`load.keep_alive` or `claims[0].of`: pydantic's location without the names of a union's members, which are not in
    the file. The last part of a missing key is not in the file either, and is kept."""
    key, tagged = "", None
    for place, part in enumerate(location):
        if isinstance(part, int):
            values = values[part] if isinstance(values, list) and part < len(values) else None
            key += f"[{part}]"
        elif isinstance(values, dict) and values.get("kind") == part and values is not tagged:
            tagged = values  # the name of a union's member, even where a key is called the same
        elif isinstance(values, dict) and part in values:
            values = values[part]
            key += f".{part}"
        elif missing and place == len(location) - 1:
            key += f".{part}"
    return key.removeprefix(".")


def _keys_at(model: type[BaseModel], location: Sequence[int | str]) -> list[str]:
    """The keys that are allowed at pydantic's `location`, from the annotations of the models on the way."""
    current = model
    members: list[type[BaseModel]] = []
    for part in location:
        if isinstance(part, int):
            continue
        field = current.model_fields.get(part)
        if field is None:  # the tag of a union's member, or a key of a dict
            current = next((member for member in members if _is_tagged(member, part)), current)
            continue
        members = list(_models_in(field.annotation))
        current = members[0] if members else current
    return sorted(_keys_of(current))


def _keys_of(model: type[BaseModel]) -> set[str]:
    """The keys of a model's table, with those of fields that are written into it."""
    keys: set[str] = set()
    for name, field in model.model_fields.items():
        if field.json_schema_extra == IN_ITS_TABLE:
            keys |= {key for member in _models_in(field.annotation) for key in _keys_of(member)}
        else:
            keys.add(field.alias or name)
    return keys


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in getattr(annotation, "__args__", ()):
        yield from _models_in(argument)


def _is_tagged(model: type[BaseModel], tag: str) -> bool:
    """Whether a field of the model is a `Literal` of this value, as `kind` is."""
    return any(tag in get_args(field.annotation) for field in model.model_fields.values())
