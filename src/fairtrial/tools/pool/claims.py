"""Claims over machines: the machine is the unit, and each gives the claim's figure as its own run has it.

Ratios and equalities are pooled on the logarithm (judge.statistics.random_effects) and answered by the rules of a
single run. Other claims are about figures of one machine: of them, verdicts are counted.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydantic import Field

from fairtrial.base.formatting import count, enumeration
from fairtrial.base.problem import Problem
from fairtrial.base.strict import Strict
from fairtrial.judge.claims.bounded import rule
from fairtrial.judge.claims.equal import BEYOND_THE_MARGIN
from fairtrial.judge.claims.equality import or_equal
from fairtrial.judge.claims.ruling import Ruling
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.equivalence import Equivalence, Verdict, verdict_between
from fairtrial.judge.statistics.random_effects import (
    MINIMUM_MACHINES,
    MOST_WAYS,
    log_error,
    over_machines,
)
from fairtrial.judge.statistics.student import LEVEL
from fairtrial.tools.pool.explain import Explanation, explanations
from fairtrial.tools.pool.machines import RATIOS, Machine


class FigureOnMachine(Strict):
    """A claim on one machine."""

    claim: str = Field(description="its id")
    machine: str
    verdict: Verdict
    estimate: float | None = Field(description="as the run itself has it; null: none, or a lower bound")
    lower: float | None = Field(description="lower end of its interval; null: there is none")
    upper: float | None = Field(description="its upper end, likewise")
    disagrees: bool = Field(description="it is no draw from what the other machines say, at 5% for all together")


class PooledClaim(Strict):
    """A claim over all machines."""

    id: str
    text: str
    kind: str
    subject: str
    requirement: str = Field(description="what the claim asks of it, in words: `at least 2`")
    verdict: Verdict | None = Field(description="null: a claim about figures of one machine, which is not pooled")
    estimate: float | None = Field(description="the pooled ratio; null: fewer than three machines have one")
    interval: tuple[float, float] | None = Field(description="95%, whichever machines lie, of as many as were allowed")
    between: float | None = Field(
        description="standard deviation of the true ratio between machines, as a share of it; null: no estimate"
    )
    reason: str | None = Field(description="why it is undecided, or which difference is left of an equal one")
    explained_by: list[Explanation] = Field(description="what goes with the difference between machines")
    machines: list[FigureOnMachine]

    @property
    def disagreeing(self) -> list[FigureOnMachine]:
        """The machines that are no draw from what the others say."""
        return [each for each in self.machines if each.disagrees]

    @property
    def verdicts_in_words(self) -> str:
        """`upheld on 3, undecided on 1`."""
        return enumeration(
            f"{verdict} on {machines}" for verdict, machines in Counter(each.verdict for each in self.machines).items()
        )


@dataclass(frozen=True)
class _OnMachine:
    """The answer of one run to a claim."""

    machine: str
    claim: ClaimResult
    properties: Mapping[str, str]
    """of the machine and its system"""

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval of its figure; None: it has none, one that is open at an end, or one that is not pooled."""
        is_open = self.claim.estimate_is_lower_bound or self.claim.interval_open_above
        if self.claim.kind not in RATIOS or self.claim.interval is None or is_open:
            return None
        return self.claim.interval if self.claim.interval[0] > 0 else None

    @property
    def standard_error(self) -> float:
        """The standard error of the logarithm of its ratio."""
        assert self.ends is not None
        return log_error(*self.ends, self.claim.level or LEVEL, self.claim.blocks)

    def figure(self, *, disagrees: bool) -> FigureOnMachine:
        """For people and programs."""
        low, high = self.ends or (None, None)
        return FigureOnMachine(
            claim=self.claim.id,
            machine=self.machine,
            verdict=self.claim.verdict,
            estimate=None if self.ends is None else self.claim.estimate,
            lower=low,
            upper=high,
            disagrees=disagrees,
        )


@dataclass(frozen=True)
class _Answer:
    """The answer of all machines together."""

    ruling: Ruling | None
    """None: a claim of a kind that is not pooled"""
    estimate: float | None = None
    interval: tuple[float, float] | None = None
    between: float | None = None
    disagreeing: Collection[str] = ()
    explained_by: Sequence[Explanation] = ()


def pool_claims(machines: Sequence[Machine], lies: int) -> list[PooledClaim]:
    """Each claim of the experiment over all machines, of which `lies` may lie.

    Raises:
        Problem: there are too many ways to leave so many machines out.
    """
    if math.comb(len(machines), lies) > MOST_WAYS:
        ways = f"there are more than {MOST_WAYS:,} ways to leave out {lies} of {len(machines)} machines"
        raise Problem(ways, "let fewer of them lie (--lies)")
    by_machine = [
        [_OnMachine(machine.name, claim, machine.properties) for claim in machine.result.claims] for machine in machines
    ]
    return [_over_machines(each, lies) for each in zip(*by_machine, strict=True)]


def _over_machines(figures: Sequence[_OnMachine], lies: int) -> PooledClaim:
    claim = figures[0].claim
    answer = _answer(figures, lies) if claim.kind in RATIOS else _Answer(None)
    return PooledClaim(
        id=claim.id,
        text=claim.text,
        kind=claim.kind,
        subject=claim.subject,
        requirement=claim.asked,
        verdict=None if answer.ruling is None else answer.ruling.verdict,
        estimate=answer.estimate,
        interval=answer.interval,
        between=answer.between,
        reason=None if answer.ruling is None else answer.ruling.reason,
        explained_by=list(answer.explained_by),
        machines=[each.figure(disagrees=each.machine in answer.disagreeing) for each in figures],
    )


def _answer(figures: Sequence[_OnMachine], lies: int) -> _Answer:
    """The verdict by the hull of intervals; the estimate without the machines that disagree, if so many may lie."""
    with_interval = [each for each in figures if each.ends is not None]
    if len(with_interval) < MINIMUM_MACHINES + lies:
        of_which = f", as {lies} may lie" if lies else ""
        reason = f"{count(len(with_interval), 'machine')} with an interval: {MINIMUM_MACHINES + lies} are needed"
        return _Answer(Ruling("undecided", reason + of_which))
    claim = with_interval[0].claim
    values = np.log([each.claim.estimate or math.nan for each in with_interval])
    errors = np.array([each.standard_error for each in with_interval])
    pooled = over_machines(values, errors, lies)
    estimate = math.exp(pooled.best.value)
    outer, inner = (_ratios(pooled.interval(level)) for level in (LEVEL, 2 * LEVEL - 1))
    bounds, margin, test = (claim.at_least, claim.at_most), claim.margin, None
    if claim.kind == "equal" and claim.at_most is not None:
        margin = claim.at_most - 1
    if margin is not None:
        test = Equivalence("undecided", estimate, margin, inner, outer)
        test = replace(test, verdict=verdict_between(inner, outer, test.within))
    if claim.kind == "equal" and test is not None:
        why = BEYOND_THE_MARGIN if test.verdict == "undecided" else None
        ruling, interval = Ruling(test.verdict, why), test.deciding
    else:
        ruling, interval = or_equal(rule(outer, bounds), test, LEVEL), outer
    return _Answer(
        ruling,
        estimate,
        interval,
        between=math.expm1(pooled.best.between),
        disagreeing=[with_interval[place].machine for place in pooled.disagreeing],
        explained_by=explanations(values, [each.properties for each in with_interval]),
    )


def _ratios(logarithms: tuple[float, float]) -> tuple[float, float]:
    low, high = logarithms
    return math.exp(low), math.exp(high)
