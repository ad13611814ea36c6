"""Properties that go with the difference between machines: one whose values split them into groups that differ.

For each way in which properties split the machines, F is the variance between groups over that within them. Under the
hypothesis that the property has nothing to do with the figure, the machines could have been dealt to the groups in any
way: p is the share of deals with an F as large (a permutation test; of 9,999 drawn ones and the one that there is).
All splits are tried together at 5% (Holm). It shows what goes together, and no cause: machines differ in many ways.

Source: B. Phipson and G. K. Smyth, "Permutation p-values should never be zero", Statistical Applications in Genetics
and Molecular Biology 9 (2010), 39.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import median

import numpy as np
from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.judge.statistics.holm import step_down
from fairtrial.judge.statistics.random_effects import Floats
from fairtrial.judge.statistics.student import LEVEL
from fairtrial.record.model import ExperimentRecord, TrialRecord

DEALS = 9999
GIB = 2**30
GIGAHERTZ = 1e9
Split = tuple[int, ...]
"""The group of each machine, numbered as they come."""


class MachineGroup(Strict):
    """Machines that have a property in common."""

    value: str
    machines: int
    estimate: float = Field(description="the median of their ratios")


class Explanation(Strict):
    """Properties that split the machines alike, into groups whose ratios differ."""

    properties: list[str]
    groups: list[MachineGroup]


def properties_of(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> Mapping[str, str]:
    """Properties of a machine and its system that may move a ratio, by name; the clock is the median of all trials."""
    host, placement = record.host, record.placement
    clocks = [clock for trial in trials if trial.machine for clock in trial.machine.frequencies_hertz.values()]
    return {
        "processor": host.cpu_model,
        "processors": str(host.cpus),
        "processors of load and server": f"{len(placement.load_cpus)} and {len(placement.server_cpus)}",
        "clock": f"{median(clocks) / GIGAHERTZ:.1f} GHz" if clocks else "",
        "memory": f"{host.memory_bytes / GIB:.0f} GiB",
        "system": host.system,
        "kernel": ".".join(host.kernel.split(".")[:2]),
        **{service.name: service.product for service in record.services},
        **{command: version for stack in record.stacks for command, version in stack.versions.items()},
    }


def explanations(values: Floats, properties: Sequence[Mapping[str, str]]) -> list[Explanation]:
    """Those that the values, logarithms of shape (machines,), speak for."""
    by_split: dict[Split, list[str]] = defaultdict(list)
    for name in properties[0]:
        column = [each.get(name, "") for each in properties]
        numbers = {value: number for number, value in enumerate(dict.fromkeys(column))}
        split = tuple(numbers[value] for value in column)
        if sum(split.count(number) > 1 for number in set(split)) > 1:
            by_split[split].append(name)
    splits = list(by_split)
    p_values = [_p_value(values, np.array(split)) for split in splits]
    decided = step_down(p_values, LEVEL, lambda p, level, _: p <= 1 - level, bool)
    return [
        Explanation(properties=by_split[split], groups=_groups(values, split, properties, by_split[split][0]))
        for split, explains in zip(splits, decided, strict=True)
        if explains
    ]


def _groups(values: Floats, split: Split, properties: Sequence[Mapping[str, str]], name: str) -> list[MachineGroup]:
    groups = []
    for number in range(max(split) + 1):
        places = [place for place, group in enumerate(split) if group == number]
        estimate = math.exp(float(np.median(values[places])))
        groups.append(MachineGroup(value=properties[places[0]].get(name, ""), machines=len(places), estimate=estimate))
    return groups


@lru_cache(maxsize=2)
def _deals(machines: int) -> np.ndarray:
    """The order that there is, and so many drawn ones, the same for all claims: (deals, machines)."""
    order = np.arange(machines)
    return np.vstack([order, np.random.default_rng(machines).permuted(np.tile(order, (DEALS, 1)), axis=1)])


def _p_value(values: Floats, split: np.ndarray) -> float:
    deals = values[_deals(values.size)]
    squares = np.zeros(len(deals))
    for number in range(split.max() + 1):
        of_group = deals[:, split == number]
        squares += of_group.shape[1] * (of_group.mean(axis=1) - values.mean()) ** 2
    # F grows with the sum of squares between groups, as that of both is the same for all deals.
    return float(np.mean(squares >= squares[0] * (1 - 1e-12)))
