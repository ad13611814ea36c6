"""From 1 to 1,000 lanes, simulated: the planner and the queue of `fairtrial run --cluster`, under a clock of its own.

    python -m benches.lanes_simulated            # seconds; prints tables

What is real: how workers are divided, how blocks are dealt, and what reading a trial's record and writing it costs the
lab, which is measured first. What is assumed: how long trials take, and what a message costs Dask's scheduler.
"""

import heapq
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from fairtrial.lab.lanes.block_queue import BlockQueue
from fairtrial.lab.lanes.divide import Worker, divide
from fairtrial.record.model import TrialRecord
from fairtrial.record.write import RecordWriter
from tests.builders import a_trial, an_experiment, trials_of

LANES = (1, 2, 4, 10, 30, 100, 300, 1000)
STACKS = 100
BLOCKS_EACH = 20
"""Of each lane: as in a run whose blocks are many beside its lanes. `STACKS` in 20 blocks in all is the other row."""
TRIAL_SECONDS, SCATTER = 10.0, 0.1
"""A trial of the shipped experiments, and the standard deviation of its logarithm between trials."""
MESSAGES = 12
"""Of a trial: that it begins, its stages, its record."""
SCHEDULER_SECONDS = 0.001
"""Of Dask's scheduler for a call and its answer: https://docs.dask.org/en/stable/best-practices.html gives 1 ms a task
as its overhead."""
MEASURED = 200


@dataclass(frozen=True)
class Row:
    """One simulated run."""

    lanes: int
    blocks: int
    divide_ms: float
    hours: float
    efficiency: float
    """the time that trials take, over lanes times the run's; 1: no lane is ever idle"""
    lab_share: float
    """of the time, in which the lab has a message to deal with"""
    scheduler_share: float


def main() -> None:
    """Measure, simulate, and print the tables."""
    lab_seconds = lab_seconds_of_trial()
    rows = [simulated(lanes, BLOCKS_EACH * lanes, lab_seconds) for lanes in LANES]
    fixed = [simulated(lanes, BLOCKS_EACH, lab_seconds) for lanes in (1, 2, 4, 10, 20, 40)]
    text = (
        f"A trial's record costs the lab {lab_seconds * 1e3:.2f} ms (median of {MEASURED}: read, checked, on disk).\n\n"
        f"{BLOCKS_EACH} blocks for each lane:\n\n{table(rows)}\n"
        f"{BLOCKS_EACH} blocks in all:\n\n{table(fixed)}"
    )
    print(text)


def lab_seconds_of_trial() -> float:
    """What one record costs the lab that collects it."""
    record = an_experiment("a").record()
    (trial,) = trials_of(record, a_trial())[:1]
    text = trial.model_dump_json()
    times = []
    with tempfile.TemporaryDirectory() as folder, RecordWriter(Path(folder)) as writer:
        for _ in range(MEASURED):
            began = time.perf_counter()
            writer.append(TrialRecord.model_validate_json(text))
            times.append(time.perf_counter() - began)
    return median(times)


def simulated(lanes: int, blocks: int, lab_seconds: float) -> Row:
    """A run: each lane tries its block, tells of its trials, and waits until the lab has read that."""
    workers = [Worker(f"tcp://10.0.{n // 250}.{n % 250}:1", ("server",), f"s{n}") for n in range(lanes)]
    workers += [Worker(f"tcp://10.1.{n // 250}.{n % 250}:1", ("load",), f"l{n}") for n in range(lanes)]
    began = time.perf_counter()
    division = divide(workers)
    divide_seconds = time.perf_counter() - began
    drawn = random.Random(1)  # noqa: S311 (times, not secrets)
    queue = BlockQueue([blocks])
    free = [lane.number for lane in division.lanes]
    ends: list[tuple[float, int, int]] = []
    now = lab_free_at = lab_busy = scheduler_busy = trying = 0.0
    while True:
        while free and (block := queue.next_block()) is not None:
            # A block's trials: told one after another, of which the last holds the lane up.
            seconds = sum(TRIAL_SECONDS * drawn.lognormvariate(0, SCATTER) for _ in range(STACKS))
            trying += seconds
            heapq.heappush(ends, (now + seconds, free.pop(0), block))
        if not ends:
            break
        ended, lane, block = heapq.heappop(ends)
        # What came of the other trials, spread over the block, has been dealt with in between.
        lab_busy += STACKS * lab_seconds
        scheduler_busy += STACKS * MESSAGES * SCHEDULER_SECONDS
        now = max(ended, lab_free_at) + lab_seconds + MESSAGES * SCHEDULER_SECONDS
        lab_free_at = now
        queue.end(block)
        free.append(lane)
    # Whoever has more to do than there is time decides how long the run takes.
    whole = max(now, lab_busy, scheduler_busy)
    return Row(
        lanes=lanes,
        blocks=blocks,
        divide_ms=divide_seconds * 1e3,
        hours=whole / 3600,
        efficiency=trying / (lanes * whole),
        lab_share=lab_busy / whole,
        scheduler_share=scheduler_busy / whole,
    )


def table(rows: Sequence[Row]) -> str:
    """Rows as Markdown."""
    lines = [
        "| lanes | blocks | dividing the workers, ms | hours | lanes at work | lab | Dask's scheduler |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row.lanes} | {row.blocks} | {row.divide_ms:.1f} | {row.hours:.2f} | {row.efficiency:.0%} | "
        f"{row.lab_share:.1%} | {row.scheduler_share:.1%} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
