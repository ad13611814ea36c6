"""What `fairtrial ab` and `fairtrial wrk` share: measure, print their figures, then what those leave out."""

from collections.abc import Callable

from rich.console import Console

from fairtrial.load.advice import remedy
from fairtrial.load.foreign.hidden import hidden
from fairtrial.load.measure import Measurement, measure
from fairtrial.load.plan.describe import describe_load
from fairtrial.load.plan.engine_plan import plan_for
from fairtrial.load.plan.options import LoadOptions

Figures = Callable[[Measurement], list[str]]
"""A tool's own report, line by line."""


def run_as(
    name: str, options: LoadOptions, figures: Figures, ours: str, *, at_most_seconds: float | None = None
) -> int:
    """Do that work and report on it; `ours` is the command that does the same with `fairtrial load`.

    Returns:
        the exit status.

    Raises:
        Problem: the load could not be offered.
    """
    plan = plan_for(options)
    measurement = measure(Console(stderr=True), options.url, plan, at_most_seconds=at_most_seconds)
    out = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in figures(measurement):
        out.print(line)
    out.print()
    out.print("What these figures would have hidden:", style="bold")
    out.print(f"  - The load was {describe_load(plan)}.")
    for line in hidden(name, measurement):
        out.print(f"  - {line}")
    for kind in measurement.failed:
        out.print(f"  - {kind}: {remedy(kind, plan)}")
    out.print()
    out.print(f"The same with every figure: {ours}")
    return measurement.exit_status
