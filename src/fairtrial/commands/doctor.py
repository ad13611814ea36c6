"""`fairtrial doctor`: whether this machine is fit for trials, and which stacks can run here."""

from pathlib import Path
from typing import Annotated

import typer

from fairtrial.commands.further_reports import Json


def doctor(
    stacks: Annotated[
        list[Path] | None, typer.Option("--stacks", help="A folder with stacks of your own.", metavar="DIR")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A row for each stack.")] = False,
    json: Json = None,
) -> None:
    """Look at runtimes, tools, processors, limits, governor, swap and cache; print a remedy for each fault.

    Exit status: 0 trials can be run here, perhaps without some stacks; 4 no trial can be run.
    """
    from rich.console import Console
    from rich.markup import escape

    from fairtrial.catalog.stacks.find import find_stacks
    from fairtrial.commands.further_reports import print_or_write
    from fairtrial.tools.doctor.examine import examine_machine, print_diagnoses, status_of
    from fairtrial.tools.doctor.model import DiagnosesDocument

    with Console(stderr=True).status("looking at this machine") as spinner:
        every_stack = list(find_stacks(stacks or []).values())
        diagnoses = examine_machine(every_stack, lambda text: spinner.update(escape(f"looking at {text}")))
    status = status_of(diagnoses)
    document = DiagnosesDocument(exit_status=status, diagnoses=diagnoses)
    print_or_write(json, document, lambda console: print_diagnoses(console, diagnoses, verbose=verbose))
    raise typer.Exit(status)
