"""All diagnoses, and their table."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairtrial.base.exit_status import ALL_WELL, NOTHING_RAN
from fairtrial.base.formatting import count, enumeration
from fairtrial.catalog.stacks.model import Stack
from fairtrial.tools.doctor.machine import diagnose_machine
from fairtrial.tools.doctor.model import Diagnosis
from fairtrial.tools.doctor.runtimes import OF_STACK, diagnose_engine, diagnose_stack

STYLES = {"good": "green", "poor": "yellow", "missing": "red"}


def examine_machine(stacks: Sequence[Stack], on_progress: Callable[[str], object]) -> list[Diagnosis]:
    """Diagnoses of the machine, of the engine's toolchain and of the runtimes of each stack.

    Args:
        on_progress: called with what is looked at next, such as `java-spring, stack 12 of 27`: each of its runtimes is
            asked for its version, which takes some of them seconds.
    """
    on_progress("this machine")
    diagnoses = [*diagnose_machine(), diagnose_engine()]
    for place, stack in enumerate(stacks, 1):
        on_progress(f"{stack.name}, stack {place} of {len(stacks)}")
        diagnoses += diagnose_stack(stack)
    return diagnoses


def print_diagnoses(console: Console, diagnoses: Sequence[Diagnosis], *, verbose: bool = True) -> int:
    """Print each diagnosis with its remedy, then a conclusion.

    Args:
        verbose: a row for each stack. Otherwise those that lack the same share one, and so do those that lack nothing.

    Returns:
        The exit status, as `status_of` has it.
    """
    console.print(diagnosis_table(diagnoses if verbose else together(diagnoses)))
    status = status_of(diagnoses)
    absent_stacks = sum(diagnosis.health == "missing" and not diagnosis.essential for diagnosis in diagnoses)
    if status == NOTHING_RAN:
        console.print(Text("No trial can be run here.", style="bold red"))
    elif absent_stacks:
        console.print(
            Text(f"Trials can be run here; {count(absent_stacks, 'stack')} will be reported as not run.", style="bold")
        )
    else:
        console.print(Text("Trials can be run here, with every stack.", style="bold green"))
    return status


def status_of(diagnoses: Sequence[Diagnosis]) -> int:
    """The exit status: `NOTHING_RAN` if something essential is missing, else `ALL_WELL`."""
    unfit = any(diagnosis.essential and diagnosis.health == "missing" for diagnosis in diagnoses)
    return NOTHING_RAN if unfit else ALL_WELL


def together(diagnoses: Sequence[Diagnosis]) -> list[Diagnosis]:
    """The diagnoses with one for all stacks that can be run, and one for those that lack the same."""
    alike: dict[tuple[str, str], list[Diagnosis]] = {}
    for each in diagnoses:
        if each.subject.startswith(OF_STACK):
            alike.setdefault(("", "") if each.health == "good" else (each.observation, each.remedy), []).append(each)
    rows = [each for each in diagnoses if not each.subject.startswith(OF_STACK)]
    for stacks in alike.values():
        if stacks[0].health == "good":
            rows.append(Diagnosis("stacks", "good", f"{count(len(stacks), 'stack')} can be run"))
        else:
            names = enumeration(each.subject.removeprefix(OF_STACK) for each in stacks)
            rows.append(replace(stacks[0], subject="stacks", observation=f"{names}: {stacks[0].observation}"))
    return rows


def diagnosis_table(diagnoses: Sequence[Diagnosis]) -> Table:
    """A row for each diagnosis, with its remedy below it."""
    table = Table.grid(padding=(0, 2))
    for diagnosis in diagnoses:
        observation = Text(diagnosis.observation)
        if diagnosis.remedy:
            observation.append(f"\n{diagnosis.remedy}", style="italic")
        table.add_row(Text(diagnosis.health, style=STYLES[diagnosis.health]), diagnosis.subject, observation)
    return table
