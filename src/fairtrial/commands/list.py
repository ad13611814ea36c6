"""`fairtrial list`: the available stacks, workloads and experiments."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fairtrial.catalog.stacks.model import Stack


class Kind(StrEnum):
    """The kinds of things that can be listed."""

    stacks = "stacks"
    workloads = "workloads"
    experiments = "experiments"


def list_available(
    kind: Annotated[
        Kind | None,
        typer.Argument(help="The kind of things to list; without it, the names of all.", show_default=False),
    ] = None,
    stacks: Annotated[
        list[Path] | None, typer.Option("--stacks", help="A folder with stacks of your own.", metavar="DIR")
    ] = None,
) -> None:
    """List the available stacks, workloads or experiments. For services, see `fairtrial services`."""
    from rich.console import Console
    from rich.table import Table

    columns = _names(stacks or []) if kind is None else _columns(kind, stacks or [])
    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in zip(*columns.values(), strict=True):
        table.add_row(*row)
    Console().print(table)
    if kind is None:
        Console().print(
            "\nMore of each: fairtrial list stacks, and so on. Databases: fairtrial services", highlight=False
        )


def _names(own_folders: list[Path]) -> dict[str, list[str]]:
    from fairtrial.catalog.stacks.find import find_stacks
    from fairtrial.catalog.workloads import workloads
    from fairtrial.experiment.files import shipped_experiments

    names = {
        Kind.stacks: list(find_stacks(own_folders)),
        Kind.workloads: list(workloads()),
        Kind.experiments: list(shipped_experiments()),
    }
    return {
        "": [str(kind) for kind in names],
        "number": [str(len(each)) for each in names.values()],
        "names": [", ".join(each) for each in names.values()],
    }


def _columns(kind: Kind, own_folders: list[Path]) -> dict[str, list[str]]:
    from fairtrial.catalog.stacks.find import find_stacks
    from fairtrial.catalog.stacks.model import Variant
    from fairtrial.catalog.workloads import workloads
    from fairtrial.experiment.files import load_experiment, shipped_experiments

    if kind is Kind.stacks:
        stacks = find_stacks(own_folders).values()
        return {
            "stack": [stack.name for stack in stacks],
            "class": [stack.class_of(stack.variants.get("default") or Variant()) for stack in stacks],
            "variants": [", ".join(["default", *_other_variants(stack)]) for stack in stacks],
            "title": [stack.title for stack in stacks],
            "concurrency": [stack.concurrency for stack in stacks],
            "workloads": [", ".join(stack.workloads) for stack in stacks],
            "services": [", ".join(stack.services) for stack in stacks],
        }
    if kind is Kind.experiments:
        experiments = [load_experiment(path) for path in shipped_experiments().values()]
        return {
            "experiment": [experiment.name for experiment in experiments],
            "title": [experiment.title for experiment in experiments],
            "workload": [experiment.workload_name for experiment in experiments],
            "stacks": [", ".join(map(str, experiment.stacks)) for experiment in experiments],
            "claims": [str(len(experiment.claims)) for experiment in experiments],
        }
    return {
        "workload": list(workloads()),
        "title": [workload.title for workload in workloads().values()],
        "services": [", ".join(workload.services) for workload in workloads().values()],
    }


def _other_variants(stack: "Stack") -> list[str]:
    """Their names, each with its class where that is not the stack's own."""
    variants = sorted((name, variant) for name, variant in stack.variants.items() if name != "default")
    return [
        f"{name} ({variant.stack_class})" if variant.stack_class not in (None, stack.stack_class) else name
        for name, variant in variants
    ]
