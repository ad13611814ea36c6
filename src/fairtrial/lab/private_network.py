"""One network for a whole run, where a stack of it asks for a network of its own, or a service needs one.

All of the run stands in it: the stacks that ask and those that do not, the load engine, the services, the proxies and
the lab. So every contender pays the same, there is no relay in between, and meters that ask the kernel about the
network ask about the right one. Trials follow one another, so that each has the network to itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from fairtrial.base.network_namespace import network_namespace, why_no_network_namespace
from fairtrial.base.user_namespace import StartAgainWithin, why_no_network_namespace_within
from fairtrial.catalog.stacks.model import Stack
from fairtrial.engine.binary import engine_binary, guard_binary
from fairtrial.experiment.contenders import Contender
from fairtrial.plan.plan import Plan


@contextmanager
def network_of(plan: Plan, stacks: Sequence[Stack]) -> Iterator[bool]:
    """Within, what the main thread starts is in a network of its own, if it is to be and this user may.

    Builds, which may need the machine's network, run in threads that were there before.

    Args:
        stacks: those that are tried.

    Yields:
        whether it is in such a network. Where the rights are missing it is not, and `assert_rights` refuses a stack
        that asks for one.
    """
    if not (_asked_for(stacks) or _keeps_others_out(plan, stacks)) or why_no_network_namespace() is not None:
        yield False
        return
    for built in (engine_binary, guard_binary):
        built()  # before: cargo may fetch what they are built from
    with network_namespace():
        yield True


def assert_within(stacks: Iterable[Stack | Contender]) -> None:
    """Where a stack asks for a network of its own, and this user may make one in a user namespace alone, go there.

    Before anything is started, or said: all of it is done again there.

    Raises:
        StartAgainWithin: that is so, and the lab is not in one yet.
    """
    if _asked_for(stacks) and why_no_network_namespace() is not None and why_no_network_namespace_within() is None:
        raise StartAgainWithin


def _asked_for(stacks: Iterable[Stack | Contender]) -> bool:
    return any(stack.origin.network == "own" for stack in stacks)


def _keeps_others_out(plan: Plan, stacks: Sequence[Stack]) -> bool:
    """Whether other users of this machine could reach a service, and nothing of the run needs the machine's network.

    Contenders of the lab's workloads need what the lab starts and nothing else; those of a workload file may.
    """
    services = [each.service for each in plan.conditions] + [plan.cache]
    is_open = any(service is not None and service.is_open for service in services)
    outside = plan.beyond_reach or any(stack.origin.in_container for stack in stacks)
    return is_open and plan.workload.identity is None and not outside
