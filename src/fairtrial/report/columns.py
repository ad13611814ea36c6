"""The columns of the table of conditions, the same in the terminal and in the report."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.judge.model import ConditionResult, Estimate, Result


@dataclass(frozen=True)
class Column:
    """A figure by its key, multiplied by `scale` into `unit`."""

    key: str
    title: str
    unit: str
    scale: float

    def of(self, condition: ConditionResult) -> Estimate | None:
        """The figure in this column's unit; None if there is none."""
        figure = condition.figures.get(self.key)
        if figure is None:
            return None
        interval = figure.interval
        return Estimate(
            estimate=figure.estimate * self.scale,
            interval=None if interval is None else (interval[0] * self.scale, interval[1] * self.scale),
            blocks=figure.blocks,
        )


GOODPUT = Column("goodput_per_second", "goodput", "/s", 1)
ALWAYS = (
    Column("response_time_p50_seconds", "p50", "ms", 1e3),
    Column("response_time_p99_seconds", "p99", "ms", 1e3),
    Column("response_time_max_seconds", "max", "ms", 1e3),
    Column("server_cpu_seconds_per_1000_requests", "CPU", "ms/1k", 1e3),
    Column("peak_rss_bytes", "memory", "MiB", 2**-20),
)
WHERE_MEASURED = (Column("service_cpu_seconds_per_1000_requests", "DB CPU", "ms/1k", 1e3),)
EXPLANATION = (
    "goodput: verified answers only; geometric mean over blocks, with its 95% interval · p50, p99, max: response "
    "times · CPU, DB CPU: processor time of the stack and of its database per 1,000 requests · memory: peak resident, "
    "whole process tree of the stack"
)


def others(result: Result) -> list[Column]:
    """The columns beside goodput: those that every table has, and those for which something was measured."""
    measured = [
        column for column in WHERE_MEASURED if any(column.of(condition) is not None for condition in result.conditions)
    ]
    return [*ALWAYS, *measured]


def in_order(conditions: Sequence[ConditionResult]) -> list[ConditionResult]:
    """By goodput, the highest first; refused and not run at the end."""

    def place(condition: ConditionResult) -> tuple[int, float]:
        goodput = GOODPUT.of(condition)
        rank = {"valid": 0, "refused": 1, "not run": 2}[condition.outcome]
        return rank, -(goodput.estimate if goodput is not None else 0.0)

    return sorted(conditions, key=place)


def loads(result: Result) -> list[str]:
    """Every load of the result in words, with its lengths."""
    return list(
        dict.fromkeys(f"{condition.load.describe()}; {condition.load.lengths()}" for condition in result.conditions)
    )
