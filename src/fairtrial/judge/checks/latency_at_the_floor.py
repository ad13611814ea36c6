from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from fairtrial.base.formatting import figure
from fairtrial.experiment.claims import MetricClaim
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.generator import calibration_of, was_disturbed
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.judge.metrics import supported_percentile
from fairtrial.record.calibration import Calibration
from fairtrial.record.model import TrialRecord

MEDIANS = ("response_time_p50", "service_time_p50")
"""The metrics whose comparison rests on what is held against the floor."""


@dataclass(frozen=True)
class _Share:
    """A trial's median response time and the floor below it, in seconds."""

    median_seconds: float
    floor_seconds: float
    of: str
    """the load that the floor was measured with"""
    is_certain: bool
    """false: the calibration was disturbed, so the floor may lie lower"""

    @property
    def value(self) -> float:
        """The part of the median that the floor explains; above 1 where the floor was none."""
        return self.floor_seconds / self.median_seconds

    def in_words(self) -> str:
        """The two figures and the share."""
        uncertain = "" if self.is_certain else "; but that calibration was disturbed, so the floor may lie lower"
        return (
            f"p50 of response time is {figure(1e3 * self.median_seconds)} ms, and from a server that does nothing it "
            f"was {figure(1e3 * self.floor_seconds)} ms {self.of}: {min(self.value, 1.0):.0%} of it is the load "
            f"engine's and the kernel's{uncertain}"
        )


@check(
    "latency-at-the-floor",
    looks_at="p50 of response time, or goodput over a single connection, compared with what was calibrated "
    "before the first trial against a server that does nothing",
    remedy="choose a workload that demands more of the stack; or claim a budget, which the load engine's share "
    "only makes harder to meet. A lower floor: a load engine that waits awake, on processors of its own, and idle "
    "processors that stay awake (fairtrial doctor says whether they do)",
    warn=Threshold(
        0.5,
        "share of the p50",
        "of two contenders whose own times are the floor and half of it, the ratio of what is measured is 2 / 1.5 = "
        "1.33, not 2: most of a difference is lost",
    ),
    refuse=Threshold(
        0.9,
        "share of the p50",
        "as where `harness-limited` refuses: a contender without any work at all is then ahead by a factor of 1.11",
    ),
    disturbed=Threshold(
        0.1,
        "share of the processors' time",
        "the share at which `foreign-load` warns: whatever others take raises the floor, and claims would be "
        "refused wrongly",
    ),
)
def latency_at_the_floor(case: Case, *, warn: float, refuse: float, disturbed: float) -> Iterator[Finding]:
    """Latencies of which the load engine's own share is large: how fast the contender is, they hardly tell.

    A warning for each trial near the floor; a refusal of the verdict for each claim that compares medians near it, of
    which one is at it.
    """
    shares = {
        trial.index: share for trial in case.trials if (share := _share(case, trial, refuse, disturbed)) is not None
    }
    for index, share in shares.items():
        if share.value >= warn:
            yield finding("warning", share.in_words(), trial=index)
    by_condition = _medians(case, shares)
    for claim in case.record.experiment.claims:
        if not isinstance(claim, MetricClaim) or not _is_of_medians(case, claim):
            continue
        names = [str(each) for each in claim.needs()]
        near_it = [name for name in names if by_condition.get(name, -1.0) >= warn]
        at_the_floor = [name for name in near_it if by_condition[name] >= refuse]
        if len(names) > 1 and near_it == names and at_the_floor:
            yield finding(
                "refusal",
                f"{_figure(claim)} of {', '.join(at_the_floor)} is what the load engine measures of a server that "
                "does nothing, and most of what is compared is the load engine's and the kernel's: a faster contender "
                "would look the same, and the comparison comes out too equal",
                claim=claim.id,
            )


def _is_of_medians(case: Case, claim: MetricClaim) -> bool:
    """Whether a claim rests on medians: by name, or as goodput of a single connection, which is the reciprocal of its
    response time."""
    if claim.request is not None:
        return False
    if claim.metric != "goodput":
        return claim.metric in MEDIANS
    names = {str(each) for each in claim.needs()}
    loads = [each.load for each in case.record.conditions if each.contender in names]
    return all(load.clients == 1 for load in loads)


def _share(case: Case, trial: TrialRecord, refuse: float, disturbed: float) -> _Share | None:
    """The floor below a trial; None where none was measured, or the trial has no median."""
    load = case.loads[trial.condition]
    if trial.engine is None:
        return None
    calibration = calibration_of(case.record, load, trial.engine)
    seconds = supported_percentile(trial.engine.response_time, "50")
    floor = None if calibration is None else _floor(calibration)
    if calibration is None or floor is None or not seconds:
        return None
    is_certain = not was_disturbed(case.record.placement, calibration.machine, disturbed)
    return _Share(seconds, *floor, is_certain and refuse * floor[0] <= seconds)


def _floor(calibration: Calibration) -> tuple[float, str] | None:
    """The median against a server that does nothing, in seconds, and under which load; None if it was not measured.

    At the rate of an open load, which lets the caches of the server's processor cool down, it lies above that of one
    request after the other.
    """
    for times, of in (
        (calibration.floor_at_rate, "at the same rate"),
        (calibration.floor, "with a single connection"),
    ):
        seconds = None if times is None else supported_percentile(times, "50")
        if seconds is not None:
            return seconds, of
    return None


def _figure(claim: MetricClaim) -> str:
    one_at_a_time = "goodput over one connection, the reciprocal of response time,"
    return one_at_a_time if claim.metric == "goodput" else "p50 of response time"


def _medians(case: Case, shares: Mapping[int, _Share]) -> dict[str, float]:
    """By the condition as claims name it, the median of its trials' shares, of those that are certain."""
    medians = {}
    for condition in case.record.conditions:
        own = [shares[each.index] for each in case.trials_of(condition.id) if each.index in shares]
        certain = [share.value for share in own if share.is_certain]
        if certain:
            medians[condition.contender] = median(certain)
    return medians
