"""An experiment on lanes: blocks are handed to lanes that are free, and what they tell becomes one record."""

import queue
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.private_file import opened_privately
from fairtrial.base.problem import Problem
from fairtrial.lab.conduct import Conducted
from fairtrial.lab.decide import WhenComplete, WhenDecided
from fairtrial.lab.lanes.block_queue import BlockQueue
from fairtrial.lab.lanes.messages import END, STOP
from fairtrial.lab.lanes.remote_host import RUN_AGAIN
from fairtrial.lab.lanes.remote_lane import Inbox, RemoteLane, differences, first_line_of_lanes
from fairtrial.lab.results_folder import earlier_runs
from fairtrial.lab.trial.events import ExperimentBegins, Step, TrialBegins, TrialEnds, Watcher
from fairtrial.lab.trial.flow import new_record
from fairtrial.plan.plan import Plan, PlannedTrial
from fairtrial.record.model import Failure, TrialRecord
from fairtrial.record.write import RecordWriter

STOPPED_WITHIN_SECONDS = 20.0
"""The stack and the database of a trial that is given up have their times of grace."""


def conduct_on_lanes(
    plan: Plan,
    results: Path,
    watcher: Watcher,
    start: Callable[[Inbox], Sequence[RemoteLane]],
) -> Conducted:
    """Make every lane ready, have every block tried on one of them, and write the record line by line.

    A lane that is lost, or cannot be made ready, is left out; the rest goes on. KeyboardInterrupt before the first
    trial is raised; later it ends the run, and the trials under way are recorded as interrupted.

    Args:
        start: starts the lanes, whose messages go into the inbox that it is given.

    Raises:
        Problem: no lane could be made ready, or the record cannot be begun.
    """
    inbox: Inbox = queue.SimpleQueue()
    lanes = {lane.number: lane for lane in start(inbox)}
    run = _Run(plan, results, watcher, lanes, inbox)
    try:
        run.await_ready()
        record = first_line_of_lanes(plan, list(lanes.values()), earlier_runs(results, plan.experiment.name))
        conducted = Conducted(record)
        with RecordWriter(results) as writer:
            writer.append(record)
            watcher(ExperimentBegins(record))
            end = WhenDecided(record) if plan.looks else WhenComplete(record)
            run.try_all(conducted, writer, end.reached)
        return conducted
    finally:
        for lane in lanes.values():
            lane.lab.release()


