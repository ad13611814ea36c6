"""`fairtrial check`: prove a stack against its contract."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fairtrial.experiment.reference import StackRef


def check(
    stack: Annotated[list[str], typer.Argument(help="A stack's name, NAME:VARIANT, or the folder of one; or several.")],
    stacks: Annotated[
        list[Path] | None, typer.Option("--stacks", help="A folder with stacks of your own.", metavar="DIR")
    ] = None,
    workload: Annotated[str | None, typer.Option(help="Only this workload; otherwise all it implements.")] = None,
    service: Annotated[str | None, typer.Option(help="Only this service; otherwise all it can use.")] = None,
) -> None:
    """Build and start a stack, try every clause of its contract, print each one.

    Several stacks are tried service by service, and share each of them.

    Exit status: 0 every clause holds; 3 one does not; 4 a stack cannot be run here; 2 wrong use.
    """
    from rich.console import Console

    from fairtrial.catalog.stacks.find import MANIFEST, find_stacks, pick_stack
    from fairtrial.tools.check.contract import check_stacks
    from fairtrial.tools.check.starts import Subject

    folders = [Path(each) for each in stack if (Path(each) / MANIFEST).is_file()]
    known = find_stacks([*(stacks or []), *folders])
    references = [_reference(folder.resolve().name if (folder := Path(each)) in folders else each) for each in stack]
    subjects = [Subject(pick_stack(known, reference), reference, workload, service) for reference in references]
    raise typer.Exit(check_stacks(Console(), subjects))


def _reference(text: str) -> "StackRef":
    from fairtrial.base.problem import Problem
    from fairtrial.experiment.reference import StackRef

    try:
        return StackRef.model_validate(text)
    except ValueError as error:
        raise Problem(f"{text}: not a stack's name or folder", "write NAME, NAME:VARIANT or a path") from error
