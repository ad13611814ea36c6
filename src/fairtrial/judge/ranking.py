"""Ranks and tie groups by goodput within a class, the noise floor, and where the scatter of a condition comes from."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from fairtrial.experiment.stack_class import StackClass
from fairtrial.experiment.value import Value
from fairtrial.judge.losses import Losses, goodput_by_block
from fairtrial.judge.metrics import METRICS
from fairtrial.judge.model import NoiseFloor, Scatter
from fairtrial.judge.statistics.estimate import paired_ratio
from fairtrial.judge.statistics.ties import blocks_for_ranks, compare_all
from fairtrial.judge.statistics.variance import split
from fairtrial.record.model import Condition, TrialRecord

RankAndGroups = tuple[tuple[int, int], str]
"""Best and worst rank, and the letters of its tie groups."""


def rank_conditions(
    conditions: Sequence[Condition], valid: Mapping[str, Sequence[TrialRecord]], level: float, losses: Losses
) -> dict[str, RankAndGroups]:
    """By condition id; of conditions without goodput there is none.

    Conditions are ranked against those of their class at the same value of the sweep, over the blocks that all of them
    share. Where these are too few for so many there is no rank. The second of the pair tried for the noise floor is
    left out.
    """
    comparable: dict[tuple[Value | None, StackClass], list[str]] = defaultdict(list)
    rates = {each.id: goodput_by_block(valid.get(each.id, ()), losses) for each in conditions}
    for condition in conditions:
        if rates[condition.id] and not condition.again:
            comparable[condition.at, condition.stack_class].append(condition.id)
    ranks: dict[str, RankAndGroups] = {}
    for ids in comparable.values():
        values = shared_blocks({name: rates[name] for name in ids})
        if len(ids) > 1 and len(values[ids[0]]) >= blocks_for_ranks(len(ids), level):
            ranking = compare_all(values, level)
            letters = ranking.letters
            ranks |= {name: (ranking.ranks[name], letters[name]) for name in ids}
    return ranks


def noise_floor(
    conditions: Sequence[Condition], valid: Mapping[str, Sequence[TrialRecord]], level: float, losses: Losses
) -> NoiseFloor | None:
    """The difference of a stack to itself; None if none was tried under two names."""
    again = next((condition for condition in conditions if condition.again), None)
    if again is None:
        return None
    first = next(
        condition for condition in conditions if not condition.again and _identity(condition) == _identity(again)
    )
    values = shared_blocks({each.id: goodput_by_block(valid.get(each.id, ()), losses) for each in (first, again)})
    if not values[first.id]:
        return NoiseFloor(contender=first.contender, estimate=None, interval=None, blocks=0, difference_found=None)
    ratio = paired_ratio(values[again.id], values[first.id], level)
    interval = ratio.interval
    return NoiseFloor(
        contender=first.contender,
        estimate=ratio.estimate,
        interval=interval,
        blocks=ratio.blocks,
        difference_found=None if interval is None else not interval[0] <= 1 <= interval[1],
    )


def _identity(condition: Condition) -> tuple[str, str, str, Value | None]:
    """The properties that both of the pair tried for the noise floor have in common, and no other condition."""
    return condition.stack, condition.variant, condition.service, condition.at


def scatter(valid: Sequence[TrialRecord], losses: Losses) -> Scatter | None:
    """From the seconds of each trial's window; None if there are too few seconds, or one without an answer."""
    counted = [trial for trial, _ in losses.readings(METRICS["goodput"], valid)]
    measured = [(trial.engine.series, str(trial.build)) for trial in counted if trial.engine]
    series = [[float(second.verified) for second in seconds] for seconds, _ in measured]
    builds = [build for _, build in measured]
    try:
        variance = split(series, builds if len(set(builds)) > 1 else None)
    except ValueError:
        return None
    shares = variance.shares
    return Scatter(
        spread=variance.spread(), builds=shares.get("builds"), starts=shares["starts"], window=shares["window"]
    )


def shared_blocks(by_block: Mapping[str, Mapping[int, float]]) -> dict[str, list[float]]:
    """By name, the values in the blocks in which every name has one, in the order of the blocks."""
    blocks = sorted(set.intersection(*(set(values) for values in by_block.values())))
    return {name: [values[block] for block in blocks] for name, values in by_block.items()}
