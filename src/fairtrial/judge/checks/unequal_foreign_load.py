"""Sides of a claim beside one of which others used more of the server's processors than beside the other."""

from collections import defaultdict
from collections.abc import Iterator

from fairtrial.experiment.claims import MetricClaim
from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.judge.metrics import find_metric
from fairtrial.record.model import TrialRecord, foreign_share


def examine(case: Case) -> Iterator[Finding]:
    """A warning for each claim on a rate or a time, measured in slices, whose sides differ in what others used."""
    names = {condition.id: condition.contender for condition in case.record.conditions}
    trials: dict[str, list[TrialRecord]] = defaultdict(list)
    for trial in case.trials:
        if trial.slices is not None:
            trials[names[trial.condition]].append(trial)
    shares = {name: foreign_share(each) for name, each in trials.items()}
    for claim in case.record.experiment.claims:
        if not isinstance(claim, MetricClaim) or not find_metric(claim.metric, claim.request).is_bent_by_others:
            continue
        sides = {name: shares[name] for name in dict.fromkeys(map(str, claim.needs())) if name in shares}
        if len(sides) > 1 and max(sides.values()) - min(sides.values()) >= case.thresholds["difference"]:
            yield case.finding(
                None,
                "warning",
                "others used "
                + ", ".join(f"{share:.1%} of the server's processors beside {name}" for name, share in sides.items())
                + ": the interval of the ratio is wider by as much",
                claim=claim.id,
            )


CHECK = Check(
    name="unequal-foreign-load",
    looks_at="what others than the lab used of the server's processors in the kept slices of either side of a claim",
    thresholds={
        "difference": Threshold(
            0.0125,
            "share of the processors' time",
            "a quarter of the 5% that `fairtrial ab-test` allows a change: a side that has so much less of its "
            "processors is slower by about as much",
        )
    },
    remedy="stop whatever runs on this machine at regular times, and run again",
    examine=examine,
)
