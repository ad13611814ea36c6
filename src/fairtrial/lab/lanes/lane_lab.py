"""The lab of a lane: a process on the server's host that is told blocks line by line, and tells records line by line.

It ends when its input ends, whatever it is at: then the lab that started it is gone, or a connection between them.
"""

import json
import queue
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.lab.conduct import PreparedLab, made_ready
from fairtrial.lab.exclusive import processors_held
from fairtrial.lab.lanes.host_lost import HostLost
from fairtrial.lab.lanes.input import hand_on, serve_standard_streams
from fairtrial.lab.lanes.lane_hosts import LaneHosts, lane_hosts_of
from fairtrial.lab.lanes.messages import Mouth, end_of_log
from fairtrial.lab.lanes.task import LaneTask, plan_of
from fairtrial.lab.placement import placed_for
from fairtrial.lab.trial.events import TrialBegins
from fairtrial.plan.plan import Plan
from fairtrial.record.model import Failure, TrialRecord


def serve(lines: IO[str], out: IO[str]) -> None:
    """Do a task, block by block, until the lines end.

    Args:
        lines: the certificates with which the scheduler lets this lab in, the task, and blocks.
    """
    mouth = Mouth(out)
    credentials: dict[str, str] = json.loads(lines.readline())
    task = LaneTask.model_validate_json(lines.readline())
    blocks: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    _take_lines(lines, blocks)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="fairtrial-lane-") as results,
            lane_hosts_of(task, credentials, mouth.step) as hosts,
        ):
            _try_blocks(task, hosts, Path(results), mouth, blocks)
    except HostLost as error:
        remedy = "see whether its host can be reached; start the worker again, and then run again"
        mouth.problem(Problem(str(error), remedy, NOTHING_RAN))
    except Problem as problem:
        mouth.problem(problem)
    except KeyboardInterrupt:
        mouth.say("interrupted")


def _try_blocks(
    task: LaneTask, hosts: LaneHosts, results: Path, mouth: Mouth, blocks: "queue.SimpleQueue[int | None]"
) -> None:
    plan = plan_of(task.plan)
    (results / "logs").mkdir(mode=0o700)
    with (
        processors_held(task.held_cpus, mouth.step, wait=task.wait),
        made_ready(
            plan, placed_for(plan.experiment, task.placement), results, mouth.on, site=hosts.site(task)
        ) as ready,
    ):
        hosts.assert_there()
        mouth.say("ready", record=ready.record.model_dump_json())
        while (block := blocks.get()) is not None:
            for record in _trials(task, plan, block, ready, hosts, mouth):
                mouth.say("trial", record=record.model_dump_json(), log=end_of_log(results, record))
            hosts.assert_there()
            mouth.say("block", number=block)


def _trials(
    task: LaneTask, plan: Plan, block: int, ready: PreparedLab, hosts: LaneHosts, mouth: Mouth
) -> Iterator[TrialRecord]:
    for trial in plan.trials():
        if trial.block != block:
            continue
        mouth.on(TrialBegins(trial))
        record = ready.run(trial)
        record.lane = task.lane
        if record.failure is not None:
            try:
                hosts.assert_there()
            except HostLost as error:
                record.failure = Failure(
                    stage="host", reason=str(error), remedy="start its worker again, and run the experiment again"
                )
                yield record
                raise
        yield record


def _take_lines(lines: IO[str], blocks: "queue.SimpleQueue[int | None]") -> None:
    """Have the numbers of blocks put into the queue, and None at the end."""

    def on_line(line: str | None) -> None:
        if line is None:
            blocks.put(None)
        elif line.startswith("block "):
            blocks.put(int(line.removeprefix("block ")))

    hand_on(lines, on_line)


def main() -> None:
    """Serve standard input and output."""
    serve_standard_streams(serve)
