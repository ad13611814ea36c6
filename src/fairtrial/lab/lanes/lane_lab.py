"""The lab of a lane: a process on the server's host that is told blocks line by line, and tells records line by line.

It ends when its input ends, whatever it is at: then the lab that started it is gone, or a connection between them.
"""

import os
import queue
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster, connected
from fairtrial.cluster.engine import EngineThere, RemoteEngine, engine_there
from fairtrial.cluster.joint import JointEngines
from fairtrial.engine.plan import EnginePlan
from fairtrial.engine.process import EngineProcess, EngineStart, start_here
from fairtrial.lab.conduct import Ready, made_ready
from fairtrial.lab.exclusive import processors_held
from fairtrial.lab.lanes.messages import Mouth, end_of_log
from fairtrial.lab.lanes.task import LaneTask, plan_of
from fairtrial.lab.placement import Site
from fairtrial.plan.plan import Plan
from fairtrial.record.model import Failure, TrialRecord

STOP = "stop"
"""The line by which a trial under way is given up, as its user wants it."""
ENDS_WITHIN_SECONDS = 20.0
"""A stack and a database have their times of grace. What is left then, the guards end when this process does."""


class LoadLost(Exception):
    """A host that the load comes from is lost, so that no further trial can be tried on this lane."""


def serve(lines: IO[str], out: IO[str]) -> None:
    """Do the task that the first line is, block by block as the lines after it say, until they end."""
    mouth = Mouth(out)
    task = LaneTask.model_validate_json(lines.readline())
    blocks: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(lines, blocks), daemon=True).start()
    try:
        with tempfile.TemporaryDirectory(prefix="fairtrial-lane-") as results, _load_hosts(task) as hosts:
            _try_blocks(task, hosts, Path(results), mouth, blocks)
    except LoadLost as lost:
        remedy = "see whether its host can be reached; start the worker again, and then run again"
        mouth.problem(Problem(str(lost), remedy, NOTHING_RAN))
    except Problem as problem:
        mouth.problem(problem)
    except KeyboardInterrupt:
        mouth.say("interrupted")


def _try_blocks(
    task: LaneTask, hosts: "LoadHosts", results: Path, mouth: Mouth, blocks: "queue.SimpleQueue[int | None]"
) -> None:
    plan = plan_of(task.plan)
    (results / "logs").mkdir(mode=0o700)
    site = Site(task.host, hosts.start, hosts.start_at, task.lab_cpus)
    with (
        processors_held(task.held_cpus, mouth.step),
        made_ready(plan, task.placement, results, mouth, site=site) as ready,
    ):
        hosts.assert_there()
        mouth.say("ready", record=ready.record.model_dump_json())
        while (block := blocks.get()) is not None:
            for record in _trials(task, plan, block, ready, hosts, mouth):
                mouth.say("trial", record=record.model_dump_json(), log=end_of_log(results, record))
            hosts.assert_there()
            mouth.say("block", number=block)


def _trials(
    task: LaneTask, plan: Plan, block: int, ready: Ready, hosts: "LoadHosts", mouth: Mouth
) -> Iterator[TrialRecord]:
    for trial in plan.trials():
        if trial.block != block:
            continue
        mouth.trial_begins(trial)
        record = ready.run(trial)
        record.lane = task.lane
        if record.failure is not None:
            try:
                hosts.assert_there()
            except LoadLost as lost:
                record.failure = Failure(
                    stage="host", reason=str(lost), remedy="start its worker again, and run the experiment again"
                )
                yield record
                raise
        yield record


class LoadHosts:
    """The hosts that the load of a lane comes from."""

    def __init__(self, cluster: Cluster | None, there: Sequence[EngineThere], each: int) -> None:
        """Those of a cluster; without one, this host.

        Args:
            each: how many load processors there are on each.
        """
        self._cluster, self._there, self._each = cluster, there, each

    def start(self, plan: EnginePlan) -> EngineProcess:
        """Start one engine, or one on each host."""
        if self._cluster is None:
            return start_here(plan)
        if len(self._there) == 1:
            return RemoteEngine(self._cluster, self._there[0], plan).process
        return JointEngines(self._cluster, self._there, plan, []).process

    def start_at(self, place: int) -> EngineStart:
        """Start an engine on the host that has the load processor at this place."""
        if self._cluster is None:
            return start_here
        cluster, there = self._cluster, self._there[place // self._each]
        return lambda plan: RemoteEngine(cluster, there, plan).process

    def assert_there(self) -> None:
        """Raises LoadLost if one of them, or the scheduler, is lost."""
        if self._cluster is None:
            return
        try:
            known = self._cluster.workers()
        except Exception as error:  # whatever Dask says of a connection that is gone
            raise LoadLost(f"the lane's connection to the scheduler is lost: {error}") from error
        for engine in self._there:
            if engine.worker not in known:
                raise LoadLost(f"the load host's worker at {printable(engine.worker, 60)} is lost")


@contextmanager
def _load_hosts(task: LaneTask) -> Iterator[LoadHosts]:
    if not task.load_workers:
        yield LoadHosts(None, (), 1)
        return
    each = len(task.placement.load_cpus) // len(task.load_workers)
    with connected(task.scheduler, unencrypted=task.unencrypted) as cluster:
        yield LoadHosts(cluster, [engine_there(cluster, worker) for worker in task.load_workers], each)


def _listen(lines: IO[str], blocks: "queue.SimpleQueue[int | None]") -> None:
    """Hand blocks over; at the end of the input, end this process as Ctrl-C does, and then for good."""
    ends_orderly = False
    for line in lines:
        words = line.split()
        if words[:1] == ["block"]:
            blocks.put(int(words[1]))
        elif words == ["end"]:
            ends_orderly = True
            blocks.put(None)
        elif words == [STOP]:
            _interrupt()
    if not ends_orderly:
        _interrupt()
        threading.Event().wait(ENDS_WITHIN_SECONDS)
        os._exit(1)


def _interrupt() -> None:
    with suppress(OSError):
        os.kill(os.getpid(), signal.SIGINT)


def main() -> None:
    """Serve standard input and output, of which the second is the messages' alone."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the worker inherited
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin, out)
