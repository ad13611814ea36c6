"""What hold audits cost an honest contender: pairs of runs of one block, one with a hold audit and one without.

`.venv/bin/python -m benches.holds --folder DIR` prints, for each figure, the median over pairs of with ÷ without, with
its 95% interval. A hold audit has a load of its own: the intervals are to hold 1. Run nothing else meanwhile.
"""

import argparse
import json
import random
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median

import numpy as np

from fairtrial.judge.statistics.median import median_interval

EXPERIMENT = """
name = "holds-{kind}"
title = "What a hold audit costs: {kind}"
workload = "{workload}"
service = "{service}"
stacks = ["{stack}"]
blocks = 1
hold_audit = "{kind}"
crash_audit = "none"
[load]
kind = "closed"
connections = 64
warmup_seconds = 0.5
duration_seconds = {seconds}
"""


def figures(folder: Path, kind: str, options: argparse.Namespace) -> dict[str, float]:
    """Those of the trial of one run; the seconds of its stages as well."""
    file = folder / f"holds-{kind}.toml"
    file.write_text(EXPERIMENT.format(kind=kind, **vars(options)))
    command = [sys.executable, "-m", "fairtrial", "run", str(file), "--out", str(folder)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False, timeout=600)
    latest = max(folder.glob(f"holds-{kind}-2*/record.jsonl"))
    trial = json.loads(latest.read_text().splitlines()[1])
    engine, holds = trial["engine"], trial["holds"]
    assert holds["is_drawn"] == (kind == "all") and not (kind == "all" and holds["why_not"]), holds
    percentiles = engine["response_time"]["percentiles"]
    return {
        "goodput": engine["verified"] / engine["window_seconds"],
        **{f"p{name}": percentiles[name] for name in ("50", "99", "99.9")},
        "max": engine["response_time"]["max_seconds"],
        "seconds of all stages": sum(trial["stage_seconds"].values()),
    }


def main() -> None:
    """Run the pairs, in an order that is drawn for each, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("holds"), help="for results")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each window")
    parser.add_argument("--workload", default="random-item")
    parser.add_argument("--service", default="postgresql")
    parser.add_argument("--stack", default="go-nethttp")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    ratios: dict[str, list[float]] = defaultdict(list)
    for _ in range(options.pairs):
        kinds = random.sample(["all", "none"], 2)
        pair = {kind: figures(options.folder, kind, options) for kind in kinds}
        for name, figure in pair["all"].items():
            ratios[name].append(figure / pair["none"][name])
    for name, values in ratios.items():
        interval = median_interval(np.array(values))
        low_high = "" if interval is None else f" ({interval[0]:.4f} to {interval[1]:.4f})"
        print(f"{name}: {median(values):.4f}{low_high}, {len(values)} pairs")


if __name__ == "__main__":
    main()
