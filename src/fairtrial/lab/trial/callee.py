"""The upstream of one trial: what its stack calls."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fairtrial.catalog.services.upstream import Upstream, upstream
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.environment import UPSTREAM


@contextmanager
def upstream_of_trial(context: TrialContext, cpus: Sequence[int]) -> Iterator[Upstream | None]:
    """Run the upstream that the workload calls, or nothing where it calls none.

    Each trial has its own, because an upstream counts what it answers from its start to its end. Inside,
    `context.stack_settings` has its URL.

    Args:
        cpus: the processors to which it is bound.

    Raises:
        Problem: it did not start.
    """
    arguments = context.plan.workload.upstream
    if arguments is None:
        yield None
        return
    with upstream(arguments(context.point.options), cpus) as callee:
        context.urls[UPSTREAM] = callee.url
        try:
            yield callee
        finally:
            del context.urls[UPSTREAM]
