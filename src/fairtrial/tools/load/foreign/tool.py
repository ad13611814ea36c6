"""What `fairtrial ab` and `fairtrial wrk` share: measure, print their figures, then what those leave out."""

from collections.abc import Callable
from dataclasses import replace

from rich.console import Console

from fairtrial.tools.load.advice import remedy
from fairtrial.tools.load.foreign.first import expecting_length, first_length
from fairtrial.tools.load.foreign.hidden import hidden
from fairtrial.tools.load.foreign.ours import as_ours
from fairtrial.tools.load.measure import Measurement, measure
from fairtrial.tools.load.plan.describe import describe_load
from fairtrial.tools.load.plan.engine_plan import plan_for
from fairtrial.tools.load.plan.options import LoadOptions

Figures = Callable[[Measurement], list[str]]
"""A tool's own report, line by line."""


def run_as(
    name: str,
    options: LoadOptions,
    figures: Figures,
    *,
    at_most_seconds: float | None = None,
    lengths_as_the_first: bool = False,
) -> int:
    """Do that work and report on it.

    Args:
        at_most_seconds: ends a load that counts requests after this time, too.
        lengths_as_the_first: ask once before, and call every answer of another length failed.

    Returns:
        the exit status.

    Raises:
        Problem: the load could not be offered.
    """
    plan = plan_for(options)
    length = first_length(plan) if lengths_as_the_first else None
    if length is not None:
        plan, options = expecting_length(plan, length), replace(options, expect_length=length)
    measurement = measure(Console(stderr=True), options.url, plan, at_most_seconds=at_most_seconds)
    out = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in figures(measurement):
        out.print(line)
    out.print()
    out.print("What these figures would have hidden:", style="bold")
    out.print(f"  - The load was {describe_load(plan)}.")
    for line in hidden(name, measurement):
        out.print(f"  - {line}")
    for kind, times in measurement.failed.items():
        out.print(f"  - {times:,} {kind}: {remedy(kind, plan)}")
    out.print()
    out.print(f"The same with every figure: {as_ours(options)}")
    return measurement.exit_status
