"""`fairtrial check`: prove a stack against its contract."""

from pathlib import Path
from typing import Annotated

import typer


def check(
    stack: Annotated[str, typer.Argument(help="A stack's name, NAME:VARIANT, or the folder of one.")],
    stacks: Annotated[
        list[Path] | None, typer.Option("--stacks", help="A folder with stacks of your own.", metavar="DIR")
    ] = None,
    workload: Annotated[str | None, typer.Option(help="Only this workload; otherwise all it implements.")] = None,
    service: Annotated[str | None, typer.Option(help="Only this service; otherwise all it can use.")] = None,
) -> None:
    """Build and start a stack, try every clause of its contract, print each one.

    Exit status: 0 every clause holds; 3 one does not; 4 the stack cannot be run here; 2 wrong use.
    """
    from rich.console import Console

    from fairtrial.base.problem import Problem
    from fairtrial.catalog.stacks.find import MANIFEST, find_stacks, pick_stack
    from fairtrial.experiment.reference import StackRef
    from fairtrial.tools.check import check_stack

    own_folders = list(stacks or [])
    folder = Path(stack)
    if (folder / MANIFEST).is_file():
        known = find_stacks([*own_folders, folder])
        stack = folder.resolve().name
    else:
        known = find_stacks(own_folders)
    try:
        reference = StackRef.model_validate(stack)
    except ValueError as error:
        raise Problem(f"{stack}: not a stack's name or folder", "write NAME, NAME:VARIANT or a path") from error
    subject = pick_stack(known, reference)
    raise typer.Exit(check_stack(Console(), subject, reference, workload=workload, service=service))
