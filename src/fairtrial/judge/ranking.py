"""Which conditions are told apart by their goodput, which are not, and how different equals look."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from fairtrial.experiment.value import Value
from fairtrial.judge.metrics import METRICS
from fairtrial.judge.model import NoiseFloor, Scatter
from fairtrial.judge.statistics.estimate import paired_ratio
from fairtrial.judge.statistics.ties import compare_all
from fairtrial.judge.statistics.variance import split
from fairtrial.record.model import Condition, TrialRecord

Standing = tuple[tuple[int, int], str]
"""Best and worst rank, and the letters of its tie groups."""


def standings(conditions: Sequence[Condition], valid: Mapping[str, Sequence[TrialRecord]]) -> dict[str, Standing]:
    """By condition id. Conditions are ranked against those at the same value of the sweep, over the blocks that all
    of them share; a pair tried for the noise floor is ranked once."""
    fields: dict[Value | None, list[str]] = defaultdict(list)
    for condition in conditions:
        if valid.get(condition.id) and not condition.again:
            fields[condition.at].append(condition.id)
    found: dict[str, Standing] = {}
    for ids in fields.values():
        values = shared_blocks({name: goodput_by_block(valid[name]) for name in ids})
        if len(ids) > 1 and values[ids[0]]:
            ranking = compare_all(values)
            found |= {name: (ranking.ranks[name], ranking.letters[name]) for name in ids}
    return found


def noise_floor(conditions: Sequence[Condition], valid: Mapping[str, Sequence[TrialRecord]]) -> NoiseFloor | None:
    """None if no stack was tried under two names."""
    again = next((condition for condition in conditions if condition.again), None)
    if again is None:
        return None
    first = next(one for one in conditions if f"{one.id}/again" == again.id)
    values = shared_blocks({one.id: goodput_by_block(valid.get(one.id, ())) for one in (first, again)})
    if not values[first.id]:
        return NoiseFloor(contender=first.contender, estimate=None, interval=None, blocks=0, difference_found=None)
    ratio = paired_ratio(values[again.id], values[first.id])
    interval = ratio.interval
    return NoiseFloor(
        contender=first.contender,
        estimate=ratio.estimate,
        interval=interval,
        blocks=ratio.blocks,
        difference_found=None if interval is None else not interval[0] <= 1 <= interval[1],
    )


def scatter(valid: Sequence[TrialRecord]) -> Scatter | None:
    """From the seconds of each trial's window; None if there are too few of them, or one without an answer."""
    measured = [(trial.engine.series, str(trial.build)) for trial in valid if trial.engine]
    series = [[float(second.verified) for second in seconds] for seconds, _ in measured]
    builds = [build for _, build in measured]
    try:
        found = split(series, builds if len(set(builds)) > 1 else None)
    except ValueError:
        return None
    shares = found.shares
    return Scatter(spread=found.spread(), builds=shares.get("builds"), starts=shares["starts"], window=shares["window"])


def goodput_by_block(trials: Sequence[TrialRecord]) -> dict[int, float]:
    """Where it is above zero."""
    read = METRICS["goodput"].read
    return {trial.block: value for trial in trials if (value := read(trial)) is not None and value > 0}


def shared_blocks(by_block: Mapping[str, Mapping[int, float]]) -> dict[str, list[float]]:
    """The values of each in the blocks in which all have one."""
    blocks = sorted(set.intersection(*(set(values) for values in by_block.values())))
    return {name: [values[block] for block in blocks] for name, values in by_block.items()}
