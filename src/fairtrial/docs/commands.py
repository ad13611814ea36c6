"""The parts of pages about commands: their options and exit statuses, as `--help` has them, and what they write."""

import re
from collections.abc import Mapping
from typing import Any

import typer

from fairtrial.commands import app
from fairtrial.commands.on_macos import DOES_NOT, WORKS
from fairtrial.docs.markdown import as_sentence, bullets, code, markdown_table
from fairtrial.lab.results_folder import CONTENTS
from fairtrial.tools.history.table import COLUMNS
from fairtrial.tools.load.report.outputs import SERIES_COLUMNS
from fairtrial.tools.load.request.options import OUTPUT


def command_parts(command: str) -> Mapping[str, str]:
    """The options of a command that are shown, and its exit statuses."""
    return {"options": _options(command), **exit_statuses_of(command)}


def exit_statuses_of(command: str) -> Mapping[str, str]:
    """The exit statuses of a command, from the last lines of its help, in the order of their numbers."""
    *_, text = re.split(r"exit status[*:]*\s+(?=\d)", _command(command).help, flags=re.IGNORECASE)
    rows = [each.split(maxsplit=1) for each in " ".join(text.split()).rstrip(".").split("; ")]
    return {"exit statuses": markdown_table(("exit status", ""), sorted(rows, key=lambda row: int(row[0])))}


def load_parts() -> Mapping[str, str]:
    """The files that `fairtrial load` writes, and its exit statuses."""
    return {
        "outputs": _options("load", OUTPUT),
        "columns of seconds": bullets(f"{code(name)}: {meaning}" for name, meaning in SERIES_COLUMNS.items()),
        **exit_statuses_of("load"),
    }


def history_parts() -> Mapping[str, str]:
    """The columns of a history."""
    return {"columns": bullets(f"{code(name)}: {meaning}" for name, meaning in COLUMNS.items())}


def macos_parts() -> Mapping[str, str]:
    """The commands that work on macOS, and those that do not."""
    words = {"these work": WORKS, "these need Linux": DOES_NOT}
    return {
        "on macOS": bullets(
            f"{word}: {', '.join(code(name) for name in commands if not _command(name).hidden)}"
            for word, commands in words.items()
        )
    }


def files_parts() -> Mapping[str, str]:
    """The contents of a results folder."""
    rows = [(code(each.path), each.holds, each.when) for each in CONTENTS]
    return {"results folder": markdown_table(("file", "what it holds", "written"), rows)}


def _options(command: str, panel: str | None = None) -> str:
    """A table of a command's options; of those in one panel of its help, if one is named."""
    options = [
        each
        for each in _command(command).params
        if each.param_type_name == "option" and (panel is None or each.rich_help_panel == panel)
    ]
    return markdown_table(("option", "default", "meaning"), [option_row(each) for each in options])


def option_row(option: Any) -> tuple[str, str, str]:
    """An option's names with what stands for its value, its default, and its meaning without a full stop."""
    help_text, _, default = option.help.partition(" [default: ")
    name = ", ".join(code(name) for name in (*option.opts, *option.secondary_opts))
    metavar = "" if option.metavar is None else f" {option.metavar}"
    text = default.rstrip("]") or ("off" if option.is_flag else option.default) or "none"
    return f"{name}{metavar}", str(text), as_sentence(help_text).rstrip(".")


def _command(name: str) -> Any:
    group: Any = typer.main.get_command(app)
    return group.commands[name]
