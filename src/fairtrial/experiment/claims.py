"""Claims of an experiment file: `[[claims]]`, one model for each kind. `fairtrial.judge.claims` judges them.

A bound on a metric that has a unit is a text with its unit, `at_most = "50 ms"`; a bound on a ratio is a number. The
models here take either, because records from before bounds had units hold numbers in the metric's base unit (seconds,
bytes, per second, share), and these must still be judged. That a *file* writes the right one is checked by
`fairtrial.judge.claims.validate_claim`, which knows the metrics. A bound is kept as it was written, so a record holds
the text with its unit and is read back unchanged.
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from fairtrial.base.strict import SLUG, Strict
from fairtrial.base.units import Quantity, parse_quantity
from fairtrial.experiment.reference import ConditionRef, StackRef


class BaseClaim(Strict):
    """The keys that every claim has."""

    id: str = Field(pattern=SLUG)
    text: str = Field(min_length=1)
    source: str | None = None
    published: float | str | None = Field(None, description="the figure that the source gives, or its words")
    unequal_work: str | None = Field(
        None,
        min_length=1,
        description="why what it compares does not do the same work; without it, the verdict is withheld",
    )
    adds_blocks: bool = Field(
        True, description="whether a run without `blocks` goes on while this claim alone is undecided"
    )

    @model_validator(mode="after")
    def _compares(self) -> Self:
        if self.unequal_work is not None and len({*map(str, self.needs()), *map(str, self.curves())}) < 2:
            raise ValueError("unequal_work: this claim compares nothing: leave it out")
        return self

    def conditions(self) -> Sequence[ConditionRef]:
        """The conditions that the claim names."""
        return ()

    def curves(self) -> Sequence[StackRef]:
        """The stacks that the claim is about over the whole sweep."""
        return ()

    def needs(self) -> Sequence[ConditionRef]:
        """The conditions that must be tried for the claim to be judged."""
        return self.conditions()


class MetricClaim(BaseClaim):
    """A claim about one metric."""

    metric: str = Field("goodput", description="docs/claims.md, Metrics")
    request: str | None = Field(
        None, min_length=1, description="the request of the workload's mix that the metric is of; without it, of all"
    )
    baseline: ConditionRef | None = Field(
        None, description="with the metric overhead: the condition it is measured against"
    )
    server_processors: int | None = Field(
        None, ge=1, description="how many the server has to have; where it has fewer, the verdict is withheld"
    )

    def needs(self) -> Sequence[ConditionRef]:
        return [*self.conditions(), *([] if self.baseline is None else [self.baseline])]


def _read_bound(value: object) -> object:
    """A bound that is written as text, as a quantity; numbers stay as they are."""
    if isinstance(value, str):
        return parse_quantity(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not is_number and not isinstance(value, Quantity):
        raise ValueError('a bound is a quantity such as "50 ms", or a number')
    return value


Bound = Annotated[float | Quantity, BeforeValidator(_read_bound)]
"""A plain number, or a quantity with its unit."""


class Bounds(Strict):
    """A range that an estimate is held against; `about` X `within` a share S is X / (1 + S) to X (1 + S)."""

    at_least: Bound | None = None
    at_most: Bound | None = None
    about: Bound | None = None
    within: float = Field(0.1, gt=0, lt=10, description="a share; only with about")

    @model_validator(mode="after")
    def _has_a_bound(self) -> Self:
        if self.about is not None and (self.at_least is not None or self.at_most is not None):
            raise ValueError("about: it stands alone, without at_least and at_most")
        if self.about is None and self.at_least is None and self.at_most is None:
            raise ValueError("a bound is missing: at_least, at_most, both, or about")
        if self.about is not None and _base_value(self.about) <= 0:
            raise ValueError(f"about: it must be above 0, not {self.about}")
        low, high = self.range
        if low is not None and high is not None and low > high:
            raise ValueError("at_least is above at_most")
        return self

    @property
    def bounds(self) -> Mapping[str, Quantity | float]:
        """The bounds that are set, by key, as they were written."""
        keys = {"at_least": self.at_least, "at_most": self.at_most, "about": self.about}
        return {key: bound for key, bound in keys.items() if bound is not None}

    @property
    def range(self) -> tuple[float | None, float | None]:
        """Lower and upper bound in the metric's base unit, or as plain numbers; None where there is none."""
        if self.about is not None:
            about = _base_value(self.about)
            return about / (1 + self.within), about * (1 + self.within)
        low, high = self.at_least, self.at_most
        return None if low is None else _base_value(low), None if high is None else _base_value(high)

    def holds_around(self, value: float) -> bool:
        """Whether the value keeps the bounds, and so do those close to it."""
        low, high = self.range
        return (low is None or low < value) and (high is None or value < high)


def _base_value(bound: Quantity | float) -> float:
    return bound.value if isinstance(bound, Quantity) else bound


class ComparingClaim(MetricClaim):
    """A claim that one condition is ahead of another by a metric, where *equal* may be the answer."""

    margin: float | None = Field(
        None, gt=0, lt=10, description="a share: what differs by less is equal; null: that of the experiment"
    )

    @property
    def may_be_equal(self) -> bool:
        """Whether equality is an answer: not to a claim that holds where both sides are equal, and around it. Such a
        claim has a margin in its bounds, and *upheld* is the answer."""
        return True

    @model_validator(mode="after")
    def _uses_its_margin(self) -> Self:
        if self.margin is not None and not self.may_be_equal:
            raise ValueError(
                "margin: the claim holds where both sides are equal, and its bounds say by how much they may differ: "
                "leave margin out"
            )
        return self


