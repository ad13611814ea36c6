"""All diagnoses, and their table."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairtrial.base.exit_status import ALL_WELL, NOTHING_RAN
from fairtrial.base.formatting import count
from fairtrial.catalog.stacks.model import Stack
from fairtrial.tools.doctor.machine import diagnose_machine
from fairtrial.tools.doctor.model import Diagnosis
from fairtrial.tools.doctor.runtimes import diagnose_engine, diagnose_stacks

STYLES = {"good": "green", "poor": "yellow", "missing": "red"}


def examine_machine(stacks: Sequence[Stack]) -> list[Diagnosis]:
    """Diagnoses of the machine, of the engine's toolchain and of the runtimes of each stack."""
    return [*diagnose_machine(), diagnose_engine(), *diagnose_stacks(stacks)]


def print_diagnoses(console: Console, diagnoses: Sequence[Diagnosis]) -> int:
    """Print each diagnosis with its remedy, then a conclusion.

    Returns:
        The exit status: `NOTHING_RAN` if something essential is missing, else `ALL_WELL`.
    """
    console.print(diagnosis_table(diagnoses))
    unfit = any(diagnosis.essential and diagnosis.health == "missing" for diagnosis in diagnoses)
    absent_stacks = sum(diagnosis.health == "missing" and not diagnosis.essential for diagnosis in diagnoses)
    if unfit:
        console.print(Text("No trial can be run here.", style="bold red"))
    elif absent_stacks:
        console.print(
            Text(f"Trials can be run here; {count(absent_stacks, 'stack')} will be reported as not run.", style="bold")
        )
    else:
        console.print(Text("Trials can be run here, with every stack.", style="bold green"))
    return NOTHING_RAN if unfit else ALL_WELL


def diagnosis_table(diagnoses: Sequence[Diagnosis]) -> Table:
    """A row for each diagnosis, with its remedy below it."""
    table = Table.grid(padding=(0, 2))
    for diagnosis in diagnoses:
        observation = Text(diagnosis.observation)
        if diagnosis.remedy:
            observation.append(f"\n{diagnosis.remedy}", style="italic")
        table.add_row(Text(diagnosis.health, style=STYLES[diagnosis.health]), diagnosis.subject, observation)
    return table
