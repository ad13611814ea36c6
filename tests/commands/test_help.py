"""`--help` teaches every command: what it does, every option, and its exit status or an example."""

import re
from collections.abc import Iterator

import pytest
import typer
from typer.core import TyperCommand, TyperGroup
from typer.testing import CliRunner

from fairtrial.commands import app
from tests.command_line import Lab

Command = TyperCommand | TyperGroup


def walk(path: tuple[str, ...], command: Command) -> Iterator[tuple[tuple[str, ...], Command]]:
    """A command and all below it, but for those that are hidden: the lab starts them itself."""
    yield path, command
    for name, subcommand in getattr(command, "commands", {}).items():
        if not subcommand.hidden:
            yield from walk((*path, name), subcommand)


COMMANDS = dict(walk((), typer.main.get_group(app)))

TEACHES = {
    "": ["upheld, refuted, equal or undecided", "`fairtrial run`", "`fairtrial` alone"],
    "run": ["Exit status: 0", "130 interrupted", "`fairtrial list experiments`", "built and run as you", "--seed"],
    "ab-test": ["Exit status: 0", "default branch", "[contenders.NAME]", "5%"],
    "why": ["Exit status: 0", "[why]", "share", "results folder"],
    "load": ["**closed**", "**open**", "servers that are yours", "**Examples**", "`fairtrial load http"],
    "ab": ["-n, -c, -t, -k", "**Examples**", "`fairtrial ab -n"],
    "wrk": ["-c, -d, -t, -H", "**Examples**", "`fairtrial wrk -"],
    "check": ["Exit status: 0", "clause"],
    "list": ["stacks, workloads, experiments, studies or metrics", "`fairtrial services`"],
    "services": ["installed", "missing", "No system"],
    "services install": ["apt"],
    "cluster": ["roles", "server, load, service or balancer", "`fairtrial run --cluster`"],
    "cluster check": ["Exit status: 0", "--cluster", "remedy"],
    "cluster plan": ["Exit status: 0", "lanes", "--cluster"],
    "cluster settings": ["YAML", "~/.config/dask/", "reason"],
    "doctor": ["Exit status: 0", "remedy"],
    "explain": ["thresholds with their sources", "`fairtrial explain not-warm`"],
    "judge": ["result.json and report.html", "`fairtrial run`", "--claims"],
    "compare": ["Exit status: 0", "regression", "0.05 is 5%"],
    "history": ["Exit status: 0", "Apache Otava", "a line a run", "--metric", "otava.yaml"],
    "pool": ["Exit status: 0", "judged again", "ssh-keygen"],
    "cross-examine": ["Exit status: 0", "arithmetic alone", "`fairtrial cross-examine wrk.log`"],
    "docket": ["static site", "without a server"],
    "docket build": ["Exit status: 0", "judged again", "badge"],
    "init": [
        "Exit status: 0",
        "built and run as you",
        "package.json",
        "`fairtrial init --yes --requests openapi.yaml`",
    ],
    "adopt": ["Exit status: 0", "builds run as you", "`fairtrial adopt --registry entries`", "benchmark", "--as"],
    "import": ["Exit status: 0", "**Secrets** never reach the file", "`fairtrial import site.har -o", "access.log.gz"],
}
"""What the help of each command must say, so that nobody has to open the documentation for it."""


def contender_text(command: Command) -> str:
    """The help of a command and of its parameters, as it is written."""
    helps = [command.help or ""]
    for parameter in command.params:
        helps += [*parameter.opts, getattr(parameter, "help", None) or ""]
    return " ".join(" ".join(helps).split())


def test_every_command_is_listed_here() -> None:
    assert {" ".join(path) for path in COMMANDS} == set(TEACHES)


@pytest.mark.parametrize("name", TEACHES)
def test_what_each_command_teaches(name: str) -> None:
    text = contender_text(COMMANDS[tuple(name.split())])
    assert [words for words in TEACHES[name] if words not in text] == []


@pytest.mark.parametrize("name", TEACHES)
def test_a_command_is_explained_in_sentences_and_so_is_every_parameter(name: str) -> None:
    command = COMMANDS[tuple(name.split())]
    first = " ".join((command.help or "").partition("\n\n")[0].split())
    assert re.fullmatch(r"[A-Z].{20,}\.", first), first
    silent = [parameter.opts for parameter in command.params if not getattr(parameter, "help", None)]
    assert silent == []


def test_every_command_that_a_help_names_exists() -> None:
    texts = " ".join(contender_text(command) for command in COMMANDS.values())
    names = set(re.findall(r"`fairtrial ([a-z][a-z-]+)", texts))
    assert len(names) >= 6
    assert names <= {path[0] for path in COMMANDS if path}


@pytest.mark.parametrize("name", TEACHES)
def test_help_is_printed_in_full(name: str) -> None:
    words = name.split()
    printed = CliRunner().invoke(
        app, [*words, "--help"], prog_name="fairtrial", env={"COLUMNS": "400", "TERMINAL_WIDTH": "400", "NO_COLOR": "1"}
    )
    assert printed.exit_code == 0
    assert f"Usage: {' '.join(['fairtrial', *words])}" in printed.output
    for parameter in COMMANDS[tuple(words)].params:
        if parameter.param_type_name == "option":
            assert max(parameter.opts, key=len) in printed.output
    for path in COMMANDS:
        if path[:-1] == tuple(words) and path:
            assert re.search(rf"^\W*{path[-1]}\s", printed.output, re.MULTILINE), path


def test_help_of_the_installed_command(lab: Lab) -> None:
    finished = lab.fairtrial("run", "--help")
    assert finished.status == 0
    assert "Usage: fairtrial run" in finished.out and "--noise-floor" in finished.out


def test_of_all_commands_the_first_five_are_those_to_begin_with() -> None:
    """Each has a line of its own, in a panel."""
    printed = CliRunner().invoke(app, ["--help"], prog_name="fairtrial", env={"COLUMNS": "80", "NO_COLOR": "1"}).output
    panels = printed.partition("To begin with")[2]
    names = re.findall(r"^│ ([a-z][a-z-]+)  ", panels, re.MULTILINE)
    assert names[:5] == ["init", "run", "ab-test", "load", "doctor"]
    assert sorted(names) == sorted(path[0] for path in COMMANDS if len(path) == 1), "and none wraps or is left out"
    assert len(re.findall(r"^│", panels, re.MULTILINE)) == len(names)
    assert len(printed.splitlines()) <= 54


SCREENS = {"run": 60, "ab-test": 70, "load": 92}
"""The lines of a help at most, at 80 columns: two screens of 46, with rare options by name alone."""


@pytest.mark.parametrize("name", SCREENS)
def test_a_help_fits_two_screens_and_all_of_it_is_to_be_had(name: str) -> None:
    def printed(option: str) -> str:
        result = CliRunner().invoke(app, [name, option], prog_name="fairtrial", env={"COLUMNS": "80", "NO_COLOR": "1"})
        assert result.exit_code == 0
        return result.output

    short, whole = printed("--help"), printed("--help-all")
    assert len(short.splitlines()) <= SCREENS[name]
    rare = short.partition("--help-all also explains")[2].partition("Documentation")[0]
    names = re.findall(r"--[a-z][a-z0-9-]+", rare)
    assert len(names) > 1 and set(names) <= set(re.findall(r"--[a-z][a-z0-9-]+", whole))
    assert all(re.search(rf"^│ {each}\b", whole, re.MULTILINE) for each in names), "each has a row of its own there"
    assert not any(re.search(rf"^│ {each}\b", short, re.MULTILINE) for each in names)
