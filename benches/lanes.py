"""How long an experiment takes on 1, 2 and 4 lanes, each a worker of its own on this machine.

    python -m benches.lanes            # some minutes; prints tables

Its trials mostly wait: they are sent few requests a second, so that lanes on one machine do not wait for each other.
What is shown is how blocks are spread and what a lane costs, not what a server can do.
"""

import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from fairtrial.base.locations import cache_folder
from tests.cluster.clusters import Processes, running
from tests.command_line import Lab

LANES = (1, 2, 4)
BLOCKS = 8
OPEN = """kind = "open"
rate_per_second = 20
connections = 2
warmup_seconds = 0.5
duration_seconds = {seconds}
timeout_seconds = 2.0"""
SECONDS = 5.0


def main() -> None:
    """Run it on each number of lanes, and print the table."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        processes = Processes(folder / "cluster", environment={"FAIRTRIAL_LOCKS": str(folder)})
        processes.folder.mkdir()
        (folder / "lab").mkdir()
        lab = Lab(folder / "lab", cache_folder())
        stacks = [lab.stack("one"), lab.stack("two")]
        with running(processes):
            processes.start_scheduler()
            for _ in range(max(LANES)):
                processes.start_worker("server=1 load=1")
            processes.wait_for_workers(max(LANES))
            for lanes in LANES:
                rows.append(_row(lab, stacks, processes.address, lanes))
    print(_table(rows))


def _row(lab: Lab, stacks: Sequence[str], address: str, lanes: int) -> dict[str, object]:
    file = lab.experiment(*stacks, blocks=BLOCKS, seconds=SECONDS, load=OPEN)
    began = time.monotonic()
    options = ("--cluster", address, "--lanes", str(lanes))
    finished = lab.fairtrial("run", file, *lab.named(*stacks), *options, timeout_seconds=900)
    took = time.monotonic() - began
    results = max((lab.folder / "results").glob("*"), key=lambda path: path.stat().st_mtime)
    trials = [json.loads(line) for line in (results / "record.jsonl").read_text().splitlines()[1:]]
    blocks: dict[int, list[int]] = {}
    for trial in trials:
        blocks.setdefault(trial["lane"], [])
        if trial["block"] not in blocks[trial["lane"]]:
            blocks[trial["lane"]].append(trial["block"])
    ran = [time.mktime(time.strptime(trial["started_at"][:19], "%Y-%m-%dT%H:%M:%S")) for trial in trials]
    return {
        "lanes": lanes,
        "status": finished.status,
        "whole_seconds": round(took, 1),
        "trials_seconds": round(max(ran) - min(ran) + sum(trials[-1]["stage_seconds"].values()), 1),
        "blocks": {lane: sorted(its) for lane, its in sorted(blocks.items())},
    }


def _table(rows: Sequence[dict[str, object]]) -> str:
    lines = [
        "| lanes | whole run, s | from the first trial's start to the end of the last, s | blocks by lane |",
        "| --- | --- | --- | --- |",
    ]
    for row in rows:
        blocks = row["blocks"]
        assert isinstance(blocks, dict)
        listed = "; ".join(f"{lane}: {', '.join(map(str, its))}" for lane, its in blocks.items())
        lines.append(f"| {row['lanes']} | {row['whole_seconds']} | {row['trials_seconds']} | {listed} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
