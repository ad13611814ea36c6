"""A contender that runs: one process tree of its stack, or several behind a balancer."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.loopback import LOOPBACK, listens
from fairtrial.base.problem import Problem
from fairtrial.catalog.balancers import pick_balancer
from fairtrial.catalog.services.common.folder import run_folder
from fairtrial.catalog.services.common.server import PrivateServer
from fairtrial.catalog.stacks.run import RunningStack, start_stack
from fairtrial.lab.trial.ready_stack import ReadyStack
from fairtrial.record.model import Stop

FILE = "balancer.conf"


@dataclass
class Contender:
    """What is asked: `address`, `HOST:PORT`, and `url`; and what stands behind it."""

    instances: Sequence[RunningStack]
    balancer: PrivateServer | None

    @property
    def address(self) -> str:
        return self.instances[0].address if self.balancer is None else f"{LOOPBACK}:{self.balancer.port}"

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    @property
    def pids(self) -> list[int]:
        """Of the guards below which its processes lie, the balancer's included."""
        guards = [instance.process.pid for instance in self.instances]
        return guards + ([self.balancer.pid] if self.balancer is not None and self.balancer.pid is not None else [])

    def listening(self) -> set[tuple[str, int]]:
        """(address, port) of every socket on which its stack listens."""
        return set().union(*(instance.listening() for instance in self.instances))

    def status(self) -> int | None:
        """The exit status of the first instance that ended, or None while all run."""
        return next((status for one in self.instances if (status := one.process.status()) is not None), None)

    def fault(self) -> str | None:
        """Why its balancer no longer serves, or None."""
        return self.balancer.fault() if self.balancer is not None else None

    def stop(self) -> Stop:
        """Stop all of it; the slowest instance's stop is told."""
        if self.balancer is not None:
            self.balancer.stop()
        stops = [instance.process.stop() for instance in self.instances]
        return max(stops, key=lambda stop: (stop.forced, stop.seconds))


@contextmanager
def contender(
    ready: ReadyStack,
    folder: Path,
    *,
    instances: int,
    balancer: str | None,
    settings: Mapping[str, str],
    cpus: Sequence[int],
    log: Path,
) -> Iterator[Contender]:
    """Start the stack `instances` times, and a balancer in front of them if one is named; all of it ends at the end.

    Raises:
        Problem: an instance or the balancer did not start.
    """
    with ExitStack() as held:
        running = []
        for _ in range(instances):
            one = start_stack(ready.stack, ready.variant, folder, settings=settings, cpus=cpus, log=log)
            held.callback(one.process.stop)
            running.append(one)
        front = None if balancer is None else held.enter_context(_front(balancer, running, cpus))
        yield Contender(running, front)


@contextmanager
def _front(name: str, running: Sequence[RunningStack], cpus: Sequence[int]) -> Iterator[PrivateServer]:
    balancer = pick_balancer(name)
    missing = balancer.missing()
    if missing is not None:
        raise Problem(f"{balancer.title}: {missing.reason}", missing.remedy)
    with (
        run_folder(name) as folder,
        PrivateServer(balancer.title, folder, lambda _data, _port: balancer.command(FILE), listens, cpus) as front,
    ):
        ports = [instance.port for instance in running]
        (folder / FILE).write_text(balancer.configuration(front.port, ports), encoding="utf-8")
        front.start()
        yield front
