"""Options that are declared together in a dataclass."""

from dataclasses import dataclass, field
from typing import Annotated

import typer

from fairtrial.commands.option_groups import with_option_groups


def parse_pair(text: str) -> tuple[int, int]:
    first, last = text.split(":")
    return int(first), int(last)


@dataclass(frozen=True, kw_only=True)
class Group:
    name: Annotated[str, typer.Argument()]
    number: Annotated[int, typer.Option("-n", "--number")] = 1
    pair: Annotated[tuple[int, int], typer.Option("--pair", parser=parse_pair)] = (1, 2)
    several: Annotated[list[tuple], typer.Option("-s", parser=parse_pair)] = field(default_factory=list)  # type: ignore[type-arg]


def called(*arguments: str) -> tuple[Group, bool]:
    """What a command receives for these arguments."""
    received: list[tuple[Group, bool]] = []

    @with_option_groups
    def command(group: Group, flag: Annotated[bool, typer.Option("--flag")] = False) -> None:
        """A command."""
        received.append((group, flag))

    app = typer.Typer(add_completion=False)
    app.command()(command)
    app(list(arguments), standalone_mode=False)
    return received[0]


def test_options_that_are_not_given_keep_the_default_of_their_field() -> None:
    assert called("x") == (Group(name="x"), False)


def test_each_field_is_an_option() -> None:
    group, flag = called("x", "-n", "5", "--pair", "3:4", "-s", "1:1", "-s", "2:2", "--flag")
    assert group == Group(name="x", number=5, pair=(3, 4), several=[(1, 1), (2, 2)])
    assert flag
