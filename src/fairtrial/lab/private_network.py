"""One network for a whole run, where a stack of it asks for a network of its own.

All of the run stands in it: the stacks that ask and those that do not, the load engine, the services, the proxies and
the lab. So every contender pays the same, there is no relay in between, and meters that ask the kernel about the
network ask about the right one. Trials follow one another, so that each has the network to itself.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from fairtrial.base.own_network import own_network, why_not_own_network
from fairtrial.catalog.stacks.model import Stack
from fairtrial.engine.binary import engine_binary, guard_binary


@contextmanager
def network_of(stacks: Iterable[Stack]) -> Iterator[bool]:
    """Within, what the main thread starts is in a network of its own, if a stack asks for one and this user may.

    Builds, which may need the machine's network, run in threads that were there before.

    Yields:
        whether it is in such a network. Where the rights are missing it is not, and `assert_rights` refuses the stack.
    """
    if all(stack.network != "own" for stack in stacks) or why_not_own_network() is not None:
        yield False
        return
    for built in (engine_binary, guard_binary):
        built()  # before: cargo may fetch what they are built from
    with own_network():
        yield True
