"""Which share of the scatter between restarts of one stack comes from which cause.

`.venv/bin/python -m benches.noise_causes --folder DIR --minutes 60` restarts a stack again and again. Each cause is on,
as production has it, or off, held still, by a coin of its own for each restart, so that all are tried at once and none
with another (a randomised factorial design). Goodput is measured in short windows in turn with a reference, the same
stack with `plaintext`, which stays up: what slows the machine slows both, and leaves the ratio. Each restart is a line
of a file in the folder, so that a run goes on where an earlier one ended; `--minutes 0` only prints the table.

A cause makes restarts scatter in two ways, and the table has both, as shares of the variance with all causes on:

- what the scatter loses where the cause is held still: its *own scatter*, of causes that are drawn anew at each start;
- what comes of it that some restarts have it and others do not, in equal parts: its *shift*, a quarter of the squared
  difference between both. It is none of the scatter of those who have it always, or never.

Intervals are of a percentile bootstrap over restarts. Run nothing else meanwhile.
"""

import argparse
import json
import os
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benches.document import table
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.experiment.model import Experiment
from fairtrial.lab.conduct import building
from fairtrial.lab.placement import bound_to, planned_placement
from fairtrial.lab.preparation import StepTimes
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.environment import trial_environment
from fairtrial.lab.trial.flow import Workbench, new_record
from fairtrial.lab.trial.offered_load import run_once
from fairtrial.lab.trial.up import UpContender, up
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan, PlannedTrial

WARM_UP_SECONDS = 2.0
LEAD_SECONDS = 0.1
LEAST_ROUNDS = 2
"""With fewer, nothing tells the moments of a window from the restart."""
RESAMPLES = 2_000
PADDING_BYTES = 4096
"""A page, over which the environment moves the stack of a process: Mytkowicz et al., ASPLOS 2009."""

ADDRESSES, HASHES, PROCESSOR = "address-space layout", "hash seed", "processor"
ARENAS, PADDING = "allocator arenas", "size of the environment"
PAGE_CACHE, DATABASE = "page cache", "start of the database"
CAUSES: Mapping[str, tuple[str, str]] = {
    ADDRESSES: ("drawn at each start", "setarch -R"),
    HASHES: ("drawn at each start", "PYTHONHASHSEED=0"),
    PROCESSOR: ("drawn at each start", "always the same"),
    ARENAS: ("as many as there are", "MALLOC_ARENA_MAX=1"),
    PADDING: (f"up to {PADDING_BYTES:,} bytes more, drawn", "none more"),
    PAGE_CACHE: ("the stack's files dropped before", "left in memory"),
    DATABASE: ("started before each start", "stays up"),
}
"""By cause, what happens where it is on, and where it is off."""


@dataclass(frozen=True)
class Restart:
    """One restart: which causes were on, and the logarithm of the ratio to the reference in each round."""

    switches: Mapping[str, bool]
    log_ratios: Sequence[float]


@dataclass(frozen=True)
class Share:
    """Of the variance between restarts, in percent, with its interval."""

    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.estimate:.0f} ({self.low:.0f} to {self.high:.0f})"


@dataclass(frozen=True)
class Lab:
    """A stack that can be started: its only trial, and what that needs."""

    trial: PlannedTrial
    workbench: Workbench

    def context(self, number: int) -> TrialContext:
        trial = replace(self.trial, index=number)
        return self.workbench.context(trial, new_record(trial))


def shares(restarts: Sequence[Restart], resamples: int = RESAMPLES) -> dict[str, tuple[Share, Share]]:
    """By cause its own scatter and its shift; and under `moments` what a longer window averages away, as the first."""
    names = list(restarts[0].switches)
    switches = np.array([[each.switches[name] for name in names] for each in restarts])
    means = np.array([np.mean(each.log_ratios) for each in restarts])
    noise = np.array([np.var(each.log_ratios, ddof=1) / len(each.log_ratios) for each in restarts])
    random = np.random.default_rng(41)
    drawn = [random.integers(0, len(restarts), len(restarts)) for _ in range(resamples)]
    found = np.array([_shares(switches[at], means[at], noise[at]) for at in (np.arange(len(restarts)), *drawn)])
    low, high = np.nanpercentile(found[1:], [2.5, 97.5], axis=0)
    each = [Share(*map(float, values)) for values in zip(found[0], low, high, strict=True)]
    nothing = Share(0.0, 0.0, 0.0)
    return {name: (each[2 * at], each[2 * at + 1]) for at, name in enumerate(names)} | {"moments": (each[-1], nothing)}


