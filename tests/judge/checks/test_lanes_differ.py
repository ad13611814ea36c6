"""Lanes of unlike hosts are named; like ones, and a run on one machine, are not."""

import numpy as np

from fairtrial.judge.checks.lanes_differ import p_value
from fairtrial.judge.checks.model import Finding
from fairtrial.record.lanes import LaneRecord
from fairtrial.record.model import ExperimentRecord, TrialRecord
from tests.builders import a_trial, an_experiment, trials_of
from tests.judge.checks.findings import found


def on_lanes(
    speeds: dict[int, float], blocks: int = 20, scatter: float = 0.02, course: float = 0.0
) -> tuple[ExperimentRecord, list[TrialRecord]]:
    """Three stacks; block after block on the lanes in turn, with these speeds. From block to block all become faster or
    slower by a share."""
    record = an_experiment("a", "b", "c", blocks=blocks).record()
    lanes = [LaneRecord(number=number, hosts=[], host=record.host, placement=record.placement) for number in speeds]
    random = np.random.default_rng(7)
    noise = {(n, b): np.exp(scatter * random.standard_normal()) for n in "abc" for b in range(1, blocks + 1)}
    lane_of = {block: list(speeds)[block % len(speeds)] for block in range(1, blocks + 1)}
    trials = trials_of(
        record,
        lambda name, block: a_trial().serving(
            2000 * speeds[lane_of[block]] * (1 + course * block) * noise[name, block]
        ),
    )
    for trial in trials:
        trial.lane = lane_of[trial.block]
    return record.model_copy(update={"lanes": lanes}), trials


def findings(check: str, speeds: dict[int, float], blocks: int = 20, course: float = 0.0) -> list[Finding]:
    return found(check, *on_lanes(speeds, blocks, course=course))


def test_a_slow_lane_is_named() -> None:
    (finding,) = findings("lanes-differ", {1: 1.0, 2: 0.8, 3: 1.0})
    assert (finding.severity, finding.trial) == ("warning", None)
    assert "% more goodput on lane" in finding.evidence and "than on lane 2" in finding.evidence


def test_like_lanes_are_not_named_nor_is_one_alone() -> None:
    assert findings("lanes-differ", {1: 1.0, 2: 1.0}) == []
    assert findings("lanes-differ", {1: 1.0, 2: 0.97}) == []  # too little to matter
    assert findings("lanes-differ", {1: 1.0}) == []
    assert findings("lanes-differ", {1: 1.0, 2: 0.5}, blocks=4) == []  # two blocks of each


def test_a_slow_lane_is_no_drift_and_a_drift_on_lanes_is_seen() -> None:
    assert findings("drift-over-blocks", {1: 1.0, 2: 0.5}) == []
    assert findings("drift-over-blocks", {1: 1.0, 2: 0.5}, course=-0.02) != []


def test_groups_that_are_alike_are_seldom_told_apart() -> None:
    random = np.random.default_rng(3)
    p_values = [p_value([random.standard_normal(5).tolist() for _ in range(2)]) for _ in range(40)]
    assert sum(p < 0.05 for p in p_values) <= 6
    assert p_value([[0.0, 0.1, 0.05, 0.02, 0.01, 0.03], [1.0, 1.1, 1.05, 1.02, 1.01, 1.04]]) < 0.01
