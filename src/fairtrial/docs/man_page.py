"""The manual page `fairtrial.1`, from the help of the command line."""

import re
from collections.abc import Iterator
from typing import Any

import typer

from fairtrial.commands import app
from fairtrial.docs.commands import option_row

MAN_PAGE = "fairtrial.1"
"""In `docs/`. A wheel installs it into `share/man/man1`."""
PURPOSE = "put performance claims about HTTP API stacks on trial"
SEE_ALSO = (
    "`fairtrial explain NAME` explains a check, a metric, a column, a verdict, a key of an experiment or a word. "
    "The last line of `fairtrial --help` says where the documentation lies."
)


def man_page() -> str:
    """The text of the page, in roff with the macros of man(7)."""
    group: Any = typer.main.get_command(app)
    lines = [
        '.\\" Written by python -m fairtrial.docs',
        '.TH FAIRTRIAL 1 "" Fairtrial "User Commands"',
        ".SH NAME",
        f"fairtrial \\- {_roff(PURPOSE)}",
        ".SH SYNOPSIS",
        *(f".B {_roff(usage)}\n.br" for usage, _ in _commands(group, "fairtrial")),
        ".SH DESCRIPTION",
        *_paragraphs(group.help),
        ".SH COMMANDS",
        *(line for usage, command in _commands(group, "fairtrial") for line in _section(usage, command)),
        ".SH SEE ALSO",
        *_paragraphs(SEE_ALSO),
    ]
    return "\n".join(lines) + "\n"


def _commands(group: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The usage of every command that help shows, and the command; those of groups with the group's name."""
    for each in group.commands.values():
        full_name = f"{name} {each.name}"
        if not each.hidden and (not hasattr(each, "commands") or each.invoke_without_command):
            yield _usage(each, full_name), each
        if not each.hidden and hasattr(each, "commands"):
            yield from _commands(each, full_name)


def _usage(command: Any, full_name: str) -> str:
    pieces = command.collect_usage_pieces(typer.Context(command, info_name=full_name))
    return " ".join([full_name, *pieces])


def _section(usage: str, command: Any) -> Iterator[str]:
    yield f'.SS "{_roff(usage)}"'
    yield from _paragraphs(command.help)
    for each in command.params:
        if each.param_type_name != "option":
            if each.help:
                yield from _item(f"`{' '.join(each.get_usage_pieces(typer.Context(command)))}`", each.help)
        elif not each.hidden and each.name != "help":
            name, default, meaning = option_row(each)
            yield from _item(name, meaning if default in ("off", "none") else f"{meaning}. Default: {default}")


def _item(name: str, meaning: str) -> Iterator[str]:
    yield ".TP"
    yield _roff(name)
    yield _roff(meaning if re.search(r"[.!?]\**$", meaning) else f"{meaning}.")


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        yield ".PP"
        yield _roff(paragraph)


def _roff(text: str) -> str:
    """A line of the page: what Markdown has in code and in bold is bold, and nothing in it is a command of roff."""
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    line = re.sub(r"`([^`]+)`|\*\*(.+?)\*\*", lambda bold: f"\\fB{bold[1] or bold[2]}\\fR", line)
    line = re.sub(r"[^\x00-\x7f]", lambda character: f"\\[u{ord(character[0]):04X}]", line)
    return f"\\&{line}" if line.startswith((".", "'")) else line
