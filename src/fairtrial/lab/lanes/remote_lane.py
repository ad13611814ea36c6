"""Lanes as the lab here sees them: what each is at, what came of it, and the first line of the record of all."""

import queue
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fairtrial.base.problem import Problem
from fairtrial.cluster.lab import Message, RemoteLab
from fairtrial.lab.trial.flow import timestamp
from fairtrial.plan.plan import Plan
from fairtrial.record.calibration import Calibration
from fairtrial.record.lanes import LaneHost, LaneRecord
from fairtrial.record.model import ExperimentRecord

Inbox = queue.SimpleQueue[tuple[int, Message]]
"""Messages of all lanes, each with the lane's number."""

State = Literal["preparing", "free", "busy", "left out"]


@dataclass
class RemoteLane:
    """One lane, and its lab on the server's host."""

    number: int
    """from 1"""
    hosts: Sequence[LaneHost]
    lab: RemoteLab
    state: State = "preparing"
    record: ExperimentRecord | None = None
    """what its lab would have written first"""
    block: int = 0
    """that it is at"""
    index: int = 0
    """of the trial that it is at; 0: at none"""
    problem: Problem | None = None
    """why it was left out"""

    def try_block(self, number: int) -> None:
        """Have a block tried."""
        self.state, self.block, self.index = "busy", number, 0
        self.lab.send(number)


def first_line_of_lanes(plan: Plan, lanes: Sequence[RemoteLane], earlier: int) -> ExperimentRecord:
    """The record's line for the experiment: that of the first lane that is ready, with what differs by lane."""
    ready = [(lane, lane.record) for lane in lanes if lane.state == "free" and lane.record is not None]
    first = ready[0][1]
    return first.model_copy(
        update={
            "started_at": timestamp(),
            "earlier_runs": earlier,
            "spare_blocks": plan.spare_blocks,
            "looks_from_clock": False,  # blocks side by side do not say how long one more takes
            "ends_in_time": False,
            "calibrations": list(_lowest([each for _, record in ready for each in record.calibrations])),
            "lanes": [
                LaneRecord(
                    number=lane.number,
                    hosts=list(lane.hosts),
                    host=record.host,
                    placement=record.placement,
                    idle=record.idle,
                    calibrations=record.calibrations,
                    services=record.services,
                )
                for lane, record in ready
            ],
        }
    )


def differences(first: RemoteLane, other: RemoteLane) -> list[str]:
    """The programs, with their versions, that another lane has and the first has not: they would be a part of every
    figure."""
    own, others = first.record, other.record
    assert own is not None and others is not None
    reasons = []
    for a, b in zip(own.stacks, others.stacks, strict=True):
        if (a.content_sha256, a.versions) != (b.content_sha256, b.versions):
            reasons.append(f"{b.name} is built by {b.versions or 'nothing'}, not {a.versions or 'nothing'}")
    products = {each.name: each.product for each in own.services}
    reasons += [
        f"{each.name} is {each.product}, not {products[each.name]}"
        for each in others.services
        if products.get(each.name, each.product) != each.product
    ]
    return reasons


def _lowest(calibrations: Sequence[Calibration]) -> Iterator[Calibration]:
    """For each load, the calibration with the lowest ceiling."""
    by_load: dict[tuple[object, ...], Calibration] = {}
    for each in calibrations:
        key = (each.connections, each.keep_alive, each.threads, each.rate_per_second, each.wait)
        if key not in by_load or each.ceiling_per_second < by_load[key].ceiling_per_second:
            by_load[key] = each
    yield from by_load.values()
