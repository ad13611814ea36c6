"""The lab of a lane: a trial that a lost host spoilt is no contender's fault, whoever notices the loss first."""

import io
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.engine import RemoteEngine
from fairtrial.cluster.programs import from_line
from fairtrial.lab.conduct import PreparedLab
from fairtrial.lab.lanes.lane_lab import LaneHosts, trials_of_block
from fairtrial.lab.lanes.load_hosts import LoadHosts
from fairtrial.lab.lanes.messages import Channel
from fairtrial.lab.lanes.remote_host import HostLost
from fairtrial.plan.plan import Plan
from fairtrial.record.model import Failure, TrialRecord
from tests.builders import a_trial

LOAD_HOST = "tcp://10.0.0.1:1"
BLOCK = [SimpleNamespace(index=index, block=1) for index in (1, 2)]
PLAN = cast("Plan", SimpleNamespace(trials=lambda: [*BLOCK, SimpleNamespace(index=3, block=2)]))


MEASURED = a_trial().record()
FAILED = MEASURED.model_copy(
    update={"engine": None, "failure": Failure(stage="load", reason="the engine ended", remedy="run again")}
)
BROKEN = MEASURED.model_copy(update={"engine": None})


class SomeCluster:
    """A cluster with one worker, which may be cut off: its scheduler does not know that yet."""

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    def workers(self) -> dict[str, Any]:
        return {LOAD_HOST: {"resources": {"load": 1}}}

    def call(self, *_: Any) -> Any:
        if self._error is not None:
            raise self._error


def tried(error: Exception | None, record: TrialRecord) -> tuple[list[TrialRecord], list[int], str]:
    """The records of a block whose trials all end so; those that began; and why it was not tried to its end."""
    out, lost = io.StringIO(), ""
    channel, ready = Channel(io.StringIO(), out), SimpleNamespace(run=lambda _trial: record.model_copy())
    cluster = cast("Cluster", SomeCluster(error))
    hosts = LaneHosts(cluster, LoadHosts([RemoteEngine(cluster, LOAD_HOST, "engine")]))
    records: list[TrialRecord] = []
    try:
        for each in trials_of_block(PLAN, 1, cast("PreparedLab", ready), hosts, channel):
            records.append(each)
    except HostLost as error:
        lost = error.reason
    return records, [from_line(line)[1] for line in out.getvalue().splitlines()], lost


@pytest.mark.parametrize(
    "error", [Problem(f"the worker at {LOAD_HOST} did not answer within 30 s"), OSError("timed out trying to connect")]
)
@pytest.mark.parametrize(
    "record",
    [
        FAILED,
        # Nor does a contract say anything that was broken while its database could not be reached.
        BROKEN,
    ],
)
def test_a_host_is_lost_before_its_scheduler_knows(error: Exception, record: TrialRecord) -> None:
    """Once, such a trial was refused as its contender's fault, and the next one was tried."""
    records, began, lost = tried(error, record)
    (failure,) = (each.failure for each in records)
    assert failure is not None and failure.stage == "host" and failure.reason == lost and began == [1]
    assert "the load host is lost: " in lost


def test_what_was_measured_before_the_loss_stays() -> None:
    records, began, lost = tried(Problem("it does not answer"), MEASURED)
    assert records == [MEASURED] and began == [1] and lost


@pytest.mark.parametrize("record", [MEASURED, FAILED, BROKEN])
def test_with_all_hosts_there_a_failure_is_what_it_is(record: TrialRecord) -> None:
    assert tried(None, record) == ([record, record], [1, 2], "")
