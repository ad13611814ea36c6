"""The columns of the table of conditions, the same in the terminal and in the report."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import count, figure, span
from fairtrial.experiment.value import Value, shown
from fairtrial.judge.model import ConditionResult, Curve, Result
from fairtrial.judge.statistics.estimate import Estimate


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
WHERE_MEASURED = (
    Column("service_cpu_seconds_per_1000_requests", "DB CPU", "ms/1k", 1e3),
    Column("elapsed_seconds", "elapsed", "s", 1),
    Column("settle_seconds", "settle", "s", 1),
)
EXPLANATION = (
    "goodput: verified answers only; median over blocks, with its 95% interval · p50, p99, max: response "
    "times · CPU, DB CPU: processor time of the stack and of its database per 1,000 requests · memory: peak resident, "
    "whole process tree of the stack · rank: by goodput, 1~3 where it may be any of these"
)


def others(result: Result) -> list[Column]:
    """The columns beside goodput: those that every table has, and those for which something was measured."""
    searched = [Column(key, key.removesuffix("_per_second"), "/s", 1) for key in _capacities(result)]
    measured = [
        column
        for column in (*searched, *WHERE_MEASURED)
        if any(column.of(condition) is not None for condition in result.conditions)
    ]
    return [*ALWAYS, *measured]


def _capacities(result: Result) -> list[str]:
    """The keys of what was searched for: one a named objective."""
    return list(dict.fromkeys(key for one in result.conditions for key in one.figures if key.startswith("capacity:")))


def in_order(conditions: Sequence[ConditionResult]) -> list[ConditionResult]:
    """By goodput, the highest first; refused and not run at the end. A sweep's stay in the file's order."""
    if any(condition.at is not None for condition in conditions):
        return list(conditions)

    def place(condition: ConditionResult) -> tuple[int, float]:
        goodput = GOODPUT.of(condition)
        rank = {"valid": 0, "refused": 1, "not run": 2}[condition.outcome]
        return rank, -(goodput.estimate if goodput is not None else 0.0)

    return sorted(conditions, key=place)


def rank(condition: ConditionResult) -> str:
    """`1`, or `2~4` for one that is told apart from none of the three that may be second to fourth; `–` without a
    ranking."""
    if condition.rank is None:
        return "–"
    best, worst = condition.rank
    return str(best) if best == worst else f"{best}~{worst}"


def notes(result: Result) -> list[str]:
    """Sentences about the experiment as a whole: the noise floor, and how curves scale."""
    return [*_noise(result), *(_scales(curve) for curve in result.curves if curve.scaling is not None)]


def _noise(result: Result) -> list[str]:
    floor = result.noise_floor
    if floor is None:
        return []
    if floor.estimate is None or floor.interval is None:
        return [f"Noise floor: {floor.contender} under two names has too few valid trials to compare."]
    found = "a difference was found between equals" if floor.difference_found else "no difference was found"
    return [
        f"Noise floor: goodput of {floor.contender} under a second name was {figure(floor.estimate)} times its own "
        f"({span(floor.interval)}, {count(floor.blocks, 'block')}): {found}."
    ]


def _scales(curve: Curve) -> str:
    scaling = curve.scaling
    assert scaling is not None
    if scaling.refused is not None or scaling.contention is None or scaling.coherency is None:
        return f"Scalability of {curve.stack}: no fit, because {scaling.refused}."
    peak = "no peak within the sweep"
    if scaling.peak is not None:
        reach = "" if scaling.peak.interval is None else f" ({span(scaling.peak.interval)})"
        peak = f"peak at {figure(scaling.peak.estimate)}{reach}"
    return (
        f"Scalability of {curve.stack}: contention {_parameter(scaling.contention)}, coherency "
        f"{_parameter(scaling.coherency)}, {peak}."
    )


def _parameter(found: Estimate) -> str:
    reach = "" if found.interval is None else f" ({found.interval[0]:.3g} to {found.interval[1]:.3g})"
    return f"{found.estimate:.3g}{reach}"


def loads(result: Result) -> list[str]:
    """Every load of the result in words, with its lengths; of a sweep the first, and what varies."""
    if result.curves:
        first, values = result.conditions[0].load, [one.at for one in result.conditions if one.at is not None]
        return [f"{first.describe()}; {first.lengths()}; {result.curves[0].title} {_range(values)}"]
    return list(
        dict.fromkeys(f"{condition.load.describe()}; {condition.load.lengths()}" for condition in result.conditions)
    )


def _range(values: Sequence[Value]) -> str:
    """`from 1 to 16`; categories one by one."""
    numbers = [value for value in values if not isinstance(value, bool | str)]
    if len(numbers) == len(values):
        return f"from {min(numbers):g} to {max(numbers):g}"
    return ", ".join(dict.fromkeys(map(shown, values)))
