"""Variables that a stack gets from the environment of the lab, by name: their values are never recorded."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

CONTRACT_VARIABLES = frozenset({"HOST", "PORT", "DATABASE_URL", "CACHE_URL", "UPSTREAM_URL"})
"""Which the lab sets for each trial."""


def _not_the_contracts(names: list[str]) -> list[str]:
    for name in names:
        if name in CONTRACT_VARIABLES:
            raise ValueError(f"{name} is set by the lab for each trial: leave it out")
    return names


EnvFrom = Annotated[
    list[Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]], AfterValidator(_not_the_contracts)
]
