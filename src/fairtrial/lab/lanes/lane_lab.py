"""The lab of a lane: a process on the server's host that is told blocks line by line, and tells records line by line.

It ends when its input ends, whatever it is at: then the lab that started it is gone, or a connection between them.
"""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from fairtrial.lab.conduct import PreparedLab, made_ready
from fairtrial.lab.exclusive import processors_held
from fairtrial.lab.lanes.lane_hosts import LaneHosts, lane_hosts_of
from fairtrial.lab.lanes.messages import MessageWriter, read_commands
from fairtrial.lab.lanes.remote_host import HostLost
from fairtrial.lab.lanes.task import LaneTask, plan_of
from fairtrial.lab.placement import placed_for
from fairtrial.lab.trial.events import TrialBegins
from fairtrial.plan.plan import Plan
from fairtrial.record.model import Failure, TrialRecord

MOST_LOG_BYTES = 1 << 18
"""Of a stack's log, as it is sent: its end."""


def serve(lines: IO[str], out: IO[str]) -> None:
    """Do a task, block by block, until the lines end.

    Args:
        lines: the certificates with which the scheduler lets this lab in, the task, and blocks.
    """
    writer = MessageWriter(out)
    credentials: dict[str, str] = json.loads(lines.readline())
    task = LaneTask.model_validate_json(lines.readline())
    commands = read_commands(lines)
    with (
        writer.saying_why(),
        tempfile.TemporaryDirectory(prefix="fairtrial-lane-") as results,
        lane_hosts_of(task, credentials, writer.step) as hosts,
    ):
        _try_blocks(task, hosts, Path(results), writer, commands)


def _try_blocks(
    task: LaneTask, hosts: LaneHosts, results: Path, writer: MessageWriter, commands: Iterator[str]
) -> None:
    plan = plan_of(task.plan)
    (results / "logs").mkdir(mode=0o700)
    with (
        processors_held(task.held_cpus, writer.step, wait=task.wait),
        made_ready(
            plan, placed_for(plan.experiment, task.placement), results, writer.on, site=hosts.site(task)
        ) as ready,
    ):
        hosts.assert_there()
        writer.say("ready", record=ready.record.model_dump_json())
        for command in commands:
            block = int(command.removeprefix("block "))
            for record in _trials(task, plan, block, ready, hosts, writer):
                writer.say("trial", record=record.model_dump_json(), log=_end_of_log(results, record))
            hosts.assert_there()
            writer.say("block", number=block)


def _trials(
    task: LaneTask, plan: Plan, block: int, ready: PreparedLab, hosts: LaneHosts, writer: MessageWriter
) -> Iterator[TrialRecord]:
    for trial in plan.trials():
        if trial.block != block:
            continue
        writer.on(TrialBegins(trial))
        record = ready.run(trial)
        record.lane = task.lane
        if record.failure is not None:
            try:
                hosts.assert_there()
            except HostLost as error:
                record.failure = Failure(
                    stage="host", reason=error.reason, remedy="start its worker again, and run the experiment again"
                )
                yield record
                raise
        yield record


def _end_of_log(results: Path, record: TrialRecord) -> str:
    """The end of a trial's log; empty if it has none."""
    if record.log is None:
        return ""
    with (results / record.log).open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - MOST_LOG_BYTES))
        return file.read().decode(errors="replace")