class OfTwo(MetricClaim):
    """A claim that holds one condition against another."""

    of: ConditionRef
    to: ConditionRef

    @model_validator(mode="after")
    def _differ(self) -> Self:
        if str(self.of) == str(self.to):  # as values, `at true` and `at 1` are equal
            raise ValueError("`of` and `to` name the same condition")
        return self

    def conditions(self) -> Sequence[ConditionRef]:
        return [self.of, self.to]


class RatioClaim(OfTwo, ComparingClaim, Bounds):
    """`metric` of one condition divided by that of another, paired within each block."""

    kind: Literal["ratio"]

    @property
    def may_be_equal(self) -> bool:
        return not self.holds_around(1.0)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for key, bound in self.bounds.items():
            if isinstance(bound, Quantity):
                raise ValueError(f"{key}: a ratio has no unit: write a number such as 1.5, not {str(bound)!r}")
            if bound <= 0:
                raise ValueError(f"{key}: a ratio is held against numbers above 0, not {bound:g}")
        return self


class DifferenceClaim(OfTwo, ComparingClaim, Bounds):
    """`metric` of one condition minus that of another, in the metric's unit, paired within each block."""

    kind: Literal["difference"]

    @property
    def may_be_equal(self) -> bool:
        return not self.holds_around(0.0)


class OrderClaim(ComparingClaim):
    """Several conditions in the order claimed, the best by `metric` first."""

    kind: Literal["order"]
    order: list[ConditionRef] = Field(min_length=2)

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        names = [str(condition) for condition in self.order]
        if len(set(names)) < len(names):
            raise ValueError(f"order: a condition is named twice: {', '.join(names)}")
        return self

    def conditions(self) -> Sequence[ConditionRef]:
        return self.order


class EqualClaim(OfTwo):
    """Two conditions whose `metric` differs by less than a share, shown by an equivalence test: not finding a
    difference is not enough."""

    kind: Literal["equal"]
    within: float = Field(0.05, gt=0, lt=10, description="a share: 0.05 is a ratio of 1/1.05 to 1.05")


SHAPES_WITH: Mapping[str, Sequence[str]] = {
    "between": ("best", "peaks", "rises-and-falls"),
    "within": ("flat",),
    "to": ("advantage-grows", "leads"),
}
"""The shapes that need a key. `to` may stand with any."""


class ShapeClaim(MetricClaim):
    """How `metric` changes along the sweep, or the advantage of one stack over another."""

    kind: Literal["shape"]
    of: StackRef
    shape: Literal[
        "rises",
        "falls",
        "flat",
        "best",
        "peaks",
        "rises-and-falls",
        "diminishing-returns",
        "advantage-grows",
        "leads",
    ]
    to: StackRef | None = Field(
        None, description="the stack to compare with: the shape is then that of the advantage over it"
    )
    between: tuple[float, float] | None = Field(
        None, description="with best, peaks and rises-and-falls: the range of values that holds the best one"
    )
    within: float | None = Field(None, gt=0, lt=10, description="with flat: the share by which values may differ")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        options: Mapping[str, Any] = {"between": self.between, "within": self.within, "to": self.to}
        for key, value in options.items():
            is_needed = self.shape in SHAPES_WITH[key]
            if value is None and is_needed:
                raise ValueError(f"{key}: shape {self.shape!r} needs it")
            if value is not None and not is_needed and key != "to":
                raise ValueError(f"{key}: shape {self.shape!r} has no such key")
        if self.to == self.of:
            raise ValueError("`of` and `to` name the same stack")
        if self.between is not None and self.between[0] > self.between[1]:
            raise ValueError("between: the first is above the second")
        return self

    @property
    def has_order(self) -> bool:
        """Whether the shape is about the order of the sweep's values, so that they have to be numbers."""
        return self.shape not in ("flat", "leads")

    def curves(self) -> Sequence[StackRef]:
        return [self.of] if self.to is None else [self.of, self.to]


class BudgetClaim(MetricClaim, Bounds):
    """`metric` of one condition by itself, in the metric's unit: a budget for a service of your own."""

    kind: Literal["budget"]
    of: ConditionRef
    of_starts: float | None = Field(
        None, gt=0, lt=1, description="the share of all starts that has to keep the budget; null: a typical start"
    )

    def conditions(self) -> Sequence[ConditionRef]:
        return [self.of]


class PropertyClaim(BaseClaim):
    """A property that every trial of a condition has, or that none has."""

    kind: Literal["property"]
    of: ConditionRef
    property: Literal["picks-uniform", "no-write-lost", "all-answered"]
    holds: bool = Field(True, description="false: the claim is that no trial has the property")

    def conditions(self) -> Sequence[ConditionRef]:
        return [self.of]


ClaimsJudged = Literal["each", "together"]
"""Whether the error rate is that of each claim of a file, or of all of them."""

Claim = Annotated[
    RatioClaim | DifferenceClaim | OrderClaim | EqualClaim | ShapeClaim | BudgetClaim | PropertyClaim,
    Field(discriminator="kind"),
]
