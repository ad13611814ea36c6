"""A lane as the lab here sees it: what it is at, and what came of it."""

import queue
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster, RemoteProgram
from fairtrial.cluster.lab import Message, start_lab
from fairtrial.lab.lanes.task import LaneTask
from fairtrial.record.model import ExperimentRecord, LaneHost

Inbox = queue.SimpleQueue[tuple[int, Message]]
"""Messages of all lanes, each with the lane's number."""

State = Literal["preparing", "free", "busy", "left out", "ended"]


@dataclass
class RemoteLane:
    """One lane, and its lab on the server's host."""

    task: LaneTask
    hosts: Sequence[LaneHost]
    lab: RemoteProgram
    state: State = "preparing"
    record: ExperimentRecord | None = None
    """what its lab would have written first"""
    block: int = 0
    """that it is at"""
    index: int = 0
    """of the trial that it is at; 0: at none"""
    problem: Problem | None = None
    """why it was left out"""

    @property
    def number(self) -> int:
        """From 1."""
        return self.task.lane

    def take_record(self, text: str) -> None:
        """Take what its lab would have written first."""
        self.record = ExperimentRecord.model_validate_json(text)

    def try_block(self, number: int) -> None:
        """Have a block tried."""
        self.state, self.block, self.index = "busy", number, 0
        self.lab.say(f"block {number}")


def started_lane(cluster: Cluster, server: str, task: LaneTask, hosts: Sequence[LaneHost], inbox: Inbox) -> RemoteLane:
    """Start the lab of a lane on the host of the worker `server`; its messages go into the inbox."""
    lab = start_lab(cluster, server, "lane", task.model_dump_json(), lambda message: inbox.put((task.lane, message)))
    return RemoteLane(task, hosts, lab)
