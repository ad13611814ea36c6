"""Environment variables that a file sets."""

import re
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

WHERE_TO_LISTEN = ("HOST", "PORT")
"""Which the lab sets for each start, whatever else does: a value in a file would be ignored."""


LEFT_TO_A_SHELL = re.compile(r"\$\{?(HOST|PORT|[A-Z]+_URL)\b\}?|\{\{? ?(HOST|PORT|host|port) ?\}\}?")
"""A variable of the lab's, as shells and templates would put it in."""


def _needs_no_shell(words: list[str]) -> list[str]:
    """Refuse a word that only a shell would fill in, unless one gets it."""
    unfilled = next((match for word in words if (match := LEFT_TO_A_SHELL.search(word))), None)
    if unfilled and "-c" not in words:
        command = " ".join(LEFT_TO_A_SHELL.sub(lambda each: f"${(each[1] or each[2]).upper()}", word) for word in words)
        raise ValueError(
            f"{unfilled.group()} would be passed on as it is: no shell reads the command, and its value is in the "
            f'environment. Write ["sh", "-c", "exec {command}"]'
        )
    return words


StartCommand = Annotated[list[str], AfterValidator(_needs_no_shell)]
"""A command that starts a server, word by word: no shell reads it."""


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
