"""The lab of a lane: a process on the server's host that is told blocks, and tells of trials."""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from fairtrial.lab.conduct import PreparedLab, made_ready
from fairtrial.lab.exclusive import processors_held
from fairtrial.lab.lanes.lane_hosts import LaneHosts, lane_hosts_of
from fairtrial.lab.lanes.messages import Channel
from fairtrial.lab.lanes.remote_host import HostLost
from fairtrial.lab.lanes.task import LaneTask, plan_of
from fairtrial.lab.placement import placed_for
from fairtrial.lab.trial.events import TrialBegins
from fairtrial.plan.plan import Plan
from fairtrial.record.model import Failure, TrialRecord

MOST_LOG_BYTES = 1 << 18
"""Of a stack's log, as it is sent: its end."""


def serve(task: LaneTask, credentials: Mapping[str, str], channel: Channel) -> None:
    """Do a task, block by block, until the messages end.

    Args:
        credentials: by which the scheduler lets this lab in, as `security_of` takes them.
    """
    blocks = channel.commands()
    with (
        channel.telling_the_end("its lab was interrupted on its host"),
        tempfile.TemporaryDirectory(prefix="fairtrial-lane-") as results,
        lane_hosts_of(task, credentials, channel.step) as hosts,
    ):
        _try_blocks(task, hosts, Path(results), channel, blocks)


def _try_blocks(task: LaneTask, hosts: LaneHosts, results: Path, channel: Channel, blocks: Iterator[int]) -> None:
    plan = plan_of(task.plan)
    (results / "logs").mkdir(mode=0o700)
    with (
        processors_held(task.held_cpus[task.lane.server.address], channel.step, wait=task.wait),
        made_ready(
            plan, placed_for(plan.experiment, task.placement), results, channel.on, trial_hosts=hosts.trial_hosts(task)
        ) as ready,
    ):
        hosts.assert_connected()
        channel.send("ready", ready.record)
        for block in blocks:
            for record in _trials(task, plan, block, ready, hosts, channel):
                channel.send("trial", record, _end_of_log(results, record))
            hosts.assert_connected()
            channel.send("block")


def _trials(
    task: LaneTask, plan: Plan, block: int, ready: PreparedLab, hosts: LaneHosts, channel: Channel
) -> Iterator[TrialRecord]:
    for trial in plan.trials():
        if trial.block != block:
            continue
        channel.on(TrialBegins(trial))
        record = ready.run(trial)
        record.lane = task.lane.number
        if record.failure is not None:
            try:
                hosts.assert_connected()
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
