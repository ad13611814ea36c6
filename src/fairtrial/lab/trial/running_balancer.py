"""The balancer in front of the instances of a stack."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from fairtrial.base.loopback import listens
from fairtrial.base.problem import Problem
from fairtrial.catalog.balancers.model import Balancer
from fairtrial.catalog.services.common.folder import run_folder
from fairtrial.catalog.services.common.server import PrivateServer

CONFIGURATION_FILE = "balancer.conf"


@contextmanager
def balancer_up(
    balancer: Balancer, ports: Sequence[int], cpus: Sequence[int] = (), *, host: str, stacks_host: str
) -> Iterator[PrivateServer]:
    """Start a balancer before the servers on these ports, and stop it at the end.

    Args:
        cpus: to which it is bound; empty: to none.
        host: the address at which it listens.
        stacks_host: that of the servers.

    Raises:
        Problem: it is not installed, or does not start.
    """
    missing = balancer.missing()
    if missing is not None:
        raise Problem(f"{balancer.title}: {missing.reason}", missing.remedy)

    def command(_data: object, _port: int) -> list[str]:
        return balancer.command(CONFIGURATION_FILE)

    with (
        run_folder(balancer.name) as folder,
        PrivateServer(balancer.title, folder, command, partial(listens, host=host), cpus, host=host) as front,
    ):
        text = balancer.configuration(front.port, ports, host, stacks_host)
        (folder / CONFIGURATION_FILE).write_text(text, encoding="utf-8")
        front.start()
        yield front
