"""Sides of a claim about memory that was read in different ways: their figures cannot be compared."""

from collections import defaultdict
from collections.abc import Iterator

from fairtrial.experiment.claims import MetricClaim
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.checks.model import Case, Check, Finding
from fairtrial.judge.metrics import find_metric, kinds_of
from fairtrial.record.model import TrialRecord


def examine(case: Case) -> Iterator[Finding]:
    """A refusal of the verdict of each claim whose trials have figures of more than one kind."""
    names = {condition.id: condition.contender for condition in case.record.conditions}
    trials: dict[str, list[TrialRecord]] = defaultdict(list)
    for trial in case.trials:
        trials[names[trial.condition]].append(trial)
    for claim in case.record.experiment.claims:
        if not isinstance(claim, MetricClaim):
            continue
        metric = find_metric(claim.metric, claim.request)
        along = [ConditionRef.of(stack, at) for stack in claim.curves() for at in case.record.experiment.points]
        kinds = {
            name: " and ".join(sorted(kinds))
            for name in dict.fromkeys(map(str, (*claim.needs(), *along)))
            if (kinds := kinds_of(metric, trials[name]))
        }
        if len({*kinds.values()}) > 1 or any(" and " in kind for kind in kinds.values()):
            yield case.finding(
                None,
                "refusal",
                f"{metric.label}: " + ", ".join(f"{name} {kind}" for name, kind in kinds.items()),
                claim=claim.id,
            )


CHECK = Check(
    name="unequal-memory",
    looks_at="how the memory of the conditions was read that a claim about memory compares: as proportional set sizes, "
    "or, where the lab may not read the maps of another user's processes, as resident set sizes",
    thresholds={},
    remedy="run the lab as the user of all stacks, or as root with the capability CAP_SYS_PTRACE",
    examine=examine,
)
