"""The evidence of a program's tasks from outside: at the barrier, by the kernel's counters and by the token."""

import secrets
import threading
from pathlib import Path
from typing import Any, Self

from fairtrial.catalog.workloads.model import ProgramWorkload
from fairtrial.catalog.workloads.task_switching import LARGEST_TOKEN
from fairtrial.engine.process_tree import threads_below, voluntary_switches_below
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.lab.trial.task_barrier import TaskBarrier, Token


class TaskEvidence:
    """The task barrier of one program, and what the lab counts while it holds the tasks there.

    A context manager: leaving it ends the barrier.

    Args:
        workload: one whose tasks meet at the barrier.
        options: the workload's.
    """

    def __init__(self, workload: ProgramWorkload, options: Any) -> None:
        assert workload.barrier_tasks is not None
        self._operations = workload.operations(options)
        self._last_token: int | None = None
        token = None
        if workload.last_token is not None:
            token = Token(1 + secrets.randbelow(LARGEST_TOKEN), self._on_token_back)
            self._last_token = workload.last_token(options, token.first)
        self._tasks = workload.barrier_tasks(options)
        self._barrier = TaskBarrier(self._tasks, self._on_all_tasks, token)
        self._started = threading.Event()
        self._threads = self._switches_before = 0
        self._switches: int | None = None

    @property
    def settings(self) -> dict[str, str]:
        """The environment variables by which the program finds the barrier."""
        return {"GATHERING": str(self._barrier.path)}

    @property
    def folder(self) -> Path:
        """In which the barrier's socket is, and nothing else."""
        return self._barrier.path.parent

    @property
    def count(self) -> int:
        """How many tasks the program is to have at once."""
        return self._tasks

    @property
    def held_seconds(self) -> float:
        """How long the program waited for the lab alone; 0 if it did not wait until it was let go."""
        return self._barrier.held_seconds if self._barrier.released else 0.0

    def watch(self, guard_pid: int, meter: TreeMeter) -> None:
        """The program has been started below this guard, and `meter` measures it."""
        self._guard_pid, self._meter = guard_pid, meter
        self._started.set()

    def counted(self) -> dict[str, int]:
        """The tasks, steps, threads and switches that were seen, by the names of `Ledger.done`.

        Tasks that did not wait until all were there and let go are none.
        """
        counted = {"tasks": self._gathered, "threads": self._threads}
        if self._last_token is not None:
            counted["steps"] = self._operations if self._barrier.last_token == self._last_token else 0
        if self._switches is not None:
            counted["voluntary_switches"] = self._switches
        return counted

    @property
    def _gathered(self) -> int:
        barrier = self._barrier
        return barrier.arrived if barrier.released or barrier.arrived < self._tasks else 0

    def _on_all_tasks(self) -> None:
        self._started.wait()
        self._meter.sample_memory()
        self._threads = threads_below(self._guard_pid)
        self._switches_before = voluntary_switches_below(self._guard_pid)

    def _on_token_back(self) -> None:
        self._switches = voluntary_switches_below(self._guard_pid) - self._switches_before

    def __enter__(self) -> Self:
        self._barrier.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._started.set()
        self._barrier.__exit__(*exception)
