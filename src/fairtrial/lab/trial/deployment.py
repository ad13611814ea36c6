"""A stack as it is deployed for one trial: one instance, several behind a balancer, or what runs already."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace

import httpx

from fairtrial.catalog.balancers.model import Balancer
from fairtrial.catalog.contract.answer import client_of
from fairtrial.catalog.stacks.certificate import certificate_for
from fairtrial.catalog.stacks.kinds import start_stack
from fairtrial.catalog.stacks.places import places_of
from fairtrial.catalog.stacks.requests import StartRequest
from fairtrial.catalog.stacks.run import RunningStack
from fairtrial.catalog.stacks.url import find_running
from fairtrial.engine.plan import Tls
from fairtrial.engine.process_tree import Root
from fairtrial.experiment.origins import READY_WITHIN_SECONDS, UrlOrigin
from fairtrial.experiment.ready import SPEAKS_HTTP3
from fairtrial.lab.meters.service import RemotelyMetered, ServiceMeter
from fairtrial.lab.placement import RunningBalancer
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.running_balancer import balancer_up
from fairtrial.lab.trial.stack_user import tell_whether_held, user_of_trial
from fairtrial.load.engine_terms import Protocol
from fairtrial.record.processes import Stop


@dataclass(frozen=True)
class Deployment:
    """The address that the load is offered to, and the processes behind it."""

    url: str
    """without a path"""
    address: str
    """`HOST:PORT`, to which the load engine connects"""
    instances: Sequence[RunningStack] = ()
    """those that the lab has started; none: it ran already, and runs on"""
    balancer: RunningBalancer | None = None
    host: str | None = None
    """the Host header of requests; None: the address"""
    tls: Tls | None = None
    """None: plain HTTP"""
    other_addresses: list[str] | None = None
    """further ones, to which connections go in turn"""
    over: Protocol = "HTTP/1.1"
    """what the load comes over"""

    @property
    def ca_file(self) -> str | None:
        """PEM of the authorities that are trusted; None: the roots of this machine, or it speaks no TLS."""
        return None if self.tls is None else self.tls.ca_file

    def client(self) -> httpx.Client:
        """For the lab's own requests, which come as the load does."""
        return client_of(self.url, ca_file=self.ca_file, over=self.over)

    @property
    def not_measured(self) -> str:
        """Why the processes of an instance are not found; empty if they all are."""
        if not self.instances:
            return "it was running already, and the lab knows none of its processes"
        return next((each.not_measured for each in self.instances if each.not_measured), "")

    @property
    def roots(self) -> list[Root]:
        """The processes above all of its own, the balancer's included unless it is on a host of its own; empty if those
        of an instance are not found."""
        roots = [instance.root for instance in self.instances if instance.root is not None]
        if len(roots) < len(self.instances):
            return []
        roots += [root for instance in self.instances for root in instance.beside]
        return roots + ([self.balancer.pid] if self.balancer is not None and self.balancer.pid is not None else [])

    @property
    def start_up_seconds(self) -> float | None:
        """From the start of its slowest instance until that was ready; None: it ran already."""
        return max((instance.start_up_seconds for instance in self.instances), default=None)

    def listening(self) -> set[tuple[str, int]] | None:
        """(address, port) of every socket on which the stack listens; None: it is not known."""
        return set().union(*(instance.listening() for instance in self.instances)) if self.instances else None

    def status(self) -> int | None:
        """The exit status of the first instance that ended; None while all run, or if that is not known."""
        statuses = (instance.process.status() for instance in self.instances)
        return next((status for status in statuses if status is not None), None)

    def fault(self) -> str | None:
        """Why its balancer no longer serves, or None."""
        return self.balancer.fault() if self.balancer is not None else None

    def balancer_meter(self) -> ServiceMeter | None:
        """A new meter of a balancer on a host of its own; None if there is none there."""
        return self.balancer.meter() if isinstance(self.balancer, RemotelyMetered) else None

    def stop(self) -> Stop | None:
        """Stop all of it. Returns the stop of the slowest instance; None: nothing was the lab's to stop."""
        if self.balancer is not None:
            self.balancer.stop()
        stops = [instance.process.stop() for instance in self.instances]
        return max(stops, key=lambda stop: (stop.forced, stop.seconds), default=None)


@contextmanager
def deployed(context: TrialContext) -> Iterator[Deployment]:
    """Start the stack as often as the experiment says, and its balancer in front; all of it ends at the end.

    What runs already is found, and left as it is.

    Raises:
        NotReady: an instance ended before it was ready, or was not ready in time.
        Problem: the balancer did not start, or what should run already is not ready, or a service ended.
    """
    condition = context.condition
    stack, over = condition.stack, condition.load.protocol
    # Nothing is promised of the port of TCP.
    ready = SPEAKS_HTTP3 if over == "HTTP/3" else context.server_workload.ready
    if isinstance(origin := stack.origin, UrlOrigin):
        within_seconds = origin.ready_within_seconds or READY_WITHIN_SECONDS
        server = find_running(origin.url, origin.ready or ready, within_seconds, origin.addresses, over)
        yield Deployment(
            origin.url,
            server.address,
            host=server.host,
            tls=server.tls,
            other_addresses=server.other_addresses,
            over=over,
        )
        return
    with ExitStack() as running:
        instances: list[RunningStack] = []
        host = context.environment.trial_hosts.host
        certificate = running.enter_context(certificate_for(host)) if stack.origin.is_secure else None
        request = StartRequest(
            stack,
            condition.variant,
            context.folder,
            settings={},
            cpus=context.placement.server_cpus,
            log=context.log,
            ready=ready,
            places=places_of(stack, condition.built_apart, context.folder),
            redaction=context.redaction,
            user=running.enter_context(user_of_trial(context)),
            fault=context.fault,
            host=host,
            certificate=certificate,
            over=over,
        )
        for number in range(context.point.experiment.instances):
            instance = start_stack(replace(request, settings=context.stack_settings(number)))
            running.callback(instance.process.stop)
            instances.append(instance)
            tell_whether_held(context, instance.process.pid)
        balancer = context.plan.balancer
        front = None if balancer is None else running.enter_context(_front(context, balancer, instances))
        address = instances[0].address if front is None else f"{front.host}:{front.port}"
        url = f"{'http' if certificate is None else 'https'}://{address}"
        tls = None if certificate is None else Tls(server_name=host, ca_file=str(certificate.authority))
        yield Deployment(url, address, instances, front, tls=tls, over=over)


def _front(
    context: TrialContext, balancer: Balancer, instances: Sequence[RunningStack]
) -> AbstractContextManager[RunningBalancer]:
    """The balancer in front of the instances: on the server's processors, or on a host of its own."""
    ports, host, trial_hosts = (
        [instance.port for instance in instances],
        instances[0].host,
        context.environment.trial_hosts,
    )
    if trial_hosts.start_balancer is not None:
        return trial_hosts.start_balancer(ports, host)
    return balancer_up(balancer, ports, context.placement.server_cpus, host=host, stacks_host=host)
