"""`fairtrial` without arguments: what can be done next, from what lies in the folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from fairtrial.base.locations import PROJECT_FILE, REPORT_FILE
from fairtrial.commands.run_options import RunOptions

if TYPE_CHECKING:
    from rich.console import Console

RUN = ("fairtrial run", "try it, with a report")
AB_TEST = ("fairtrial ab-test", "what you have changed: does it make it slower?")
LAST_CHANGE = "did the last change make it slower?"
LOAD = ("fairtrial load URL", "offer load to a server that runs already")
INIT = ("fairtrial init", "in the folder of a service: put it on trial")
QUICKSTART = ("fairtrial run", "three claims about five stacks, judged in about two minutes")
HELP = "All commands: fairtrial --help"


def print_next_steps(console: "Console", folder: Path) -> None:
    """Print what lies in a folder, and a line for each command that follows from it."""
    from rich.text import Text

    from fairtrial.base.printable import printable

    lines, steps = _sight_and_steps(folder)
    for line in [*lines, *_newest_report(folder)]:
        console.print(Text(printable(line, 300)), soft_wrap=True)
    width = max(len(command) for command, _ in steps)
    for command, purpose in steps:
        console.print(Text.assemble("  ", (command.ljust(width), "bold"), f"   {purpose}"), soft_wrap=True)
    console.print(Text(HELP, style="dim"))


def _sight_and_steps(folder: Path) -> tuple[list[str], list[tuple[str, str]]]:
    if (folder / PROJECT_FILE).is_file():
        return [f"{PROJECT_FILE} puts the service of this folder on trial."], [RUN, _ab_test(folder)]
    from fairtrial_init.answers import line_of
    from fairtrial_init.project_folder import ProjectFolder
    from fairtrial_init.projects import proposals_for

    for proposal in proposals_for(ProjectFolder(folder)):
        words = f"This looks like a service: {proposal.kind}, started by {line_of(proposal.command)}"
        return [words], [("fairtrial init", f"write {PROJECT_FILE}, and try the service once"), LOAD]
    return [], [LOAD, INIT, QUICKSTART]


def _ab_test(folder: Path) -> tuple[str, str]:
    """The comparison of what has changed; where nothing has, of the last commit that changed the service."""
    from fairtrial.base.problem import Problem
    from fairtrial.catalog.stacks.repository import Repository, usual_refs

    try:
        repository = Repository.of(folder)
    except Problem:
        return AB_TEST
    try:
        usual_refs(repository)
    except Problem:
        if (last := repository.last_change()) is not None:
            return f"fairtrial ab-test {' '.join(last)}", LAST_CHANGE
    return AB_TEST


def _newest_report(folder: Path) -> Iterator[str]:
    """A line with the path of the report that was written last, if there is one."""
    reports = [path for path in (folder / RunOptions().out).glob(f"*/{REPORT_FILE}") if path.is_file()]
    if reports:
        newest = max(reports, key=lambda path: path.stat().st_mtime)
        yield f"The newest report: {newest.relative_to(folder)}"
