"""Whether a cluster adds noise: A/A trials with and without it, in alternation on the same processors.

    .venv/bin/python -m benches.cluster_noise      # some ten minutes; prints tables

One stack is tried under two names in each block. A run in which the lab starts everything itself, and one on a lane of
a Dask cluster, take turns; scheduler and worker run on this machine, and the worker has both roles, so that processors
are shared out alike. Run nothing else meanwhile.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, stdev

import psutil

from fairtrial.judge.statistics.distributions import f_quantile
from fairtrial.judge.statistics.estimate import paired_ratio
from tests.cluster.clusters import Processes, running

EXPERIMENT = """
name = "noise"
title = "The same stack twice"
workload = "plaintext"
stacks = ["{stack}"]
noise_floor = true
blocks = {blocks}
seed = {seed}
[load]
kind = "closed"
connections = 16
warmup_seconds = 1.0
duration_seconds = {seconds}
"""
RUN_WITHIN_SECONDS = 900.0
LEVEL = 0.95


@dataclass
class Side:
    """What was measured with a cluster, or without one."""

    title: str
    options: Sequence[str]
    """of `fairtrial run`"""
    goodput: list[tuple[float, float]] = field(default_factory=list)
    """of the stack under both names, verified answers per second, for each block with two valid trials"""
    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    """of all stages of all trials"""

    @property
    def log_ratios(self) -> list[float]:
        """Of the second to the first: noise alone."""
        return [math.log(second / first) for first, second in self.goodput]

    def add(self, results: Path) -> None:
        """Read a run."""
        result = json.loads((results / "result.json").read_text())
        trials = [{trial["block"]: trial for trial in condition["trials"]} for condition in result["conditions"]]
        self.outcomes.update(trial["outcome"] for by_block in trials for trial in by_block.values())
        first, second = trials
        for block in first.keys() & second.keys():
            pair = [
                trial["goodput"]["per_second"] for trial in (first[block], second[block]) if trial["outcome"] == "valid"
            ]
            if len(pair) == 2:
                self.goodput.append((pair[0], pair[1]))
        for line in (results / "record.jsonl").read_text().splitlines()[1:]:
            self.seconds += sum(json.loads(line).get("stage_seconds", {}).values())


def main() -> None:
    """Run both in turn, and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4, help="runs of each kind (default: 4)")
    parser.add_argument("--blocks", type=int, default=6, help="blocks of a run, of two trials each (default: 6)")
    parser.add_argument("--seconds", type=float, default=3.0, help="of a trial's window (default: 3)")
    parser.add_argument("--stack", default="go-nethttp", help="the stack that is tried (default: go-nethttp)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cluster = Processes(folder / "cluster", environment={"FAIRTRIAL_LOCKS": str(folder)})
        cluster.folder.mkdir()
        with running(cluster):
            cluster.start_scheduler()
            worker = cluster.start_worker("server=1 load=1")
            cluster.wait_for_workers(1)
            alone, on_lane = Side("without", ()), Side("on a lane", ("--cluster", cluster.address))
            quiet = {"scheduler": psutil.Process(cluster.scheduler.pid), "worker": psutil.Process(worker.pid)}
            used = dict.fromkeys(quiet, 0.0)
            for number in range(options.rounds):
                # Each goes first in half of the rounds.
                for side in (alone, on_lane) if number % 2 == 0 else (on_lane, alone):
                    before = {each: _cpu_seconds(process) for each, process in quiet.items()}
                    side.add(_run(folder / f"{number}-{len(side.options)}", side.options, number, options))
                    if side is on_lane:
                        for each, process in quiet.items():
                            used[each] += _cpu_seconds(process) - before[each]
                    print(f"round {number + 1}, {side.title}: {len(side.goodput)} pairs so far", flush=True)
    print(_report(alone, on_lane))
    for each, seconds in used.items():
        share = seconds / on_lane.seconds
        print(f"{each}: {share:.2%} of a processor in runs on the lane, starts and ends of trials included")


def _cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _run(folder: Path, more: Sequence[str], seed: int, options: argparse.Namespace) -> Path:
    """Run it once, and return the folder of its results."""
    folder.mkdir()
    file = folder / "noise.toml"
    file.write_text(EXPERIMENT.format(stack=options.stack, blocks=options.blocks, seed=seed, seconds=options.seconds))
    command = [sys.executable, "-m", "fairtrial", "run", str(file), "--out", str(folder), *more]
    environment = {**os.environ, "FAIRTRIAL_LOCKS": str(folder)}
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_WITHIN_SECONDS,
        check=False,
    )
    results = next(folder.glob("*/result.json"), None)
    if results is None:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return results.parent


def _report(alone: Side, on_lane: Side) -> str:
    lines = [
        "| | trials | pairs | goodput/s, median | A/A ratio (95% interval) | scatter of log ratios, sd |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for side in (alone, on_lane):
        ratio = paired_ratio([second for _, second in side.goodput], [first for first, _ in side.goodput], LEVEL)
        interval = "–" if ratio.interval is None else f"{ratio.interval[0]:.3f} to {ratio.interval[1]:.3f}"
        outcomes = ", ".join(f"{number} {outcome}" for outcome, number in side.outcomes.items())
        pace = median(each for pair in side.goodput for each in pair)
        spread = stdev(side.log_ratios)
        lines.append(
            f"| {side.title} | {outcomes} | {len(side.goodput)} | {pace:,.0f} | {ratio.estimate:.3f} ({interval}) "
            f"| {spread:.2%} |"
        )
    # The ratio of two variances of normal samples over its true value has an F distribution.
    degrees = len(on_lane.goodput) - 1, len(alone.goodput) - 1
    of_spread = stdev(on_lane.log_ratios) / stdev(alone.log_ratios)
    low, high = (of_spread / math.sqrt(f_quantile(p, *degrees)) for p in ((1 + LEVEL) / 2, (1 - LEVEL) / 2))
    return "\n".join(
        [*lines, "", f"Scatter on the lane over that without: {of_spread:.2f} (95% interval {low:.2f} to {high:.2f})."]
    )


if __name__ == "__main__":
    main()
