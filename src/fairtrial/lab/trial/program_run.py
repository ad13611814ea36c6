"""A program in place of a server: it is told its job, does it and ends. It is timed from outside, start included."""

import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.printable import log_tail
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.services.upstream import upstream
from fairtrial.catalog.stacks.environment import stack_environment
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.catalog.workloads.model import ProgramWorkload
from fairtrial.engine.guard import Guarded
from fairtrial.engine.process_tree import threads_below
from fairtrial.experiment.loads import ProgramLoad
from fairtrial.lab.meters.machine import MachineWatch
from fairtrial.lab.meters.network import NetworkWatch
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.lab.trial.audit import audit_job
from fairtrial.lab.trial.context import Attended
from fairtrial.lab.trial.environment import Surroundings
from fairtrial.lab.trial.ledger import ledger
from fairtrial.lab.trial.task_barrier import Gathering
from fairtrial.record.machine import MachineMeter, NetworkMeter
from fairtrial.record.model import Failure, Ledger, ProgramRun, ServerMeter

LOOK_EVERY_SECONDS = 0.2

SAMPLE_EVERY_SECONDS = 0.05
"""A job may be over in less than the quarter of a second that does for servers; a look takes some 2 ms of the lab's
processor."""


@dataclass(frozen=True)
class Done:
    """What is known of a job from outside."""

    operations: int
    """that it was to do"""
    status: int | None
    """the program's exit status; None if it had to be ended"""
    seconds: float
    server: ServerMeter
    service: ServerMeter | None
    ledger: Ledger | None
    machine: MachineMeter
    network: NetworkMeter


def do_job(
    stack: Stack,
    variant: Variant,
    folder: Path,
    *,
    workload: ProgramWorkload,
    options: object,
    settings: Mapping[str, str],
    around: Surroundings,
    service: RunningService,
    log: Path,
    timeout_seconds: float,
) -> Done:
    """Run a program to its end, and count what it did: by the database, by its upstream, where its tasks gather.

    Args:
        settings: the contract's variables.

    Raises:
        Problem: the database died meanwhile, or the upstream did not start or tells nothing.
    """
    operations = workload.operations(options)
    log.parent.mkdir(parents=True, exist_ok=True)
    told = {**settings, "JOB": workload.name}
    counted: dict[str, int] = {}
    meters: list[TreeMeter] = []

    def on_all_there() -> None:
        process_meter, *_ = meters
        process_meter.sample_memory()
        counted["threads"] = threads_below(process.pid)

    with ExitStack() as held:
        asked = gathering = None
        if workload.upstream is not None:  # one for each trial: it counts from its start to its end
            asked = held.enter_context(upstream(workload.upstream(options), around.placement.load_cpus))
            told["UPSTREAM_URL"] = asked.url
        if workload.task_barrier:
            gathering = held.enter_context(Gathering(operations, on_all_there))
            told["GATHERING"] = str(gathering.path)
        before = service.counters()
        output = held.enter_context(log.open("ab"))
        machine, network = MachineWatch(around.placement.server_cpus), NetworkWatch()
        machine.open()
        network.open()
        began = time.monotonic()
        process = Guarded(
            [*stack.run, *variant.args],
            folder=folder,
            environment=stack_environment({**told, **variant.env}),
            output=output,
            cpus=around.placement.server_cpus,
        )
        held.enter_context(process)
        meters.append(TreeMeter(process.pid, every_seconds=SAMPLE_EVERY_SECONDS, since_start=True))
        if service.pid is not None:
            meters.append(TreeMeter(service.pid))
        for meter in meters:
            held.callback(meter.abandon)
            meter.open()
        ended = False
        while not ended and time.monotonic() - began < timeout_seconds:
            ended = process.ends_within(min(LOOK_EVERY_SECONDS, timeout_seconds))
            fault = service.fault()
            if fault is not None:
                raise Problem(fault, "the trial is worth nothing without its database")
        seconds = time.monotonic() - began
        server, of_service = [meter.close() for meter in meters] + [None] * (2 - len(meters))
        assert server is not None
        of_machine, of_network = _on_the_servers_side(machine.close(), server, of_service), network.close()
        status = process.status() if ended else None
        process.stop()
        if asked is not None:
            counted["calls"] = asked.served()
        if gathering is not None:
            counted["tasks"] = gathering.arrived
        after = {**service.counters(), **counted}
    done = ledger(before, after, verified=operations, answers=operations)
    return Done(operations, status, seconds, server, of_service, done, of_machine, of_network)


def _on_the_servers_side(seen: MachineMeter, server: ServerMeter, service: ServerMeter | None) -> MachineMeter:
    """`seen` with the lab's own processor time divided by what was metered: a program that has ended is in the sum of
    its guard or of the lab, wherever those are bound to."""
    own = seen.own_server_cpu_seconds + seen.own_load_cpu_seconds
    servers = min(own, server.cpu_seconds + (0.0 if service is None else service.cpu_seconds))
    return seen.model_copy(update={"own_server_cpu_seconds": servers, "own_load_cpu_seconds": own - servers})


def run_program(attended: Attended) -> None:
    """Run the contender's program once. What it did is told by what can be counted, not by the program.

    Raises:
        Problem: the database or the upstream died.
    """
    setting, service, observed = attended.setting, attended.service, attended.observed
    load, workload = attended.trial.condition.load, setting.workload
    assert isinstance(load, ProgramLoad)
    assert isinstance(workload, ProgramWorkload)
    with attended.stage("load"):
        done = do_job(
            attended.ready.stack,
            attended.ready.variant,
            attended.folder,
            workload=workload,
            options=setting.options,
            settings=setting.stack_settings(service),
            around=setting.around,
            service=service,
            log=attended.log,
            timeout_seconds=load.timeout_seconds,
        )
    if done.status != 0:
        late = f"it still ran after {load.timeout_seconds:g} s"
        how = late if done.status is None else f"it ended with status {done.status}"
        reason = f"{how}; the end of its log:\n{log_tail(attended.log)}"
        observed.failure = Failure(stage="load", reason=reason, remedy=f"see its log: {attended.log}")
        return
    observed.program = ProgramRun(operations=done.operations, seconds=done.seconds, exit_status=done.status)
    observed.server, observed.service, observed.ledger = done.server, done.service, done.ledger
    observed.machine, observed.network = done.machine, done.network
    with attended.stage("audit"):
        observed.audit = audit_job(workload, setting.data, setting.options, done.operations, service)
