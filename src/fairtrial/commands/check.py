"""`fairtrial check`: prove a stack against its contract, or the contenders of an experiment."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairtrial.commands.complete import service_names, stack_names, workload_names

if TYPE_CHECKING:
    from rich.console import Console

    from fairtrial.experiment.reference import StackRef

STACK_FOLDERS = "A folder with stacks of your own."


def check(
    subject: Annotated[
        list[str],
        typer.Argument(
            help="A stack's name, NAME:VARIANT, or the folder of one; or several. Or an experiment file (.toml): all "
            "its contenders.",
            autocompletion=stack_names,
        ),
    ],
    stacks: Annotated[list[Path] | None, typer.Option("--stacks", help=STACK_FOLDERS, metavar="DIR")] = None,
    workload: Annotated[
        str | None,
        typer.Option(
            help="Only this workload; otherwise all that the stack names. Or a workload file (.toml).",
            autocompletion=workload_names,
        ),
    ] = None,
    service: Annotated[
        str | None, typer.Option(help="Only this service; otherwise all it can use.", autocompletion=service_names)
    ] = None,
    stack: Annotated[
        list[str] | None,
        typer.Option(
            "--stack",
            help="Of an experiment, only this stack, NAME or NAME:VARIANT. Repeat for several.",
            metavar="NAME",
        ),
    ] = None,
    workloads: Annotated[
        list[Path] | None,
        typer.Option(
            "--workloads",
            help="A folder in which the workload file of an experiment is looked for, too.",
            metavar="DIR",
        ),
    ] = None,
) -> None:
    """Build and start a stack, try every clause of its contract, print each one.

    Several stacks are tried service by service, and share each of them. Of a workload file, each setup request and each
    request is sent once, and its answer must be as the file expects. The contenders of an experiment with a `reference`
    are then asked some hundred times more, and their answers compared.

    Exit status: 0 every clause holds; 3 one does not; 4 a stack cannot be run here; 2 wrong use.
    """
    from rich.console import Console

    from fairtrial.base.problem import Problem
    from fairtrial.engine.binary import assert_engine
    from fairtrial.experiment.workload_file.read import names_file

    files = [Path(each) for each in subject if names_file(each)]
    for wrong, reason, remedy in (
        (files and len(subject) > 1, f"{files[0] if files else ''} is checked by itself", "name nothing beside it"),
        (files and workload, "--workload is for stacks", "leave it out: the experiment says it"),
        (files and service, "--service is for stacks", "leave it out: the experiment says it"),
        (not files and stack, "--stack is for the contenders of an experiment", "name the stacks themselves"),
        (not files and workloads, "--workloads is for experiments", "give the path with --workload FILE"),
    ):
        if wrong:
            raise Problem(reason, remedy)
    assert_engine()
    if files:
        status = _check_experiment(Console(), files[0], stack or [], stacks or [], workloads or [])
    else:
        status = _check_stacks(Console(), subject, stacks or [], workload, service)
    raise typer.Exit(status)


def _check_experiment(
    console: "Console", file: Path, stack_names: list[str], stack_folders: list[Path], workload_folders: list[Path]
) -> int:
    from fairtrial.base.problem import Problem
    from fairtrial.catalog.stacks.contenders import checked_out
    from fairtrial.commands.carry_out import planned
    from fairtrial.commands.examined_design import examine_design
    from fairtrial.commands.run_options import RunOptions, SelectionOptions
    from fairtrial.experiment.files import find_experiment, load_experiment
    from fairtrial.tools.check.experiment import check_plan

    if file.name.endswith(".workload.toml"):
        raise Problem(
            f"{file} says what is asked, and not who answers",
            f"name stacks, too: fairtrial check NAME --workload {file}; or name the experiment that it belongs to",
        )
    experiment = load_experiment(find_experiment(str(file)))
    selection = SelectionOptions(stack_names, stack_folders, workload_folders)
    with checked_out(experiment, file.parent) as checkouts:
        plan, _ = planned(experiment, file, checkouts, RunOptions(), selection)
        examine_design(console, plan, file, elsewhere=False, anyway=True)
        return check_plan(console, plan)


def _check_stacks(
    console: "Console", names: list[str], stack_folders: list[Path], workload: str | None, service: str | None
) -> int:
    from fairtrial.catalog.stacks.find import MANIFEST, find_stacks, pick_stack
    from fairtrial.experiment.workload_file.read import names_file
    from fairtrial.lab.private_network import assert_within
    from fairtrial.tools.check.contract import check_stacks
    from fairtrial.tools.check.experiment import check_plan
    from fairtrial.tools.check.starts import Subject
    from fairtrial.tools.check.workload_file import plan_on_file

    folders = [Path(each) for each in names if (Path(each) / MANIFEST).is_file()]
    stacks = find_stacks([*stack_folders, *folders])
    references = [_reference(folder.resolve().name if (folder := Path(each)) in folders else each) for each in names]
    assert_within([pick_stack(stacks, reference) for reference in references])
    if workload is not None and names_file(workload):
        return check_plan(console, plan_on_file(stacks, references, Path(workload), service))
    return check_stacks(
        console, [Subject(pick_stack(stacks, reference), reference, workload, service) for reference in references]
    )


def _reference(text: str) -> "StackRef":
    from fairtrial.base.problem import Problem
    from fairtrial.experiment.reference import StackRef

    try:
        return StackRef.model_validate(text)
    except ValueError as error:
        raise Problem(f"{text}: not a stack's name or folder", "write NAME, NAME:VARIANT or a path") from error