def _shares(switches: NDArray[np.bool_], means: NDArray[np.float64], noise: NDArray[np.float64]) -> NDArray[np.float64]:
    """In percent: by cause its own scatter and its shift, one after the other; last what is of moments."""
    coded = np.column_stack([np.ones(len(means)), np.where(switches, 1.0, -1.0)])
    effects = np.linalg.lstsq(coded, means, rcond=None)[0]
    squares = (means - coded @ effects) ** 2
    # How the variance itself depends on the causes: additive, as those of independent causes are.
    of_variance = np.linalg.lstsq(coded, squares, rcond=None)[0]
    all_on = max(float(of_variance.sum()), 1e-12)
    own, shift = 2 * of_variance[1:] / all_on, effects[1:] ** 2 / all_on
    return 100 * np.array([*np.column_stack([own, shift]).ravel(), noise.mean() / all_on])


def report(restarts: Sequence[Restart]) -> str:
    """The table, with how much restarts scatter."""
    found = shares(restarts)
    moments, _ = found.pop("moments")
    rows = [[name, *CAUSES[name], *map(str, found[name])] for name in found]
    rows.append(["the moments of a window", "", "", str(moments), "–"])
    head = ["cause", "on", "off", "own scatter, % of the variance", "shift, %"]
    spread = np.std([np.mean(each.log_ratios) for each in restarts], ddof=1)
    return f"{table(head, rows)}\n\n{len(restarts)} restarts, which scatter by {100 * spread:.2f}%."


def causes_of(plan: Plan) -> list[str]:
    """Those that can be switched for this stack on this machine."""
    condition, placement = plan.conditions[0], planned_placement(plan.experiment)
    can_swap = placement.disjoint and len(placement.server_cpus) == len(placement.load_cpus)
    has_database = condition.service.name != "none"
    left_out = {
        HASHES: condition.stack.language != "Python",
        PROCESSOR: has_database or not can_swap,  # the database would have to move with it
        DATABASE: not has_database,
    }
    return [name for name in CAUSES if not left_out.get(name)]


def switched(lab: Lab, number: int, switches: Mapping[str, bool], draw: random.Random) -> TrialContext:
    """The next start, with these causes on."""
    context = lab.context(number)
    condition, environment = context.condition, context.environment
    settings = dict(condition.variant.env)
    if HASHES in switches:
        settings["PYTHONHASHSEED"] = "random" if switches[HASHES] else "0"
    if not switches[ARENAS]:
        settings["MALLOC_ARENA_MAX"] = "1"
    if switches[PADDING]:
        settings["PADDING"] = "x" * draw.randrange(PADDING_BYTES)
    run = condition.stack.run if switches[ADDRESSES] else ["setarch", "-R", *condition.stack.run]
    if switches[PAGE_CACHE]:
        drop_from_memory(context.folder)
    if switches.get(DATABASE):
        environment.bring_back(context.service)
    variant = condition.variant.model_copy(update={"env": settings})
    stack = condition.stack.model_copy(update={"run": run})
    changed = replace(condition, stack=stack, variant=variant)
    return replace(context, trial=replace(context.trial, condition=changed), environment=environment)


@contextmanager
def on_drawn_processor(lab: Lab, swaps: bool) -> Iterator[None]:
    """The server on the load engine's processors, and the other way round, if it `swaps`."""
    environment = lab.workbench.services
    usual = environment.placement
    if swaps:
        exchanged = {"server_cpus": usual.load_cpus, "load_cpus": usual.server_cpus}
        environment.placement = usual.model_copy(update=exchanged)
    try:
        yield
    finally:
        environment.placement = usual