class _Run:
    """The state of a run: lanes, blocks, and the trials of the plan."""

    def __init__(
        self, plan: Plan, results: Path, watcher: Watcher, lanes: Mapping[int, RemoteLane], inbox: Inbox
    ) -> None:
        self._plan, self._results, self._watcher = plan, results, watcher
        self._lanes, self._inbox = lanes, inbox
        self._blocks = BlockQueue(plan.possible_ends)
        self._trials: dict[int, PlannedTrial] = {trial.index: trial for trial in plan.trials()}
        self._conducted: Conducted
        self._writer: RecordWriter

    def await_ready(self) -> None:
        """Wait until no lane is being prepared any more; leave out those that differ from the first that is ready.

        Raises:
            Problem: none is ready.
        """
        while any(lane.state == "preparing" for lane in self._lanes.values()):
            self._hear()
        ready = [lane for lane in self._lanes.values() if lane.state == "free"]
        for lane in ready[1:]:
            other = differences(ready[0], lane)
            if other:
                reason = f"{'; '.join(other)}, unlike on lane {ready[0].number}"
                self._leave_out(lane, Problem(reason, "install the same on the hosts of all lanes", NOTHING_RAN))
        if not ready:
            raise next(lane.problem for lane in self._lanes.values() if lane.problem)

    def try_all(
        self, conducted: Conducted, writer: RecordWriter, reached: Callable[[Sequence[TrialRecord]], bool]
    ) -> None:
        """Try the blocks of the plan until `reached` says, where the run may end, that it does."""
        self._conducted, self._writer = conducted, writer
        try:
            while self._goes_on(reached):
                self._hand_out()
                if not any(lane.state == "busy" for lane in self._lanes.values()):
                    reasons = [lane.problem for lane in self._lanes.values() if lane.problem]
                    conducted.problem = Problem(
                        f"no lane is left: {reasons[-1].reason}", reasons[-1].remedy, NOTHING_RAN
                    )
                    break
                self._hear()
        except KeyboardInterrupt:
            conducted.interrupted = True
            self._interrupt()
        except Problem as problem:
            conducted.problem = problem
        else:
            for lane in self._lanes.values():
                if lane.state == "free":
                    lane.lab.send(END)

    def _goes_on(self, reached: Callable[[Sequence[TrialRecord]], bool]) -> bool:
        """Whether a block is under way or to be handed out."""
        if not self._blocks.at_possible_end:
            return True
        in_order = sorted(self._conducted.trials, key=lambda trial: trial.index)
        return not reached(in_order) and self._blocks.go_on()

    def _hand_out(self) -> None:
        for lane in self._lanes.values():
            if lane.state == "free" and (block := self._blocks.next_block()) is not None:
                lane.try_block(block)

    def _hear(self) -> None:
        """Wait for a message, and do what follows from it."""
        number, message = self._inbox.get()
        lane = self._lanes[number]
        if lane.state == "left out":
            return
        match message:
            case "step", text:
                self._watcher(Step(f"lane {number}: {text}"))
            case "ready", record:
                lane.record, lane.state = record, "free"
            case "begins", index:
                lane.index = index
            case "trial", record, log:
                self._keep_log(record, log)
                self._keep(lane, record)
            case ("block",):
                self._blocks.end(lane.block)
                lane.state, lane.block = "free", 0
            case "problem", problem:
                self._leave_out(lane, problem)

    def _leave_out(self, lane: RemoteLane, problem: Problem) -> None:
        """Go on without a lane. The trials of its block that were not told of are not run: none is begun elsewhere."""
        self._watcher(Step(f"lane {lane.number} is left out: {problem.reason}"))
        was_busy = lane.state == "busy"
        lane.state, lane.problem = "left out", problem
        lane.lab.release()
        if was_busy:
            for trial in self._left_of(lane):
                is_current = trial.index == lane.index
                reason = problem.reason if is_current else f"its block began on lane {lane.number}: {problem.reason}"
                self._keep(lane, _not_run(trial, lane, Failure(stage="host", reason=reason, remedy=RUN_AGAIN)))
            self._blocks.end(lane.block)

    def _left_of(self, lane: RemoteLane) -> list[PlannedTrial]:
        recorded = {trial.index for trial in self._conducted.trials}
        return [each for each in self._trials.values() if each.block == lane.block and each.index not in recorded]

    def _interrupt(self) -> None:
        """Have the trials under way given up; wait until their lanes have ended, and record them."""
        under_way = [lane for lane in self._lanes.values() if lane.state == "busy"]
        for lane in under_way:
            lane.lab.send(STOP)
        until = time.monotonic() + STOPPED_WITHIN_SECONDS
        waiting = {lane.number for lane in under_way}
        while waiting and time.monotonic() < until:
            try:
                number, message = self._inbox.get(timeout=max(0.01, until - time.monotonic()))
            except queue.Empty:
                break
            if message[0] == "problem":
                waiting.discard(number)
        failure = Failure(stage="interrupted", reason="interrupted by the user", remedy="run it again")
        for lane in under_way:
            current = self._trials.get(lane.index)
            if current is not None and lane.index not in {trial.index for trial in self._conducted.trials}:
                self._keep(lane, _not_run(current, lane, failure))

    def _keep(self, lane: RemoteLane, line: TrialRecord) -> None:
        self._conducted.keep(line, self._writer)
        self._watcher(TrialBegins(self._trials[line.index]))
        self._watcher(TrialEnds(line))
        lane.index = 0 if lane.index == line.index else lane.index

    def _keep_log(self, record: TrialRecord, text: str) -> None:
        if record.log is None:
            return
        # Of what another host says, no more than a file's name is taken over.
        path = self._results / "logs" / Path(record.log).name
        with opened_privately(path, "wb") as file:
            file.write(text.encode())
        record.log = str(path.relative_to(self._results))


def _not_run(trial: PlannedTrial, lane: RemoteLane, failure: Failure) -> TrialRecord:
    record = new_record(trial)
    record.lane, record.failure = lane.number, failure
    return record
