"""Steps that turn one contender into another: `[why]` of an experiment file.

Either `steps` names what lies between the two, such as the commits in between. Or there are factors: each is switched
by itself, and the design's combinations are conditions like any others: variants of the contender that it starts from,
named after the factors that are switched in them, and the two values of a sweep.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, model_validator

from fairtrial.base.strict import LONGEST_TITLE, SLUG, Strict
from fairtrial.experiment.factorial import MOST_FACTORS, MOST_IN_FULL, FactorialDesign, Run, make_design, make_path
from fairtrial.experiment.reference import ConditionRef, StackRef
from fairtrial.experiment.sweep import PARAMETER, PARAMETER_IN_WORDS, Sweep
from fairtrial.experiment.value import Value, format_value
from fairtrial.experiment.variables import Variables

SWITCHED = "with-"
BETWEEN = "-and-"
"""`with-pool-and-logging`: the variant in which these two factors are switched."""


class Factor(Strict):
    """One thing that is switched: a variant, variables, or a setting of the experiment."""

    variant: Annotated[str, Field(pattern=SLUG)] | None = Field(
        None, description="of the contender that it starts from: what differs in it is switched"
    )
    env: Variables = Field(default_factory=dict, description="variables that the contender then gets")
    setting: str | None = Field(None, description="as `parameter` of a sweep: options.KEY, load.KEY, …")
    values: list[Value] = Field(default_factory=list, description="of the setting: before and after")

    @model_validator(mode="after")
    def _of_one_kind(self) -> Self:
        if [self.variant is not None, bool(self.env), self.setting is not None].count(True) != 1:
            raise ValueError("a factor has one of `variant`, `env` and `setting`")
        if self.setting is not None and not re.fullmatch(PARAMETER, self.setting):
            raise ValueError(f"setting: {self.setting!r} cannot be switched: write {PARAMETER_IN_WORDS}")
        if (len(self.values) == 2) != (self.setting is not None) or len(set(map(format_value, self.values))) == 1:
            raise ValueError("values: a setting has two, before and after, which differ; nothing else has values")
        return self

    def in_words(self) -> str:
        """Its changes: `variant async`, `DB_POOL=16`, `options.rows 10 to 1`."""
        if self.setting is not None:
            return f"{self.setting} {' to '.join(map(format_value, self.values))}"
        if self.variant is not None:
            return f"variant {self.variant}"
        return ", ".join(f"{name}={value}" for name, value in self.env.items())


class Why(Strict):
    """The question: why does `to` differ from `from`?"""

    model_config = ConfigDict(populate_by_name=True)

    start: StackRef = Field(alias="from")
    end: StackRef | None = Field(None, alias="to", description="null: `from` with every factor switched")
    metric: str | None = Field(None, description="null: goodput; under an open load response_time_p50")
    unequal_work: str | None = Field(None, min_length=1, description="as of a claim: why not all do the same work")
    factors: dict[Annotated[str, Field(pattern=SLUG)], Factor] = Field(default_factory=dict, max_length=MOST_FACTORS)
    steps: list[StackRef] = Field(
        default_factory=list, max_length=MOST_FACTORS - 1, description="in place of factors: what is between, in order"
    )
    titles: dict[str, Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE)]] = Field(
        default_factory=dict, description="by step, or `to` after steps: what the answer calls it"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if bool(self.factors) == bool(self.steps):
            raise ValueError("factors: it has at least 1 factor, or else `steps`, and not both")
        path = list(map(str, filter(None, (self.start, *self.steps, self.end))))
        if self.steps and (self.end is None or len(set(path)) < len(path)):
            raise ValueError("steps: they lie between `from` and `to`, each once: name both, and neither among them")
        if not self.titles.keys() <= (set(path[1:]) if self.steps else set()):
            raise ValueError("titles: each is of one of the steps, or of `to` after them")
        if self.steps and len(set(self._names)) < len(self._names):
            raise ValueError("titles: two steps have one title")
        settings = [name for name, factor in self.factors.items() if factor.setting is not None]
        if len(settings) > 1:
            raise ValueError(f"factors: {' and '.join(settings)} are both settings, and one can be swept")
        if settings and len(self.factors) > MOST_IN_FULL:
            raise ValueError(
                f"factors: with more than {MOST_IN_FULL} not all combinations are tried, and a setting would be tried "
                f"with all: leave {settings[0]} out, or write it as `variant` or `env`"
            )
        for name in self.factors:
            if BETWEEN in f"-{name}-":
                raise ValueError(f"factors: {name}: `and` stands between the names of factors: choose another")
        if self.end is not None and str(self.end) == str(self.start):
            raise ValueError("to: it is `from` itself: leave it out, or name another")
        return self

    @cached_property
    def design(self) -> FactorialDesign:
        """The runs over its factors."""
        return make_path(self._names) if self.steps else make_design(list(self.factors))

    @property
    def _path(self) -> list[StackRef]:
        return [self.start, *self.steps, *filter(None, [self.end])]

    @property
    def _names(self) -> list[str]:
        """The names of the steps, in the answer."""
        return [self.titles.get(str(stack), str(stack)) for stack in self._path[1:]]

    @property
    def changes(self) -> dict[str, str]:
        """The changes of each factor or step, in words, by its name."""
        if self.steps:
            return {
                name: f"from {before}" if name == str(after) else f"{after} from {before}"
                for name, (before, after) in zip(self._names, pairwise(self._path), strict=True)
            }
        return {name: factor.in_words() for name, factor in self.factors.items()}

    @property
    def setting(self) -> tuple[str, Factor] | None:
        """The factor that is a setting of the experiment, by name; None: there is none."""
        return next(((name, factor) for name, factor in self.factors.items() if factor.setting is not None), None)

    def condition(self, run: Run) -> ConditionRef:
        """The condition in which these factors are switched."""
        if self.steps:
            return ConditionRef.of(self._path[len(run)])
        switches = [name for name in self.factors if name in run and self.factors[name].setting is None]
        stack = self.start
        if switches:
            stack = stack.model_copy(update={"variant": SWITCHED + BETWEEN.join(switches)})
        return ConditionRef.of(stack, self._value(run))

    def _value(self, run: Run) -> Value | None:
        if self.setting is None:
            return None
        name, factor = self.setting
        return factor.values[1 if name in run else 0]

    @property
    def whole(self) -> ConditionRef:
        """The condition that it leads to: `to`, or the start with every factor switched."""
        everything = frozenset(self.factors)
        return self.condition(everything) if self.end is None else ConditionRef.of(self.end, self._value(everything))

    @property
    def conditions(self) -> list[ConditionRef]:
        """Every condition that the answer rests on, each once, the start first."""
        refs = [self.condition(run) for run in self.design.runs] + [self.whole]
        return list({str(ref): ref for ref in refs}.values())

    @property
    def profiled(self) -> list[ConditionRef]:
        """The conditions that profilers look at: its start, each factor or step by itself as far as it is tried, and
        what it leads to."""
        alone = [run for run in self.design.runs if self.steps or len(run) <= 1]
        return [*map(self.condition, alone), self.whole]

    def not_among(self, references: Iterable[ConditionRef]) -> list[str]:
        """The names of the conditions that the answer rests on and that are not among these."""
        names = set(map(str, references))
        return [str(ref) for ref in self.conditions if str(ref) not in names]

    @property
    def stacks(self) -> list[StackRef]:
        """Every stack that is tried, each once, the start first."""
        return list({str(ref.stack): ref.stack for ref in self.conditions}.values())

    def switched_in(self, stack: StackRef) -> list[str]:
        """The factors that are switched in a variant of its own making; empty: it is none."""
        if stack.name != self.start.name or not stack.variant.startswith(SWITCHED):
            return []
        names = stack.variant.removeprefix(SWITCHED).split(BETWEEN)
        return names if all(name in self.factors for name in names) else []


def with_conditions(file: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of an experiment's file with the stacks and the sweep that its `[why]` leads to, each where the file
    does not have it.

    What does not fit the model is left as it is: the model refuses it in words of its own.
    """
    try:
        why = Why.model_validate(file["why"])
    except ValueError:
        return {"stacks": ["why"], **file}  # so that `[why]` alone is what is refused
    keys: dict[str, Any] = {"stacks": list(map(str, why.stacks))}
    if why.setting is not None:
        _, factor = why.setting
        is_number = all(isinstance(value, int | float) and not isinstance(value, bool) for value in factor.values)
        values = sorted(factor.values, key=float) if is_number else factor.values
        keys["sweep"] = {"parameter": factor.setting, "values": values}
    return {**keys, **file}


def assert_why(why: Why | None, sweep: Sweep | None) -> None:
    """Refuse a sweep beside a `[why]` that is over anything but a factor of it.

    Raises:
        ValueError: it is.
    """
    if why is None:
        return
    setting = None if why.setting is None else why.setting[1].setting
    if setting != (None if sweep is None else sweep.parameter):
        raise ValueError(
            "why: its conditions are a sweep over the one factor that is a `setting`, and over nothing else: leave "
            "`sweep` out"
        )
