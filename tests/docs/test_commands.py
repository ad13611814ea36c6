"""Each command on a page is one that the command line takes, with its arguments. Not carried out here, but parsed."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer._click.core import Command
from typer._click.exceptions import UsageError
from typer.core import TyperGroup

from fairtrial.commands import app
from tests.docs.pages import PAGES, ROOT

SHELL = re.compile(r"^```(?:sh|console)\n(.*?)^```|((?:^ {4}.*\n)+)", flags=re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`((?:\./)?fairtrial [a-z][^`]*)`")
ENDS = frozenset(("|", "||", "&", "&&", ";", ">", ">>", "<"))


def commands_of(text: str) -> Iterator[list[str]]:
    """The words behind `fairtrial` of each command in the blocks of a page that a shell reads."""
    for block in SHELL.finditer(text):
        for line in (block[1] or block[2]).splitlines():
            typed, *_ = re.split(r" {3,}", line.strip().removeprefix("$ "))  # what it is for may stand beside it
            words = shlex.shlex(typed, posix=True, punctuation_chars="|&;<>")
            words.whitespace_split = True
            try:
                yield from _of_fairtrial(list(words))
            except ValueError:  # what a program prints, with a quote in it
                continue


def _of_fairtrial(words: list[str]) -> Iterator[list[str]]:
    while words:
        end = next((place for place, word in enumerate(words) if word in ENDS), len(words))
        if words[0] in ("fairtrial", "./fairtrial") and end:
            yield words[1:end]
        words = words[end + 1 :]


def parsed(words: list[str]) -> None:
    """Raises `UsageError` where the command line would."""
    command: Command = typer.main.get_command(app)
    context = None
    while isinstance(command, TyperGroup):
        context = command.make_context("fairtrial", words, parent=context)
        rest = [*context._protected_args, *context.args]
        if not rest:
            return
        name, subcommand, words = command.resolve_command(context, rest)
        assert name and subcommand
        command = subcommand
    command.make_context(command.name, words, parent=context)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_command_line_takes_what_stands_in_blocks(page: Path) -> None:
    refused = []
    for words in commands_of(page.read_text()):
        try:
            parsed(words)
        except UsageError as error:
            refused.append(f"fairtrial {shlex.join(words)}: {error.format_message()}")
    assert refused == []


def options_of(command: Command) -> set[str]:
    return {name for each in command.params for name in (*each.opts, *each.secondary_opts)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_command_within_a_sentence_has_the_options_that_it_is_given(page: Path) -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    for text in INLINE.findall(page.read_text()):
        words = text.replace("\n", " ").split()[1:]
        command = group.commands.get(words[0])
        assert command is not None, text
        if isinstance(command, TyperGroup) and len(words) > 1 and words[1] in command.commands:
            command = command.commands[words[1]]
        named = {word.split("=")[0] for word in words if word.startswith("--")}
        assert named <= options_of(command) | {"--help"}, text


def test_commands_are_found_in_every_kind_of_block() -> None:
    page = "```sh\nmake && fairtrial load -n 1 http://a/ > out  # x\n```\n\n    ./fairtrial run a.toml --quick\n"
    page += "\n```console\n$ cd x && fairtrial init\nanswer: isn't one\n```\n"
    assert list(commands_of(page)) == [["load", "-n", "1", "http://a/"], ["run", "a.toml", "--quick"], ["init"]]


def test_an_option_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="--no-such"):
        parsed(["run", "--no-such"])
