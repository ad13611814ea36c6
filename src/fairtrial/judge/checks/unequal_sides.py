from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from fairtrial.experiment.claims import MetricClaim
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.metrics.metric import kinds_of
from fairtrial.record.model import TrialRecord, foreign_share


@check(
    "unequal-foreign-load",
    looks_at="the kept slices of either side of a claim that was measured in slices",
    remedy="stop whatever runs on this machine at regular times, and run again",
    difference=Threshold(
        0.0125,
        "share of the processors' time",
        "a quarter of the 5% that `fairtrial ab-test` allows a change: a side that has so much less of its "
        "processors is slower by about as much",
    ),
)
def unequal_foreign_load(case: Case, *, difference: float) -> Iterator[Finding]:
    """Sides of a claim beside one of which others used more of the server's processors than beside the other.

    A warning for each claim on a rate or a time; a refusal of the verdict on a shape, which has no one interval that
    could be wider.
    """
    in_slices = _by_contender(case, [trial for trial in case.trials if trial.slices is not None])
    for claim in case.record.experiment.claims:
        if not isinstance(claim, MetricClaim):
            continue
        metric = find_metric(claim.metric, claim.request)
        if not metric.is_bent_by_others:
            continue
        sides = {
            name: foreign_share(in_slices[name], of_tails=metric.of_tail)
            for name in case.record.experiment.sides_of(claim)
            if name in in_slices
        }
        if len(sides) > 1 and max(sides.values()) - min(sides.values()) >= difference:
            is_ratio = claim.kind != "shape"
            yield finding(
                "warning" if is_ratio else "refusal",
                "others used "
                + ", ".join(f"{share:.1%} of the server's processors beside {name}" for name, share in sides.items())
                + (": the interval of the ratio is wider by as much" if is_ratio else ""),
                claim=claim.id,
            )


@check(
    "unequal-memory",
    looks_at="how the memory was read: as proportional set sizes, or, where the lab may not read the maps of "
    "another user's processes, as resident set sizes",
    remedy="run the lab as the user of all stacks, or as root with the capability CAP_SYS_PTRACE",
)
def unequal_memory(case: Case) -> Iterator[Finding]:
    """Sides of a claim about memory that was read in different ways: their figures cannot be compared.

    A refusal of the verdict.
    """
    trials = _by_contender(case, case.trials)
    for claim in case.record.experiment.claims:
        if not isinstance(claim, MetricClaim):
            continue
        metric = find_metric(claim.metric, claim.request)
        kinds = {
            name: " and ".join(sorted(kinds))
            for name in case.record.experiment.sides_of(claim)
            if (kinds := kinds_of(metric, trials[name]))
        }
        if len({*kinds.values()}) > 1 or any(" and " in kind for kind in kinds.values()):
            evidence = f"{metric.label}: " + ", ".join(f"{name} {kind}" for name, kind in kinds.items())
            yield finding("refusal", evidence, claim=claim.id)


def _by_contender(case: Case, trials: Sequence[TrialRecord]) -> Mapping[str, list[TrialRecord]]:
    """Trials by their condition as claims name it; none of a name that has no trial."""
    by_contender: dict[str, list[TrialRecord]] = defaultdict(list)
    for trial in trials:
        by_contender[case.contenders[trial.condition]].append(trial)
    return by_contender
