"""The whole window that a trial in slices has beside them, from which percentiles from p90 on are read.

In slices the slow few are not those of a server at work: every half second all connections ask at once, and the
caches are those of whoever was measured before. Medians, rates and costs average that away; tails consist of it. So
they come from one window at one go, as long as all planned slices of the trial together, on the same start, while the
others are up and idle as in any slice.

It comes after the rounds. By then the server is as warm as it gets, whether the block has figures at all is known, and
nothing that a load at one go leaves behind (a heap that has grown, work put off) is in the slices. Who is measured
first is drawn for each block, so that what the machine does meanwhile hits no side more often than the other.

A window is about as long as the rounds of one condition: tails double the time under load. So they are measured only
where a claim is about them, or `tails = true` asks for them.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from fairtrial.experiment.claims import MetricClaim
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.slices import Rule, Slices
from fairtrial.judge.metrics import find_metric
from fairtrial.lab.meters.slice_watch import SliceMeter
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.slices import WholeWindow

Condition = TypeVar("Condition")

LEAD_SECONDS = 1.0
"""Load before the window: what beginning at once costs is over, and caches are the server's own again."""


def needs_whole_windows(experiment: Experiment) -> bool:
    """Whether anything in the report of an experiment in slices is to be read from whole windows."""
    claims = [claim for claim in experiment.claims if isinstance(claim, MetricClaim)]
    is_claimed = any(find_metric(claim.metric, claim.request).of_tail for claim in claims)
    return experiment.slices is not None and (experiment.slices.tails or is_claimed)


def whole_windows(
    conditions: Sequence[Condition],
    rule: Slices,
    of_rounds: Rule,
    draw: random.Random,
    measure: Callable[[Condition, int, float], tuple[EngineSummary, SliceMeter]],
) -> Iterator[tuple[Condition, WholeWindow]]:
    """Measure each condition of a block once, and keep all or none of it.

    Args:
        of_rounds: by which rule the rounds of the block are kept.
        draw: decides who is measured first.
        measure: measures a condition at a place in the order, from 1, after so many seconds of load.
    """
    order = draw.sample(conditions, len(conditions))
    measured = [measure(each, place, LEAD_SECONDS) for place, each in enumerate(order, 1)]
    shares = [(meter.foreign_server_share, meter.foreign_engine_share) for _, meter in measured]
    is_kept = rule.keeps_whole(shares, of_rounds)
    for place, (each, (summary, meter)) in enumerate(zip(order, measured, strict=True), 1):
        yield (
            each,
            WholeWindow(
                place=place,
                engine=summary,
                foreign_server_share=meter.foreign_server_share,
                foreign_engine_share=meter.foreign_engine_share,
                is_kept=is_kept,
            ),
        )
