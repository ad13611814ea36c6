"""The lab of a lane: a process on the server's host that is told blocks line by line, and tells records line by line.

It ends when its input ends, whatever it is at: then the lab that started it is gone, or a connection between them.
"""

import os
import queue
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.lab.conduct import Ready, made_ready
from fairtrial.lab.exclusive import processors_held
from fairtrial.lab.lanes.load_hosts import LoadHosts, LoadLost, load_hosts_of
from fairtrial.lab.lanes.messages import Mouth, end_of_log
from fairtrial.lab.lanes.task import LaneTask, plan_of
from fairtrial.plan.plan import Plan
from fairtrial.record.model import Failure, TrialRecord

STOP = "stop"
"""The line by which a trial under way is given up, as its user wants it."""
ENDS_WITHIN_SECONDS = 20.0
"""A stack and a database have their times of grace. What is left then, the guards end when this process does."""


def serve(lines: IO[str], out: IO[str]) -> None:
    """Do the task that the first line is, block by block as the lines after it say, until they end."""
    mouth = Mouth(out)
    task = LaneTask.model_validate_json(lines.readline())
    blocks: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(lines, blocks), daemon=True).start()
    try:
        with tempfile.TemporaryDirectory(prefix="fairtrial-lane-") as results, load_hosts_of(task) as hosts:
            _try_blocks(task, hosts, Path(results), mouth, blocks)
    except LoadLost as error:
        remedy = "see whether its host can be reached; start the worker again, and then run again"
        mouth.problem(Problem(str(error), remedy, NOTHING_RAN))
    except Problem as problem:
        mouth.problem(problem)
    except KeyboardInterrupt:
        mouth.say("interrupted")


def _try_blocks(
    task: LaneTask, hosts: LoadHosts, results: Path, mouth: Mouth, blocks: "queue.SimpleQueue[int | None]"
) -> None:
    plan = plan_of(task.plan)
    (results / "logs").mkdir(mode=0o700)
    with (
        processors_held(task.held_cpus, mouth.step, wait=task.wait),
        made_ready(plan, task.placement, results, mouth, site=hosts.site(task)) as ready,
    ):
        hosts.assert_there()
        mouth.say("ready", record=ready.record.model_dump_json())
        while (block := blocks.get()) is not None:
            for record in _trials(task, plan, block, ready, hosts, mouth):
                mouth.say("trial", record=record.model_dump_json(), log=end_of_log(results, record))
            hosts.assert_there()
            mouth.say("block", number=block)


def _trials(
    task: LaneTask, plan: Plan, block: int, ready: Ready, hosts: LoadHosts, mouth: Mouth
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
            except LoadLost as error:
                record.failure = Failure(
                    stage="host", reason=str(error), remedy="start its worker again, and run the experiment again"
                )
                yield record
                raise
        yield record


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
