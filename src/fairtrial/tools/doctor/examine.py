"""Everything the doctor looks at, and how it is told."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairtrial.base.exit_status import ALL_WELL, NOTHING_RAN
from fairtrial.catalog.stacks.model import Stack
from fairtrial.tools.doctor.machine import machine
from fairtrial.tools.doctor.model import Diagnosis
from fairtrial.tools.doctor.runtimes import engine_toolchain, stack_runtimes

STYLES = {"good": "green", "poor": "yellow", "missing": "red"}


def examine(stacks: Sequence[Stack]) -> list[Diagnosis]:
    """All diagnoses: the machine, the engine's toolchain, each stack's runtimes."""
    return [*machine(), engine_toolchain(), *stack_runtimes(stacks)]


def print_diagnoses(console: Console, diagnoses: Sequence[Diagnosis]) -> int:
    """Print each one with its remedy, and return the exit status."""
    table = Table.grid(padding=(0, 2))
    for diagnosis in diagnoses:
        found = Text(diagnosis.found)
        if diagnosis.remedy:
            found.append(f"\n{diagnosis.remedy}", style="italic")
        table.add_row(Text(diagnosis.health, style=STYLES[diagnosis.health]), diagnosis.subject, found)
    console.print(table)
    stuck = any(diagnosis.essential and diagnosis.health == "missing" for diagnosis in diagnoses)
    untried = sum(diagnosis.health == "missing" and not diagnosis.essential for diagnosis in diagnoses)
    if stuck:
        console.print(Text("No trial can be run here.", style="bold red"))
    elif untried:
        console.print(
            Text(f"Trials can be run here; {untried} of the stacks will be reported as not run.", style="bold")
        )
    else:
        console.print(Text("Trials can be run here, with every stack.", style="bold green"))
    return NOTHING_RAN if stuck else ALL_WELL
