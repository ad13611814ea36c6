"""The option `--metric` of commands that show figures of the user's choice."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairtrial.judge.metrics import Metric


def metrics_named(names: list[str] | None) -> "list[Metric]":
    """The metrics of these names, each once; goodput without names.

    Raises:
        Problem: there is none of a name.
    """
    from fairtrial.base.problem import Problem
    from fairtrial.judge.metrics import find_metric

    try:
        return [find_metric(name) for name in dict.fromkeys(names or ["goodput"])]
    except ValueError as error:
        raise Problem(f"--metric: {error}", "docs/claims.md explains them") from error
