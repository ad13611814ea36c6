"""`fairtrial list`: what there is."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Things(StrEnum):
    """What can be listed."""

    stacks = "stacks"
    workloads = "workloads"
    experiments = "experiments"


def list_things(
    what: Annotated[Things, typer.Argument(help="What to list.")],
    stacks: Annotated[
        list[Path] | None, typer.Option("--stacks", help="A folder with stacks of your own.", metavar="DIR")
    ] = None,
) -> None:
    """List the stacks, workloads or experiments there are. Services: `fairtrial services`."""
    from rich.console import Console
    from rich.table import Table

    columns = _columns(what, stacks or [])
    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in zip(*columns.values(), strict=True):
        table.add_row(*row)
    Console().print(table)


def _columns(what: Things, own_folders: list[Path]) -> dict[str, list[str]]:
    from fairtrial.catalog.stacks.find import find_stacks
    from fairtrial.catalog.workloads import workloads
    from fairtrial.experiment.files import load_experiment, shipped_experiments

    if what is Things.stacks:
        stacks = find_stacks(own_folders).values()
        return {
            "stack": [stack.name for stack in stacks],
            "variants": [", ".join(["default", *sorted(stack.variants.keys() - {"default"})]) for stack in stacks],
            "title": [stack.title for stack in stacks],
            "concurrency": [stack.concurrency for stack in stacks],
            "workloads": [", ".join(stack.workloads) for stack in stacks],
            "services": [", ".join(stack.services) for stack in stacks],
        }
    if what is Things.experiments:
        experiments = [load_experiment(path) for path in shipped_experiments().values()]
        return {
            "experiment": [experiment.name for experiment in experiments],
            "title": [experiment.title for experiment in experiments],
            "workload": [experiment.workload for experiment in experiments],
            "stacks": [", ".join(map(str, experiment.stacks)) for experiment in experiments],
            "claims": [str(len(experiment.claims)) for experiment in experiments],
        }
    return {
        "workload": list(workloads()),
        "title": [workload.title for workload in workloads().values()],
        "services": [", ".join(workload.services) for workload in workloads().values()],
    }
