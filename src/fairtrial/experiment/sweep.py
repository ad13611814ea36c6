"""One parameter over a list of values: `[sweep]` of an experiment file. Every stack is tried at every value."""

from typing import Any, Self

from pydantic import Field, model_validator

from fairtrial.experiment.strict import Strict

Number = int | float


class Sweep(Strict):
    """What is varied, and over which values."""

    parameter: str = Field(
        pattern=r"^(load\.[a-z_]+|options\.[a-z_]+|dataset\.[a-z]+|env\.[A-Z][A-Z0-9_]*|instances)$",
        description="load.KEY, options.KEY, dataset.KEY, env.NAME (a variable that stacks get) or instances",
    )
    values: list[Number] = Field(min_length=2, max_length=100)

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if any(left >= right for left, right in zip(self.values, self.values[1:], strict=False)):
            raise ValueError("values: they have to ascend, each once")
        return self

    @property
    def title(self) -> str:
        """What axes and rows call it: `connections` for load.connections, `DB_POOL` for env.DB_POOL."""
        return self.parameter.rpartition(".")[2].replace("_", " ")


def at_value(file: dict[str, Any], parameter: str, value: Number) -> dict[str, Any]:
    """An experiment's keys with one of them set to `value`, and without the sweep and the claims over it."""
    room, _, key = parameter.rpartition(".")
    rest = {name: what for name, what in file.items() if name not in ("sweep", "claims")}
    if not room:
        return rest | {key: value}
    return rest | {room: {**rest.get(room, {}), key: str(value) if room == "env" else value}}
