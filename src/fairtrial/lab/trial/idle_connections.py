"""Idle connections beside a trial's load: opened before it, and the server's memory before and after that."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from fairtrial.base.problem import Problem
from fairtrial.engine.idle import IdleProcess, idle_process
from fairtrial.engine.plan import EnginePlan
from fairtrial.engine.process_tree import processes_below
from fairtrial.lab.meters.memory import MemoryReading, memory_of
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.deployment import Deployment
from fairtrial.record.idle_connections import IdleMemory
from fairtrial.record.processes import MemoryKind

SETTLE_SECONDS = 1.0
"""From the last handshake until memory is read: a server may have work left behind its answer to one."""


@contextmanager
def idle_connections(
    context: TrialContext, deployment: Deployment, load: EnginePlan, connections: int
) -> Iterator[IdleProcess]:
    """Open so many connections, which stay open until the end, and put what became of them into the record.

    Raises:
        Problem: they cannot be opened from here, or the engine ended.
    """
    _assert_possible(context)
    before = _memory(deployment)
    memory: IdleMemory | None = None
    with idle_process(load, connections) as idle:
        try:
            number = idle.await_opened()
            time.sleep(SETTLE_SECONDS)
            memory = _difference(before, _memory(deployment), number)
            yield idle
        finally:
            context.record.idle_connections = idle.account.model_copy(update={"memory": memory})


def _assert_possible(context: TrialContext) -> None:
    if not context.environment.trial_hosts.has_load_here:
        raise Problem(
            "load.idle_connections: they are opened from the machine of the lab alone, and the load comes from others",
            "run it without a cluster, or leave `idle_connections` out",
        )


def _memory(deployment: Deployment) -> MemoryReading | None:
    """What the stack's processes hold now; None where they are not known."""
    roots = deployment.roots
    return memory_of(process.pid for process in processes_below(*roots)) if roots else None


def _difference(before: MemoryReading | None, after: MemoryReading | None, number: int) -> IdleMemory | None:
    if before is None or after is None:
        return None
    is_resident = MemoryKind.RESIDENT in (before.kind, after.kind)
    return IdleMemory(
        before_bytes=before.total_bytes,
        open_bytes=after.total_bytes,
        connections=number,
        kind=MemoryKind.RESIDENT if is_resident else MemoryKind.PROPORTIONAL,
    )
