import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median

import numpy as np

from fairtrial.base.formatting import figure
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.judge.metrics import METRICS
from fairtrial.record.model import TrialRecord

FEWEST_BLOCKS = 3
"""Each lane that is compared has so many."""
PERMUTATIONS = 4999
"""The smallest possible p-value is 1 / (PERMUTATIONS + 1)."""


@check(
    "lanes-differ",
    looks_at="goodput of blocks on the lanes of a cluster, under loads in which the server sets the rate: the mean "
    "over conditions of log ratios to the median of each (permutation test)",
    remedy="claim ratios; for figures of one contender use lanes of like hosts, or a single one: --lanes 1",
    alpha=Threshold(
        0.001,
        "probability",
        "as for drift-over-blocks: few runs may be warned of by chance",
    ),
    difference=Threshold(
        0.05,
        "share of the slower lane's goodput",
        "the size of the differences that claims are about",
    ),
)
def lanes_differ(case: Case, *, alpha: float, difference: float) -> Iterator[Finding]:
    """Lanes whose hosts are not equally fast: ratios within blocks do not see it, the figures of one contender alone
    do.

    At most one warning on the experiment, which names the fastest lane and the slowest.
    """
    if len(case.record.lanes) < 2:
        return
    levels = levels_of(case.trials)
    lanes = {lane: values for lane, values in levels.items() if len(values) >= FEWEST_BLOCKS}
    if len(lanes) < 2:
        return
    centres = {lane: median(values) for lane, values in lanes.items()}
    slow, fast = min(centres, key=lambda lane: centres[lane]), max(centres, key=lambda lane: centres[lane])
    apart = math.exp(centres[fast] - centres[slow]) - 1
    if apart < difference or p_value(list(lanes.values())) >= alpha:
        return
    yield finding(
        "warning",
        f"the same contenders reach {figure(100 * apart)}% more goodput on lane {fast} than on lane {slow}: claims by "
        "ratios are not touched, as a block stays on its lane; figures of one contender are a mixture of hosts",
    )


def levels_of(trials: Sequence[TrialRecord]) -> Mapping[int, list[float]]:
    """By lane, how high each of its blocks lies. Looked at are closed loads, in which the server sets the rate, and
    blocks in which every condition has a goodput that has one in all."""
    read = METRICS["goodput"].read
    rates: dict[int, dict[str, float]] = defaultdict(dict)
    lanes: dict[int, int] = {}
    for trial in trials:
        rate = read(trial)
        if trial.lane is None or not rate or trial.engine is None or trial.engine.achieved_over_offered is not None:
            continue
        rates[trial.block][trial.condition] = math.log(rate)
        lanes[trial.block] = trial.lane
    conditions = {condition for of_block in rates.values() for condition in of_block}
    whole = {block: of_block for block, of_block in rates.items() if of_block.keys() == conditions}
    typical = {name: median(of_block[name] for of_block in whole.values()) for name in conditions} if whole else {}
    levels: dict[int, list[float]] = defaultdict(list)
    for block, of_block in whole.items():
        levels[lanes[block]].append(fmean(rate - typical[name] for name, rate in of_block.items()))
    return levels


def p_value(groups: Sequence[Sequence[float]]) -> float:
    """That groups lie as far apart by chance: a permutation test of the variance between their means.

    A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application (1997), section 4.3. Its draws are the same
    each time.
    """
    values = np.array([value for group in groups for value in group])
    ends = np.cumsum([len(group) for group in groups])[:-1]

    def between(of: "np.typing.NDArray[np.float64]") -> float:
        parts = np.split(of, ends)
        return float(sum(len(part) * part.mean() ** 2 for part in parts))

    values = values - values.mean()
    observed = between(values)
    random = np.random.default_rng(1)
    reached = sum(between(random.permutation(values)) >= observed - 1e-12 for _ in range(PERMUTATIONS))
    return (1 + reached) / (1 + PERMUTATIONS)
