"""A stack as it is deployed for one trial: one instance, or several behind a balancer."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from fairtrial.base.loopback import LOOPBACK, listens
from fairtrial.base.problem import Problem
from fairtrial.catalog.balancers.model import Balancer
from fairtrial.catalog.services.common.folder import run_folder
from fairtrial.catalog.services.common.server import PrivateServer
from fairtrial.catalog.stacks.run import RunningStack, start_stack
from fairtrial.lab.trial.context import TrialContext
from fairtrial.record.model import Stop

CONFIGURATION_FILE = "balancer.conf"


@dataclass
class Deployment:
    """What the load is offered to, and what stands behind it."""

    instances: Sequence[RunningStack]
    balancer: PrivateServer | None

    @property
    def address(self) -> str:
        """`HOST:PORT`."""
        return self.instances[0].address if self.balancer is None else f"{LOOPBACK}:{self.balancer.port}"

    @property
    def url(self) -> str:
        """`http://HOST:PORT`."""
        return f"http://{self.address}"

    @property
    def pids(self) -> list[int]:
        """The guards below which its processes lie, the balancer's included."""
        guards = [instance.process.pid for instance in self.instances]
        return guards + ([self.balancer.pid] if self.balancer is not None and self.balancer.pid is not None else [])

    @property
    def start_up_seconds(self) -> float:
        """Of the instance that took longest to be ready."""
        return max(instance.start_up_seconds for instance in self.instances)

    def listening(self) -> set[tuple[str, int]]:
        """(address, port) of every socket on which the stack listens."""
        return set().union(*(instance.listening() for instance in self.instances))

    def status(self) -> int | None:
        """The exit status of the first instance that ended, or None while all run."""
        statuses = (instance.process.status() for instance in self.instances)
        return next((status for status in statuses if status is not None), None)

    def fault(self) -> str | None:
        """Why its balancer no longer serves, or None."""
        return self.balancer.fault() if self.balancer is not None else None

    def stop(self) -> Stop:
        """Stop all of it. Returns the stop of the slowest instance."""
        if self.balancer is not None:
            self.balancer.stop()
        stops = [instance.process.stop() for instance in self.instances]
        return max(stops, key=lambda stop: (stop.forced, stop.seconds))


@contextmanager
def deployed(context: TrialContext) -> Iterator[Deployment]:
    """Start the stack as often as the experiment says, and its balancer in front; all of it ends at the end.

    Raises:
        Problem: an instance or the balancer did not start.
    """
    condition, cpus = context.condition, context.placement.server_cpus
    with ExitStack() as running:
        instances = []
        for number in range(context.point.experiment.instances):
            instance = start_stack(
                condition.stack,
                condition.variant,
                context.folder,
                settings=context.stack_settings(number),
                cpus=cpus,
                log=context.log,
            )
            running.callback(instance.process.stop)
            instances.append(instance)
        balancer = context.plan.balancer
        front = None if balancer is None else running.enter_context(_in_front(balancer, instances, cpus))
        yield Deployment(instances, front)


@contextmanager
def _in_front(balancer: Balancer, instances: Sequence[RunningStack], cpus: Sequence[int]) -> Iterator[PrivateServer]:
    missing = balancer.missing()
    if missing is not None:
        raise Problem(f"{balancer.title}: {missing.reason}", missing.remedy)

    def command(_data: object, _port: int) -> list[str]:
        return balancer.command(CONFIGURATION_FILE)

    with (
        run_folder(balancer.name) as folder,
        PrivateServer(balancer.title, folder, command, listens, cpus) as front,
    ):
        ports = [instance.port for instance in instances]
        (folder / CONFIGURATION_FILE).write_text(balancer.configuration(front.port, ports), encoding="utf-8")
        front.start()
        yield front
