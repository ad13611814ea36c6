"""`fairtrial doctor`: is this machine fit for trials, and what can it try?"""

from pathlib import Path
from typing import Annotated

import typer


def doctor(
    stacks: Annotated[
        list[Path] | None, typer.Option("--stacks", help="A folder with stacks of your own.", metavar="DIR")
    ] = None,
) -> None:
    """Look at runtimes, tools, processors, limits, governor, swap and cache; print a remedy for what is amiss.

    Exit status: 0 trials can be run here (perhaps without some stacks); 4 they cannot.
    """
    from rich.console import Console

    from fairtrial.catalog.stacks.find import find_stacks
    from fairtrial.tools.doctor.examine import examine, print_diagnoses

    diagnoses = examine(list(find_stacks(stacks or []).values()))
    raise typer.Exit(print_diagnoses(Console(), diagnoses))
