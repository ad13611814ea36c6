"""Percentiles of six stacks in slices, and in whole trials: pairs of runs in alternation.

`.venv/bin/python -m benches.tails --folder DIR --minutes 60` prints, for each stack, the median over pairs of the
figure in slices ÷ that of a whole trial, with its 95% interval: p50 of the slices; p99 and the longest of the whole
windows that trials in slices have for their tails; and the p99 of the slices themselves, which is in no report. Each
pair is a line of a file in the folder, so that a run goes on where an earlier one ended; `--minutes 0` only prints.
Run nothing else meanwhile.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benches.document import table
from fairtrial.judge.statistics.median import median_interval

STACKS = ("python-fastapi", "python-flask", "node-http", "go-nethttp", "rust-axum", "ruby-threads")
FIGURES = ("p50", "p99", "longest", "p99 of the slices")
WITHIN_SECONDS = 1200
EXPERIMENT = """
name = "tails-{kind}"
title = "Percentiles: {kind}"
workload = "plaintext"
stacks = {stacks}
blocks = 1
{slices}
[load]
kind = "closed"
connections = {connections}
warmup_seconds = {warmup}
duration_seconds = {seconds}
"""
SLICES = {"slices": "slices = { tails = true, server_share = 1.0, engine_share = 1.0 }", "whole": ""}
"""Nothing is left out, as nothing else runs."""

Figures = dict[str, dict[str, float]]
"""By stack, by the name of the figure; times in seconds."""


def figures(record: Sequence[Mapping[str, Any]]) -> Figures:
    """Those of the trials of one run that have any."""
    found = {}
    for trial in record:
        engine, slices = trial["engine"], trial["slices"]
        tails = engine if slices is None else (slices["whole_window"] or {}).get("engine")
        if engine is None or tails is None:
            continue
        of_slices, of_tails = engine["response_time"], tails["response_time"]
        values = (
            of_slices["percentiles"]["50"],
            of_tails["percentiles"]["99"],
            of_tails["max_seconds"],
            of_slices["percentiles"]["99"],
        )
        found[trial["condition"].partition("/")[0]] = dict(zip(FIGURES, values, strict=True))
    return found


def run(kind: str, options: argparse.Namespace) -> Figures:
    """The figures of one run of one block."""
    file = options.folder / f"tails-{kind}.toml"
    stacks = json.dumps(options.stacks)
    lengths = {"connections": options.connections, "warmup": options.warmup, "seconds": options.seconds}
    file.write_text(EXPERIMENT.format(kind=kind, stacks=stacks, slices=SLICES[kind], **lengths))
    command = [sys.executable, "-m", "fairtrial", "run", str(file), "--out", str(options.folder)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False, timeout=WITHIN_SECONDS)
    latest = max(options.folder.glob(f"tails-{kind}-2*/record.jsonl"))
    return figures([json.loads(line) for line in latest.read_text().splitlines()[1:]])


def report(pairs: Sequence[Mapping[str, Figures]]) -> str:
    """A row for each stack: the ratios, and what the figures of whole trials are."""
    rows = []
    for stack in dict.fromkeys(name for pair in pairs for name in pair["whole"]):
        both = [pair for pair in pairs if stack in pair["whole"] and stack in pair["slices"]]
        cells = [
            _ratio([pair["slices"][stack][name] / pair["whole"][stack][name] for pair in both]) for name in FIGURES
        ]
        whole = [1e3 * median(pair["whole"][stack][name] for pair in both) for name in FIGURES[:3]] if both else []
        rows.append([stack, ", ".join(f"{each:.3g}" for each in whole), *cells, str(len(both))])
    head = ["stack", "p50, p99, longest of whole trials, ms", *(f"{name}, slices ÷ whole" for name in FIGURES), "pairs"]
    return table(head, rows)


def _ratio(values: Sequence[float]) -> str:
    if not values:
        return "–"
    interval = median_interval(np.log(np.array(values)))
    low_high = "" if interval is None else " ({:.2f} to {:.2f})".format(*np.exp(interval))
    return f"{median(values):.2f}{low_high}"


def read(file: Path) -> list[dict[str, Figures]]:
    """The pairs so far, as far as their lines are whole."""
    lines = file.read_text().splitlines() if file.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}}}")]


def main() -> None:
    """Run pairs until the time is over, in an order that is drawn for each, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("tails"), help="for results")
    parser.add_argument("--minutes", type=float, default=60.0, help="0: only print what is there")
    parser.add_argument("--stacks", nargs="+", default=list(STACKS))
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--warmup", type=float, default=2.0, help="seconds")
    parser.add_argument("--seconds", type=float, default=4.8, help="of each window, and of all slices of a stack")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    file = options.folder / "pairs.jsonl"
    pairs = read(file)
    ends = time.monotonic() + 60 * options.minutes
    while time.monotonic() < ends:
        kinds = random.sample(list(SLICES), 2)
        pairs.append({kind: run(kind, options) for kind in kinds})
        with file.open("a") as lines:
            lines.write(json.dumps(pairs[-1]) + "\n")
    print(report(pairs))


if __name__ == "__main__":
    main()
