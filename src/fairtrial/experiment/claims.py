"""What an experiment file may claim: `[[claims]]`, one model a kind. How each is judged: `fairtrial.judge.claims`."""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fairtrial.base.strict import SLUG, Strict
from fairtrial.experiment.reference import ConditionRef, StackRef


class Stated(Strict):
    """What every claim has."""

    id: str = Field(pattern=SLUG)
    text: str = Field(min_length=1)
    source: str | None = None
    published: float | str | None = Field(None, description="the figure that the source gives, or its words")

    def conditions(self) -> Sequence[ConditionRef]:
        """The conditions that it speaks of by name."""
        return ()

    def curves(self) -> Sequence[StackRef]:
        """The stacks of which it speaks over the whole sweep."""
        return ()

    def needs(self) -> Sequence[ConditionRef]:
        """The conditions without which it cannot be judged."""
        return self.conditions()


class OfMetric(Stated):
    """A claim about one metric."""

    metric: str = Field("goodput", description="docs/claims.md, Metrics")
    baseline: ConditionRef | None = Field(None, description="of the metric overhead: the condition that it is over")

    def needs(self) -> Sequence[ConditionRef]:
        return [*self.conditions(), *([] if self.baseline is None else [self.baseline])]


class Bounds(Strict):
    """A range that an estimate is held against; `about` X `within` a share S is X / (1 + S) to X (1 + S)."""

    at_least: float | None = None
    at_most: float | None = None
    about: float | None = Field(None, gt=0)
    within: float = Field(0.1, gt=0, lt=10, description="a share; only with about")

    @model_validator(mode="after")
    def _has_a_bound(self) -> Self:
        if self.about is not None and (self.at_least is not None or self.at_most is not None):
            raise ValueError("about: it stands alone, without at_least and at_most")
        if self.about is None and self.at_least is None and self.at_most is None:
            raise ValueError("a bound is missing: at_least, at_most, both, or about")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError("at_least is above at_most")
        return self

    @property
    def range(self) -> tuple[float | None, float | None]:
        """Lower and upper bound; None where there is none."""
        if self.about is not None:
            return self.about / (1 + self.within), self.about * (1 + self.within)
        return self.at_least, self.at_most


class RatioClaim(OfMetric, Bounds):
    """`metric` of one condition divided by that of another, paired within each block."""

    kind: Literal["ratio"]
    of: ConditionRef
    to: ConditionRef

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for key in ("at_least", "at_most"):
            if (bound := getattr(self, key)) is not None and bound <= 0:
                raise ValueError(f"{key}: a ratio is held against numbers above 0, not {bound:g}")
        _assert_two(self.of, self.to)
        return self

    def conditions(self) -> Sequence[ConditionRef]:
        return [self.of, self.to]


class DifferenceClaim(OfMetric, Bounds):
    """`metric` of one condition less that of another, in the metric's unit, paired within each block."""

    kind: Literal["difference"]
    of: ConditionRef
    to: ConditionRef

    @model_validator(mode="after")
    def _fits(self) -> Self:
        _assert_two(self.of, self.to)
        return self

    def conditions(self) -> Sequence[ConditionRef]:
        return [self.of, self.to]


class OrderClaim(OfMetric):
    """Several conditions, the best by `metric` first."""

    kind: Literal["order"]
    order: list[ConditionRef] = Field(min_length=2)

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        names = [str(one) for one in self.order]
        if len(set(names)) < len(names):
            raise ValueError(f"order: one is named twice: {', '.join(names)}")
        return self

    def conditions(self) -> Sequence[ConditionRef]:
        return self.order


class EqualClaim(OfMetric):
    """Two conditions whose `metric` differs by less than a share: shown equal, not merely not shown different."""

    kind: Literal["equal"]
    of: ConditionRef
    to: ConditionRef
    within: float = Field(0.05, gt=0, lt=10, description="a share: 0.05 is a ratio of 1/1.05 to 1.05")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        _assert_two(self.of, self.to)
        return self

    def conditions(self) -> Sequence[ConditionRef]:
        return [self.of, self.to]


class ShapeClaim(OfMetric):
    """How `metric` goes along the sweep."""

    kind: Literal["shape"]
    of: StackRef
    shape: Literal["rises", "falls", "flat", "peaks", "best", "advantage-grows", "leads"]
    to: StackRef | None = Field(None, description="of advantage-grows and leads: the stack that it is set beside")
    between: tuple[float, float] | None = Field(None, description="of peaks and best: where")
    within: float | None = Field(None, gt=0, lt=10, description="of flat: the share by which values may differ")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        keys = {"peaks": "between", "best": "between", "flat": "within", "advantage-grows": "to", "leads": "to"}
        wants = keys.get(self.shape)
        for key in ("between", "within", "to"):
            given = getattr(self, key) is not None
            if given != (key == wants):
                raise ValueError(f"{key}: shape {self.shape!r} {'needs it' if key == wants else 'has no such key'}")
        if self.to == self.of:
            raise ValueError("`of` and `to` name the same stack")
        if self.between is not None and self.between[0] > self.between[1]:
            raise ValueError("between: the first is above the second")
        return self

    def curves(self) -> Sequence[StackRef]:
        return [self.of] if self.to is None else [self.of, self.to]


class BudgetClaim(OfMetric, Bounds):
    """`metric` of one condition as it is, in its unit: for a service of one's own."""

    kind: Literal["budget"]
    of: ConditionRef

    def conditions(self) -> Sequence[ConditionRef]:
        return [self.of]


class PropertyClaim(Stated):
    """Something that is true of every trial of a condition, or of none."""

    kind: Literal["property"]
    of: ConditionRef
    property: Literal["picks-uniform", "no-write-lost", "all-answered"]
    holds: bool = Field(True, description="false: the claim is that it does not hold")

    def conditions(self) -> Sequence[ConditionRef]:
        return [self.of]


def _assert_two(of: ConditionRef, to: ConditionRef) -> None:
    if str(of) == str(to):  # as values, `at true` and `at 1` are equal
        raise ValueError("`of` and `to` name the same condition")


Claim = Annotated[
    RatioClaim | DifferenceClaim | OrderClaim | EqualClaim | ShapeClaim | BudgetClaim | PropertyClaim,
    Field(discriminator="kind"),
]
