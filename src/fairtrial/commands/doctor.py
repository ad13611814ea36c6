"""`fairtrial doctor`: whether this machine is fit for trials, and which stacks can run here."""

from pathlib import Path
from typing import Annotated

import typer


def doctor(
    stacks: Annotated[
        list[Path] | None, typer.Option("--stacks", help="A folder with stacks of your own.", metavar="DIR")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A row for each stack.")] = False,
) -> None:
    """Look at runtimes, tools, processors, limits, governor, swap and cache; print a remedy for each fault.

    Exit status: 0 trials can be run here, perhaps without some stacks; 4 no trial can be run.
    """
    from rich.console import Console

    from fairtrial.catalog.stacks.find import find_stacks
    from fairtrial.tools.doctor.examine import examine_machine, print_diagnoses

    diagnoses = examine_machine(list(find_stacks(stacks or []).values()))
    raise typer.Exit(print_diagnoses(Console(), diagnoses, verbose=verbose))
