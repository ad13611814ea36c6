"""A program in place of a server: it is told its job, does it and ends. It is timed from outside, start included."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairtrial.engine.guard import Guarded
from fairtrial.experiment.loads import ProgramLoad
from fairtrial.printable import log_tail
from fairtrial.problem import Problem
from fairtrial.record.model import Failure, ProgramRun
from fairtrial.services.model import RunningService
from fairtrial.stacks.environment import stack_environment
from fairtrial.stacks.model import Stack, Variant
from fairtrial.trial.attended import Attended
from fairtrial.trial.ledger import ledger

LOOK_EVERY_SECONDS = 0.2


def do_job(
    stack: Stack,
    variant: Variant,
    folder: Path,
    *,
    settings: Mapping[str, str],
    service: RunningService,
    cpus: Sequence[int],
    log: Path,
    timeout_seconds: float,
) -> tuple[int | None, float]:
    """Run a program to its end. Its exit status, None if it had to be ended, and the seconds that it took.

    Raises:
        Problem: the database died meanwhile.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = stack_environment({**settings, **variant.env})
    with log.open("ab") as output:
        began = time.monotonic()
        command = [*stack.run, *variant.args]
        with Guarded(command, folder=folder, environment=environment, output=output, cpus=cpus) as process:
            status = None
            while status is None and time.monotonic() - began < timeout_seconds:
                status = process.wait(LOOK_EVERY_SECONDS)
                fault = service.fault()
                if fault is not None:
                    raise Problem(fault, "the trial is worth nothing without its database")
            return status, time.monotonic() - began


def run_program(attended: Attended, operations: int) -> None:
    """Run the contender's program once. What it did is told by the database's counters, not by the program.

    Raises:
        Problem: the database died.
    """
    setting, service, observed = attended.setting, attended.service, attended.observed
    load, workload = attended.trial.condition.load, setting.workload
    assert isinstance(load, ProgramLoad)
    before = service.counters()
    with attended.stage("load"):
        status, seconds = do_job(
            attended.ready.stack,
            attended.ready.variant,
            attended.folder,
            settings={**setting.stack_settings(service), "JOB": workload.name},
            service=service,
            cpus=setting.placement.server_cpus,
            log=attended.log,
            timeout_seconds=load.timeout_seconds,
        )
    if status != 0:
        late = f"it still ran after {load.timeout_seconds:g} s"
        how = late if status is None else f"it ended with status {status}"
        reason = f"{how}; the end of its log:\n{log_tail(attended.log)}"
        observed.failure = Failure(stage="load", reason=reason, remedy=f"see its log: {attended.log}")
        return
    observed.program = ProgramRun(operations=operations, seconds=seconds, exit_status=status)
    observed.ledger = ledger(before, service.counters(), verified=operations, answers=operations)
