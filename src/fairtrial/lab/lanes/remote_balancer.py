"""A balancer on a host of its own, as the lab of its lane sees it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from fairtrial.base.problem import Problem
from fairtrial.lab.lanes.host_calls import BalancerUp
from fairtrial.lab.lanes.remote_host import RemoteHost, RemoteMeter


@contextmanager
def balancer_up_on(host: RemoteHost, ports: Sequence[int], stacks_host: str) -> Iterator["RemoteBalancer"]:
    """Bring the plan's balancer up on a host, and down again.

    Args:
        ports: of the servers that it spreads requests over.
        stacks_host: the address at which they listen.

    Raises:
        Problem: it is not installed there or does not start, or its host is lost.
    """
    up: BalancerUp = host.call(0, "up_balancer", list(ports), stacks_host)
    front = RemoteBalancer(host, up)
    try:
        yield front
    finally:
        front.stop()


class RemoteBalancer:
    """A balancer that runs on another host: a `lab.trial.front.Front`, metered there."""

    pid = None

    def __init__(self, host: RemoteHost, up: BalancerUp) -> None:
        self._host, self._number = host, up.number
        self.host, self.port = host.address, up.port

    def fault(self) -> str | None:
        """How it ended, as its host has told, or that the host is lost; None while it runs."""
        return self._host.fault(self._number)

    def stop(self) -> None:
        """Stop it, if it is not lost with its host."""
        with suppress(Problem):
            self._host.call(self._number, "down")

    def meter(self) -> RemoteMeter:
        """A new meter, of its processes and of its host."""
        return RemoteMeter(self._host, self._number)
