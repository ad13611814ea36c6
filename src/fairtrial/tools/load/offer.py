"""What `fairtrial load` does: it offers one load, or searches for the highest that keeps an objective."""

from dataclasses import replace

from rich.console import Console

from fairtrial.base.problem import Problem
from fairtrial.tools.load.capacity import measure_capacity
from fairtrial.tools.load.measure import Measurement, measure
from fairtrial.tools.load.notes import left_out, met_by_anything
from fairtrial.tools.load.request.named_requests import assert_sent
from fairtrial.tools.load.request.options import GoalOptions, LoadOptions
from fairtrial.tools.load.request.translate import to_engine_plan


def offer(console: Console, options: LoadOptions, goals: GoalOptions, *, plain: bool = False) -> Measurement:
    """Offer the load and show its progress on `console`.

    Raises:
        Problem: options contradict each other, the server cannot be reached, or the engine refused the plan.
    """
    if options.file is None:
        return _offered(console, options, goals, plain=plain)
    notes = left_out(options.file)
    measurement = _offered(console, options, goals, plain=plain)
    return replace(measurement, notes=[*notes, *met_by_anything(measurement.plan.requests)])


def _offered(console: Console, options: LoadOptions, goals: GoalOptions, *, plain: bool) -> Measurement:
    if goals.capacity:
        return measure_capacity(console, options, goals, plain=plain)
    if goals.between is not None:
        raise Problem("--between says where --capacity searches", "give it with --capacity 'p99<50ms', or leave it out")
    plan = to_engine_plan(options)
    assert_sent(goals.expect, plan.requests, of_file=options.file is not None)
    return measure(console, options.url, plan, expected=goals.expect, plain=plain)
