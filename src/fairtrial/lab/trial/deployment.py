"""A stack as it is deployed for one trial: one instance, several behind a balancer, or what runs already."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from fairtrial.catalog.balancers.model import Balancer
from fairtrial.catalog.stacks.kinds import start_stack
from fairtrial.catalog.stacks.places import places_of
from fairtrial.catalog.stacks.requests import StartRequest
from fairtrial.catalog.stacks.run import RunningStack
from fairtrial.catalog.stacks.url import find_running
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.engine.plan import Tls
from fairtrial.engine.process_tree import Root
from fairtrial.experiment.origins import READY_WITHIN_SECONDS, UrlOrigin
from fairtrial.lab.meters.service import MeteredThere, ServiceMeter
from fairtrial.lab.placement import Front
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.front import balancer_up
from fairtrial.lab.trial.stack_user import tell_whether_held, user_of_trial
from fairtrial.record.model import Stop


class Deployment(Protocol):
    """What the load is offered to, and what stands behind it."""

    @property
    def address(self) -> str:
        """`HOST:PORT`, to which the load engine connects."""

    @property
    def url(self) -> str:
        """Its URL, without a path."""

    @property
    def host(self) -> str | None:
        """The Host header of requests; None: the address."""

    @property
    def tls(self) -> Tls | None:
        """How TLS is spoken; None: plain HTTP."""

    @property
    def not_measured(self) -> str:
        """Why nothing is known of its processes; empty where the lab started them."""

    @property
    def roots(self) -> list[Root]:
        """What its processes lie below, the balancer's included unless it is on a host of its own; empty where nothing
        is known of them."""

    @property
    def start_up_seconds(self) -> float | None:
        """From the start of its process until it was ready; of several instances the longest. None: it ran already."""

    def listening(self) -> set[tuple[str, int]] | None:
        """(address, port) of every socket on which the stack listens; None: it is not known."""

    def status(self) -> int | None:
        """The exit status of the first instance that ended, or None while all run."""

    def fault(self) -> str | None:
        """Why its balancer no longer serves, or None."""

    def balancer_meter(self) -> ServiceMeter | None:
        """A new meter of a balancer on a host of its own; None if there is none there."""

    def stop(self) -> Stop | None:
        """Stop all of it. Returns the stop of the slowest instance; None: nothing was the lab's to stop."""


@dataclass
class Started:
    """A stack that the lab has started."""

    instances: Sequence[RunningStack]
    balancer: Front | None
    host: None = None
    tls: None = None

    @property
    def not_measured(self) -> str:
        """Why the processes of an instance are not found; empty if they all are."""
        return next((each.not_measured for each in self.instances if each.not_measured), "")

    @property
    def address(self) -> str:
        """`HOST:PORT`."""
        first = self.instances[0]
        return first.address if self.balancer is None else f"{self.balancer.host}:{self.balancer.port}"

    @property
    def url(self) -> str:
        """`http://HOST:PORT`."""
        return f"http://{self.address}"

    @property
    def roots(self) -> list[Root]:
        """What its processes lie below, the balancer's included unless it is on a host of its own; empty if those of an
        instance are not found."""
        roots = [instance.root for instance in self.instances if instance.root is not None]
        if len(roots) < len(self.instances):
            return []
        roots += [root for instance in self.instances for root in instance.beside]
        return roots + ([self.balancer.pid] if self.balancer is not None and self.balancer.pid is not None else [])

    @property
    def start_up_seconds(self) -> float:
        """Of its slowest instance, from the start of the process until it was ready."""
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

    def balancer_meter(self) -> ServiceMeter | None:
        """A new meter of a balancer on a host of its own; None if there is none there."""
        return self.balancer.meter() if isinstance(self.balancer, MeteredThere) else None

    def stop(self) -> Stop:
        """Stop all of it. Returns the stop of the slowest instance."""
        if self.balancer is not None:
            self.balancer.stop()
        stops = [instance.process.stop() for instance in self.instances]
        return max(stops, key=lambda stop: (stop.forced, stop.seconds))


@contextmanager
def deployed(context: TrialContext) -> Iterator[Deployment]:
    """Start the stack as often as the experiment says, and its balancer in front; all of it ends at the end.

    What runs already is found, and left as it is.

    Raises:
        NotReady: an instance ended before it was ready, or was not ready in time.
        Problem: the balancer did not start, or what should run already is not ready, or a service ended.
    """
    condition = context.condition
    stack, workload = condition.stack, context.point.workload
    assert isinstance(workload, ServerWorkload)
    if isinstance(origin := stack.origin, UrlOrigin):
        within_seconds = origin.ready_within_seconds or READY_WITHIN_SECONDS
        yield find_running(origin.url, origin.ready or workload.ready, within_seconds)
        return
    with ExitStack() as running:
        instances: list[RunningStack] = []
        request = StartRequest(
            stack,
            condition.variant,
            context.folder,
            settings={},
            cpus=context.placement.server_cpus,
            log=context.log,
            ready=workload.ready,
            places=places_of(stack, condition.built_apart, context.folder),
            redaction=context.redaction,
            user=running.enter_context(user_of_trial(context)),
            fault=context.fault,
            host=context.environment.site.host,
        )
        for number in range(context.point.experiment.instances):
            instance = start_stack(replace(request, settings=context.stack_settings(number)))
            running.callback(instance.process.stop)
            instances.append(instance)
            tell_whether_held(context, instance.process.pid)
        balancer = context.plan.balancer
        front = None if balancer is None else running.enter_context(_front(context, balancer, instances))
        yield Started(instances, front)


def _front(
    context: TrialContext, balancer: Balancer, instances: Sequence[RunningStack]
) -> AbstractContextManager[Front]:
    """The balancer in front of the instances: on the server's processors, or on a host of its own."""
    ports, host, site = [instance.port for instance in instances], instances[0].host, context.environment.site
    if site.front_up is not None:
        return site.front_up(ports, host)
    return balancer_up(balancer, ports, context.placement.server_cpus, host=host, stacks_host=host)
