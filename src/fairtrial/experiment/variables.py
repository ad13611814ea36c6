"""Environment variables that a file sets."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

WHERE_TO_LISTEN = ("HOST", "PORT")
"""Which the lab sets for each start, whatever else does: a value in a file would be ignored."""


def _not_where_to_listen(variables: dict[str, str]) -> dict[str, str]:
    """Refuse what the lab says in any case."""
    for name in WHERE_TO_LISTEN:
        if name in variables:
            raise ValueError(
                f"{name} is set by the lab for each start: leave it out. A program that always listens on one port has "
                "`port`"
            )
    return variables


def _with_names(variables: dict[str, str]) -> dict[str, str]:
    """Refuse names that an environment cannot hold (environ(7)); a NUL is refused wherever it stands in a file."""
    for name in variables:
        if not name or "=" in name:
            raise ValueError(f"{name!r} is no name of a variable: it has a character at least, and no `=`")
    return variables


Variables = Annotated[dict[str, str], AfterValidator(_with_names), AfterValidator(_not_where_to_listen)]
"""By name, the value."""

VariablesOfAll = Annotated[
    dict[Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*$")], str], AfterValidator(_not_where_to_listen)
]
"""Those that every stack of an experiment gets. A sweep can be over one of them, by its name."""
