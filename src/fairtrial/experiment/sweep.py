"""One parameter over a list of values: `[sweep]` of an experiment file. Every stack is tried at every value."""

import re
from typing import Any, Self

from pydantic import Field, model_validator

from fairtrial.base.strict import Strict
from fairtrial.experiment.load_variants import OVER_LOADS, load_at
from fairtrial.experiment.value import Number, Value, format_value, parse_value

PARAMETER = (
    r"^(load\.[a-z0-9_]+|load|options\.[a-z_]+|dataset\.[a-z]+|services\.[a-z0-9-]+\.(variant|latency)"
    r"|env\.[A-Z][A-Z0-9_]*|requests|instances|concurrency_budget|placement)$"
)
PARAMETER_IN_WORDS = (
    "load.KEY, load (values are names of [loads.NAME]), options.KEY, dataset.KEY, services.NAME.variant, "
    "services.NAME.latency, env.NAME (a variable that stacks get), requests, instances, concurrency_budget or placement"
)

WORD = re.compile(r"[!-~]{1,64}")
"""Printable ASCII without spaces: a value follows ` at ` in the name of a condition."""


class Sweep(Strict):
    """The varied parameter, and its values: numbers, or categories, which have no order and no distance."""

    parameter: str = Field(pattern=PARAMETER, description=PARAMETER_IN_WORDS)
    values: list[Value] = Field(min_length=2, max_length=100, description="numbers, words or booleans")

    @model_validator(mode="after")
    def _of_one_kind(self) -> Self:
        kinds = {_kind(value) for value in self.values}
        if len(kinds) > 1:
            raise ValueError(f"values: {' and '.join(sorted(kinds))} are mixed: use one kind")
        if self.is_numeric:
            if any(left >= right for left, right in zip(self.numbers, self.numbers[1:], strict=False)):
                raise ValueError("values: they have to ascend, each once")
            return self
        for value in self.values:
            if self.values.count(value) > 1:
                raise ValueError(f"values: {format_value(value)} is there twice")
            if isinstance(value, str) and not WORD.fullmatch(value):
                raise ValueError(f"values: {value!r}: a word is 1 to 64 printable ASCII characters without a space")
            if isinstance(value, str) and not isinstance(parse_value(value), str):
                raise ValueError(f"values: {value!r} reads as a {_kind(parse_value(value))[:-1]}: leave out the quotes")
        return self

    @property
    def is_numeric(self) -> bool:
        """Whether values are numbers, not categories."""
        return all(_kind(value) == "numbers" for value in self.values)

    @property
    def numbers(self) -> list[Number]:
        """The values of a sweep over numbers; of one over categories none."""
        return [value for value in self.values if not isinstance(value, bool | str)]

    @property
    def service(self) -> str | None:
        """The service whose variant or latency is swept, if one is."""
        table, _, rest = self.parameter.partition(".")
        return rest.partition(".")[0] if table == "services" else None

    @property
    def title(self) -> str:
        """Its name on axes and in rows: `connections` for load.connections, `DB_POOL` for env.DB_POOL."""
        return self.parameter.rpartition(".")[2].replace("_", " ")


def at_value(file: dict[str, Any], parameter: str, value: Value) -> dict[str, Any]:
    """An experiment's keys with one of them set to `value`, and without the sweep and what is asked about it."""
    table, _, key = parameter.rpartition(".")
    rest = {name: what for name, what in file.items() if name not in ("sweep", "claims", "loads", "why")}
    if parameter == OVER_LOADS:
        return rest | {"load": load_at(rest["load"], file.get("loads", {}), value)}
    if not table:
        return rest | {key: value}
    if table == "env":
        return rest | {
            table: {**rest.get(table, {}), key: str(value) if _kind(value) == "numbers" else format_value(value)}
        }
    outer, _, inner = table.partition(".")
    if inner:  # services.NAME
        tables = rest.get(outer, {})
        return rest | {outer: {**tables, inner: {**tables.get(inner, {}), key: value}}}
    return rest | {table: {**rest.get(table, {}), key: value}}


def assert_same_type(value: Value, model_value: object) -> None:
    """Whether a model took a boolean for a boolean and a number for a number: models read true as 1, and 1 as true.

    Raises:
        ValueError: it did not.
    """
    if isinstance(model_value, bool) != isinstance(value, bool):
        is_boolean = isinstance(model_value, bool)
        raise ValueError(
            "it is true or false: write `values = [false, true]`" if is_boolean else "it is no boolean, and this is one"
        )


def _kind(value: Value) -> str:
    if isinstance(value, bool):
        return "booleans"
    return "words" if isinstance(value, str) else "numbers"
