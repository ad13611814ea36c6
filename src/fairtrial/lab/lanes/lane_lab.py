"""The lab of a lane: a process on the server's host that is told blocks, and tells of trials; and its other hosts."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fairtrial.catalog.services.model import Addresses
from fairtrial.cluster.addresses import host_of, local_address_towards
from fairtrial.cluster.connection import Cluster, connected, security_of
from fairtrial.lab.conduct import PreparedLab, made_ready
from fairtrial.lab.exclusive import processors_held
from fairtrial.lab.lanes.divide import Worker
from fairtrial.lab.lanes.load_hosts import LoadHosts, load_hosts
from fairtrial.lab.lanes.messages import Channel
from fairtrial.lab.lanes.remote_host import HostLost, RemoteHost
from fairtrial.lab.lanes.remote_server import balancer_up_on, service_up_on
from fairtrial.lab.lanes.task import HostTask, LaneTask, plan_of
from fairtrial.lab.placement import TrialHosts, placed_for
from fairtrial.lab.trial.events import TrialBegins
from fairtrial.plan.plan import Plan
from fairtrial.record.model import Failure, TrialRecord

MOST_LOG_BYTES = 1 << 18
"""So much of the end of a stack's log is sent."""


@dataclass(frozen=True)
class LaneHosts:
    """The hosts beside the server's; None where that does their part as well."""

    cluster: Cluster | None = None
    loads: LoadHosts | None = None
    services: RemoteHost | None = None
    balancer: RemoteHost | None = None

    def trial_hosts(self, task: LaneTask) -> TrialHosts:
        """Where the trials of the lane take place."""
        trial_hosts = TrialHosts(host_of(task.lane.server.address), lab_cpus=task.lab_cpus)
        if self.services is not None:
            trial_hosts = replace(trial_hosts, start_service=partial(service_up_on, self.services))
        if self.balancer is not None:
            trial_hosts = replace(trial_hosts, start_balancer=partial(balancer_up_on, self.balancer))
        return trial_hosts if self.loads is None else self.loads.with_loads(trial_hosts)

    def assert_connected(self) -> None:
        """Raise HostLost if one of them, or the scheduler, does not answer."""
        if self.cluster is None:
            return
        try:
            self.cluster.workers()
        except Exception as error:  # whatever Dask says of a connection that is gone
            raise HostLost(f"the lane's connection to the scheduler is lost: {error}") from error
        for hosts in (self.loads, self.services, self.balancer):
            if hosts is not None:
                hosts.assert_connected()


@contextmanager
def lane_hosts_of(
    task: LaneTask, credentials: Mapping[str, str], on_step: Callable[[str], None]
) -> Iterator[LaneHosts]:
    """The other hosts of a lane, ready; the connection to the cluster and what runs there end at the end.

    Args:
        credentials: as `security_of` takes them.
        on_step: is called with what they do until then.

    Raises:
        Problem: an engine cannot be built, services cannot be brought up, a worker is lost, or the scheduler cannot be
            reached.
    """
    lane = task.lane
    if lane.workers == (lane.server,):
        yield LaneHosts()
        return
    security = security_of(credentials)
    with (
        connected(task.scheduler, unencrypted=task.unencrypted, security=security) as cluster,
        ExitStack() as ending,
    ):

        def host(name: str, worker: Worker | None) -> RemoteHost | None:
            if worker is None:
                return None
            address = host_of(worker.address)
            host_task = HostTask(
                Addresses(server=address, stacks=local_address_towards(address)),
                task.held_cpus[worker.address],
                task.wait,
                task.plan,
            )
            remote = RemoteHost(cluster, name, worker.address, host_task, on_step)
            ending.callback(remote.release)
            return remote

        services = host("service host", lane.separate.get("service"))
        loads = load_hosts(cluster, [load.address for load in lane.loads]) if lane.loads else None
        if services is not None:
            services.await_ready()
        # One after the other, so that two runs take the processors of all hosts in the same order.
        worker = lane.separate.get("balancer")
        balancer = services if worker == lane.separate.get("service") else host("balancer host", worker)
        if balancer is not None:
            balancer.await_ready()
        yield LaneHosts(cluster, loads, services, balancer)


def serve_lane(task: LaneTask, credentials: Mapping[str, str], channel: Channel) -> None:
    """Do a task, block by block, until the messages end.

    Args:
        credentials: by which the scheduler lets this lab in, as `security_of` takes them.
    """
    blocks = channel.commands()
    with (
        channel.telling_the_end("its lab was interrupted on its host"),
        tempfile.TemporaryDirectory(prefix="fairtrial-lane-") as results,
        lane_hosts_of(task, credentials, channel.step) as hosts,
    ):
        _try_blocks(task, hosts, Path(results), channel, blocks)


def _try_blocks(task: LaneTask, hosts: LaneHosts, results: Path, channel: Channel, blocks: Iterator[int]) -> None:
    plan = plan_of(task.plan)
    (results / "logs").mkdir(mode=0o700)
    with (
        processors_held(task.held_cpus[task.lane.server.address], channel.step, wait=task.wait),
        made_ready(
            plan, placed_for(plan.experiment, task.placement), results, channel.on, trial_hosts=hosts.trial_hosts(task)
        ) as ready,
    ):
        hosts.assert_connected()
        channel.send("ready", ready.record)
        for block in blocks:
            for record in trials_of_block(plan, block, ready, hosts, channel):
                record.lane = task.lane.number
                channel.send("trial", record, _end_of_log(results, record))
            channel.send("block")


def trials_of_block(
    plan: Plan, block: int, ready: PreparedLab, hosts: LaneHosts, channel: Channel
) -> Iterator[TrialRecord]:
    """Try a block. After each trial all hosts must answer; else one that measured nothing is no contender's fault.

    Raises:
        HostLost: one does not, after the trial's record.
    """
    for trial in plan.trials():
        if trial.block != block:
            continue
        channel.on(TrialBegins(trial))
        record = ready.run(trial)
        try:
            hosts.assert_connected()
        except HostLost as error:
            if record.failure is not None or (record.engine is None and record.program is None):
                record.failure = Failure.of("host", error)
            yield record
            raise
        yield record


def _end_of_log(results: Path, record: TrialRecord) -> str:
    """The end of a trial's log; empty if it has none."""
    if record.log is None:
        return ""
    with (results / record.log).open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - MOST_LOG_BYTES))
        return file.read().decode(errors="replace")
