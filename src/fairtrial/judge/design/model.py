"""An experiment's design, a flaw in it, and `@flaw_kind`: what makes a function a kind of flaw."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import ConditionRef, StackRef
from fairtrial.record.design import ConditionDesign
from fairtrial.record.model import Condition, ExperimentRecord

DesignSeverity = Literal["note", "warning", "refusal", "stop"]
"""refusal: the verdict on the claim is withheld; stop: nothing is tried unless the user says so."""


@dataclass(frozen=True)
class Design:
    """An experiment before its first trial."""

    experiment: Experiment
    conditions: Sequence[Condition]
    facts: Mapping[str, ConditionDesign]
    """by condition id; of an older record none"""
    server_processors: int | None
    """that stacks and services have; None: not known before the run"""

    def condition(self, reference: ConditionRef) -> Condition:
        """The condition that a claim means."""
        stack = reference.stack
        key = (stack.name, stack.variant, self.experiment.service_of(stack), reference.at)
        return next(
            each
            for each in self.conditions
            if (each.stack, each.variant, each.service, each.at) == key and not each.again
        )

    def facts_of(self, reference: ConditionRef) -> ConditionDesign:
        """The known facts about a condition; of an older record none."""
        return self.facts.get(self.condition(reference).id, ConditionDesign())

    def same_stack(self, pair: tuple[ConditionRef, ConditionRef]) -> bool:
        """Whether both sides are one stack in one variant on one service, and differ by the sweep's value alone."""
        return self._place(pair[0].stack) == self._place(pair[1].stack)

    def _place(self, stack: StackRef) -> tuple[str, str, str]:
        return stack.name, stack.variant, self.experiment.service_of(stack)


def design_of_record(record: ExperimentRecord) -> Design:
    """The design of what was tried."""
    processors = len(record.placement.server_cpus) or None
    return Design(record.experiment, record.conditions, record.designs, processors)


@dataclass(frozen=True)
class Flaw:
    """Something in the design that a reader of its verdicts has to know."""

    severity: DesignSeverity
    key: str
    """of the experiment's file, from the top (`load.connections`); without a dot, of the claim that it is about"""
    evidence: str
    """what follows from the design, with figures: a sentence without its full stop"""
    remedy: str
    """what to write in its place"""
    claim: str | None = None
    """the id of the claim that it is about"""
    contenders: Sequence[str] = ()
    """of a flaw that is about no claim, the conditions that it is about; empty: all"""
    kind: str = ""
    """the name of its kind, which the registry sets"""


Examine = Callable[[Design], Iterator[Flaw]]
"""A pure function: the same design gives the same flaws."""


@dataclass(frozen=True)
class FlawKind:
    """A kind of flaw: its name, which designs have it, and how they are known."""

    name: str
    looks_for: str
    examine: Examine
    in_sentence: bool = True
    """whether what it says of a claim is part of that claim's sentence; false: what the trials show says it better"""
    in_quick: bool = True
    """whether it is worth a line before a run in the quick form, whose lengths are not those of the file"""


def flaw_kind(
    name: str, *, looks_for: str, in_sentence: bool = True, in_quick: bool = True
) -> Callable[[Examine], FlawKind]:
    """Make a function a kind of flaw."""
    return lambda examine: FlawKind(name, looks_for, examine, in_sentence, in_quick)
