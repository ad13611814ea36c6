"""The evidence by which a claim is judged: a record whose trials already have outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.checks.model import Finding
from fairtrial.judge.losses import Losses
from fairtrial.judge.model import Limit, Outcome
from fairtrial.judge.statistics.student import LEVEL
from fairtrial.record.model import Condition, TrialRecord, by_condition


@dataclass(frozen=True)
class TrialOutcome:
    """The outcome of a trial, as claims need it."""

    outcome: Outcome
    cause: str | None
    """in a few words, where the trial is not valid"""
    refusing: frozenset[str] = frozenset()
    """names of the checks that refused it"""
    warning: frozenset[str] = frozenset()
    """names of the checks that warned of something"""
    noting: frozenset[str] = frozenset()
    """names of the checks that noted something"""
    not_examined: frozenset[str] = frozenset()
    """names of the checks that could not look"""


@dataclass(frozen=True)
class Evidence:
    """Trials in the order of their index; `outcomes` by trial index."""

    experiment: Experiment
    conditions: Sequence[Condition]
    trials: Sequence[TrialRecord]
    outcomes: Mapping[int, TrialOutcome]
    interrupted: bool
    blocks: int
    """how many the verdict has to rest on: as many as were planned, or as there are at this look"""
    level: float = LEVEL
    """of each interval: above 95% where blocks were added while claims were undecided (statistics.looks)"""
    sharing: int = 1
    """how many claims share the error that the level leaves (claims.together)"""
    findings: Mapping[str, Sequence[Finding]] = field(default_factory=dict)
    """those about claims, by the claim's id"""
    overall: Sequence[Finding] = ()
    """those about the experiment"""
    unproven: frozenset[str] = frozenset()
    """ids of conditions of which nothing but the answers says that the work was done"""
    beside_database: frozenset[str] = frozenset()
    """ids of conditions whose stack had the processors of its database"""
    losses: Losses = field(default_factory=Losses)
    """what findings take from trials that stand otherwise"""
    limits: Mapping[str, Limit | None] = field(default_factory=dict)
    """what limited each condition's goodput, by the condition's id"""
    earlier_runs: int = 0
    """of the experiment, whose verdicts were there already"""

    @cached_property
    def _by_condition(self) -> Mapping[str, Sequence[TrialRecord]]:
        return by_condition(self.trials)

    def withholding(self, claim: str) -> Finding | None:
        """The finding that withholds the verdict of the claim with this id, if there is one."""
        return next((each for each in self.findings.get(claim, ()) if each.severity == "refusal"), None)

    def with_finding(self, claim: str, finding: Finding) -> "Evidence":
        """This evidence with a further finding about a claim."""
        return replace(self, findings={**self.findings, claim: [*self.findings.get(claim, ()), finding]})

    def condition(self, reference: ConditionRef) -> Condition:
        """The condition that a claim means.

        Raises:
            ValueError: there is none: the record does not fit its experiment.
        """
        stack = reference.stack
        key = (stack.name, stack.variant, self.experiment.service_of(stack), reference.at)
        for condition in self.conditions:
            if (condition.stack, condition.variant, condition.service, condition.at) == key and not condition.again:
                return condition
        raise ValueError(f"the record holds no condition for {reference}")

    def of(self, condition: Condition) -> dict[int, TrialRecord]:
        """The trials of `condition`, by block."""
        return {trial.block: trial for trial in self._by_condition.get(condition.id, ())}

    def loads(self, *references: ConditionRef) -> str:
        """The loads under which these conditions were tried, in words; one, if it is the same for all."""
        different = dict.fromkeys(self.condition(reference).load.describe() for reference in references)
        return " against ".join(different)
