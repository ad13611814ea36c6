"""Ways in which an experiment offers its load: `[loads.NAME]`, the values of a sweep over `load`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from fairtrial.base.registry import instead_of
from fairtrial.base.strict import SLUG, Strict
from fairtrial.experiment.value import Value, format_value

OVER_LOADS = "load"
"""The parameter of a sweep whose values are names of `[loads]`."""


class LoadVariant(Strict):
    """One value of the sweep, in place of `[load]`: over which connections requests are sent.

    How many there are, how long they are measured and how long a client waits is the same for all.
    """

    connections: int | None = Field(None, description="null: as [load] says, like every key here")
    threads: int | None = None
    keep_alive: bool | None = None
    http2: bool | None = None
    http3: bool | None = None
    streams: int | None = None


LoadVariants = dict[Annotated[str, Field(pattern=SLUG)], LoadVariant]


def load_at(load: Mapping[str, Any], variants: Mapping[str, Mapping[str, Any]], name: Value) -> dict[str, Any]:
    """The keys of `[load]` with those that the variant `name` sets.

    Raises:
        ValueError: there is no such variant.
    """
    if not isinstance(name, str) or name not in variants:
        wrong = format_value(name)
        raise ValueError(f"there is no [loads.{wrong}]{instead_of(wrong, sorted(variants)) or '; there are: none'}")
    return {**load, **{key: value for key, value in variants[name].items() if value is not None}}


def assert_swept(variants: Mapping[str, LoadVariant], parameter: str | None, values: Sequence[Value]) -> None:
    """Refuse what no condition would be loaded by.

    Args:
        parameter: of the sweep; None without one.

    Raises:
        ValueError: no sweep names the variant.
    """
    variant_names = values if parameter == OVER_LOADS else []
    for name in variants:
        if name not in variant_names:
            raise ValueError(
                f'loads.{name}: no condition is loaded so: set parameter = "{OVER_LOADS}" in [sweep] and name it in '
                "`values`, or leave it out"
            )
