"""The plan, printed before anything starts."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import minutes
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.workloads import pick_workload
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.value import shown
from fairtrial.lab.placement import local_placement
from fairtrial.lab.trial.free_ports import takes_ports
from fairtrial.plan.duration import planned_seconds
from fairtrial.plan.order import conditions_of


def announce(console: Console, experiment: Experiment, known: Mapping[str, Stack], left_out: Sequence[str]) -> None:
    """Print what will be done: workload, service, load, stacks, blocks, order, placement and time."""
    load, sweep, placement = experiment.load, experiment.sweep, local_placement()
    swept = sweep is not None and sweep.parameter == "dataset.rows"
    rows = 0 if swept else experiment.dataset.rows or pick_workload(experiment.workload).rows
    per_block = len(conditions_of(experiment))
    trials = experiment.blocks * per_block
    seconds = planned_seconds(trials, load)
    facts = {
        "workload": f"{experiment.workload} on {experiment.service}" + (f", {rows:,} rows" if rows else ""),
        "load": f"{load.describe()}; {load.lengths()}",
        **({} if sweep is None else {"sweep": f"{sweep.parameter} over {', '.join(map(shown, sweep.values))}"}),
        "stacks": ", ".join(f"{name} ({known[name.name].concurrency})" for name in experiment.stacks),
        "trials": f"{experiment.blocks} blocks of {per_block} trials in random order "
        f"(seed {experiment.seed}), about {minutes(seconds)} min once everything is built"
        + (", and waits for local ports beside" if takes_ports(load) else ""),
        "placement": f"load on processor {_cpus(placement.load_cpus)}, server on {_cpus(placement.server_cpus)}"
        + ("" if placement.disjoint else ": shared, figures will disturb each other"),
        "claims": ", ".join(claim.id for claim in experiment.claims) or "none",
    }
    if left_out:
        facts["left out"] = f"claims {', '.join(left_out)}: what they speak of is not tried"
    table = Table.grid(padding=(0, 2))
    for fact, value in facts.items():
        table.add_row(Text(fact, style="dim"), Text(value))
    console.print(Text.assemble((experiment.name, "bold"), ": ", experiment.title))
    console.print(table)


def _cpus(cpus: Sequence[int]) -> str:
    return ", ".join(map(str, cpus))
