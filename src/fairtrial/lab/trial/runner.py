"""How a workload is carried out: the one interface that servers and programs share."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fairtrial.lab.trial.context import TrialContext
from fairtrial.record.model import Clause


@dataclass(frozen=True)
class Runner:
    """Carries a workload out on one kind of stack. There is one for servers and one for programs."""

    run: Callable[[TrialContext], None]
    """A whole trial, from the start of the stack to its audit. It fills the record, and raises Problem if the database,
    the balancer or the upstream failed; what the stack did wrong ends in the record."""

    check: Callable[[Sequence[TrialContext], Callable[[TrialContext], None]], Iterator[Clause]]
    """The stack's contract alone, clause by clause, without a load, in each of the contexts; the callable is called as
    each begins. A server is started once, in the first context, and tried in all. Raises Problem if the stack cannot be
    started."""
