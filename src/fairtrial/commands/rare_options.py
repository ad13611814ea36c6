"""A help that fits the screen: `--help` explains the options that most calls need, `--help-all` the others, too."""

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from fairtrial.cluster.options import HOSTS


class WithRareOptions(TyperCommand):
    """A command whose options with `hidden=True`, and those about hosts, are rare.

    `--help` only names them, in its last lines. For completion, and for whoever reads the command's parameters, they
    are options like all others.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        options = [each for each in self.params if isinstance(each, TyperOption)]
        self.rare = [each for each in options if each.hidden or each.rich_help_panel == HOSTS]
        self._hide(False)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help without what is rare."""
        with self._without_rare():
            self.format_whole_help(ctx, formatter)

    def format_whole_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help with every option."""
        super().format_help(ctx, formatter)

    @contextmanager
    def _without_rare(self) -> Iterator[None]:
        epilog = self.epilog
        names = ", ".join(f"`{max(each.opts, key=len)}`" for each in self.rare)
        self.epilog = f"`--help-all` also explains {names}.\n\n{epilog or ''}"
        self._hide(True)
        try:
            yield
        finally:
            self.epilog = epilog
            self._hide(False)

    def _hide(self, hidden: bool) -> None:
        for each in self.rare:
            each.hidden = hidden


def add_command(app: typer.Typer, command: Callable[..., None], name: str | None = None) -> None:
    """Add a command with rare options, and with `--help-all`, to the command line."""
    signature = inspect.signature(command)
    help_all = inspect.Parameter("help_all", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=_HELP_ALL)

    @functools.wraps(command)
    def without_help_all(*, help_all: bool, **values: Any) -> None:
        del help_all  # its callback has dealt with it
        command(**values)

    # Typer reads both.
    without_help_all.__signature__ = signature.replace(parameters=[*signature.parameters.values(), help_all])  # type: ignore[attr-defined]
    without_help_all.__annotations__ = {}
    app.command(name, cls=WithRareOptions)(without_help_all)


def _print_all(context: typer.Context, show_all: bool) -> None:
    if show_all:
        command: Any = context.command
        command.format_whole_help(context, context.make_formatter())
        raise typer.Exit


_HELP_ALL = Annotated[
    bool,
    typer.Option("--help-all", is_eager=True, callback=_print_all, help="Show all options and exit."),
]