def drop_from_memory(folder: Path) -> None:
    """Tell the kernel that the files below a folder are not needed; those that are mapped stay."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def goodput(contender: UpContender, draw: int, seconds: float, warm_up: float = LEAD_SECONDS) -> float:
    """Verified answers per second in a short window."""
    context = contender.context
    lengths = {"warmup_seconds": warm_up, "warmup_limit_seconds": warm_up, "duration_seconds": seconds}
    load = context.condition.load.single_run().model_copy(update=lengths)
    summary = run_once(context, contender.deployment, load, draw=draw)
    context.engine_runs.clear()
    return summary.verified / summary.window_seconds


def restarted(
    lab: Lab, reference: UpContender, number: int, causes: Sequence[str], options: argparse.Namespace
) -> Restart:
    """One restart, measured in rounds; in each, who comes first is drawn. A round without an answer is left out."""
    draw = random.Random()  # noqa: S311 (switches, not secrets)
    switches = {name: draw.random() < 0.5 for name in causes}
    swaps = bool(switches.get(PROCESSOR)) and draw.random() < 0.5
    log_ratios = []
    with on_drawn_processor(lab, swaps), up(switched(lab, number, switches, draw)) as contender:
        goodput(contender, 0, options.seconds, WARM_UP_SECONDS)
        for place in range(1, options.rounds + 1):
            pair = [contender, reference]
            draw.shuffle(pair)
            rates = {id(each): goodput(each, place, options.seconds) for each in pair}
            if min(rates.values()) > 0:
                log_ratios.append(float(np.log(rates[id(contender)] / rates[id(reference)])))
    return Restart(switches, log_ratios)


@contextmanager
def prepared(plan: Plan, folder: Path) -> Iterator[Lab]:
    """Build the stack of a plan, and bring its service up; all of it ends at the end."""
    placement = planned_placement(plan.experiment)
    with (
        building(plan, folder / "logs", StepTimes(lambda _line: None)) as preparation,
        trial_environment(plan, placement) as services,
    ):
        yield Lab(next(plan.trials()), Workbench(preparation.ready_stacks(), services, folder))


def planned(stack: str, workload: str, service: str, connections: int) -> Plan:
    """A plan of one trial."""
    load = {"kind": "closed", "connections": connections}
    facts: dict[str, Any] = {"name": "noise", "title": "noise", "stacks": [stack], "blocks": 1, "load": load}
    experiment = Experiment.model_validate({**facts, "workload": workload, "service": service})
    return make_plan(experiment, find_stacks(), "benches/noise_causes.py")


def read(file: Path) -> list[Restart]:
    """The restarts so far, as far as their lines are whole."""
    lines = file.read_text().splitlines() if file.exists() else []
    return [Restart(**json.loads(line)) for line in lines if line.endswith("}")]


def main() -> None:
    """Restart until the time is over, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("noise-causes"), help="for restarts and logs")
    parser.add_argument("--minutes", type=float, default=60.0, help="0: only print what is there")
    parser.add_argument("--stack", default="python-fastapi")
    parser.add_argument("--workload", default="plaintext")
    parser.add_argument("--service", default="none")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=8, help="of each restart")
    parser.add_argument("--seconds", type=float, default=0.4, help="of a window")
    options = parser.parse_args()
    (options.folder / "logs").mkdir(parents=True, exist_ok=True)
    file = options.folder / f"{options.stack}-{options.workload}-{options.service}.jsonl"
    restarts = read(file)
    ends = time.monotonic() + 60 * options.minutes
    if options.minutes > 0:
        plan = planned(options.stack, options.workload, options.service, options.connections)
        beside = planned(options.stack, "plaintext", "none", options.connections)
        causes = causes_of(plan)
        with prepared(plan, options.folder) as lab, prepared(beside, options.folder) as other:
            first = other.context(0)
            with bound_to(first.lab_cpus), up(first) as reference, file.open("a") as lines:
                goodput(reference, 0, options.seconds, WARM_UP_SECONDS)
                while time.monotonic() < ends:
                    restart = restarted(lab, reference, len(restarts) + 1, causes, options)
                    if len(restart.log_ratios) < LEAST_ROUNDS:
                        continue
                    restarts.append(restart)
                    lines.write(json.dumps(vars(restart)) + "\n")
                    lines.flush()
    if len(restarts) > 2 * len(CAUSES):
        print(report(restarts))
    else:
        print(f"{len(restarts)} restarts: too few for a table")


if __name__ == "__main__":
    main()
