"""The variants in which factors of a `[why]` are switched: those of the contender that it starts from, combined."""

from collections.abc import Mapping, Sequence

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import pick_stack
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.why import Why

ENV = "env."
OTHERS = ("args", "build", "requires", "http2")
"""What else a variant may change. Its class is no cause: it is that of the last factor with another one."""


def with_switched(stacks: Mapping[str, Stack], experiment: Experiment) -> dict[str, Stack]:
    """The stacks, and among the variants of the one that `[why]` starts from those that the experiment tries.

    Raises:
        Problem: there is no such stack or variant, nothing of it can be switched, a factor changes nothing, or two
            change the same.
    """
    why = experiment.why
    if why is None:
        return dict(stacks)
    stack = pick_stack(stacks, why.start)
    if stack.origin.runs_already and any(factor.setting is None for factor in why.factors.values()):
        raise Problem(
            f"why: {stack.name} runs already, so that nothing of it can be switched",
            "let the lab start it (`folder` or `command`), or switch a `setting`",
        )
    stack.origin.assert_variables(name for factor in why.factors.values() for name in factor.env)
    variants, checkouts = dict(stack.variants), dict(stack.checkouts)
    for ref in experiment.stacks:
        if factors := why.switched_in(ref):
            variant, source = _combined(stack, why, factors)
            variants[ref.variant] = variant
            if source in checkouts:
                checkouts[ref.variant] = checkouts[source]
    return {**stacks, stack.name: stack.model_copy(update={"variants": variants, "checkouts": checkouts})}


def _combined(stack: Stack, why: Why, factors: Sequence[str]) -> tuple[Variant, str]:
    """The variant in which these factors are switched, and the one whose source it is built from."""
    usual, source = stack.variant(why.start), why.start.variant
    stack_class = usual.stack_class
    changes: dict[str, object] = {}
    for name in factors:
        factor = why.factors[name]
        further: dict[str, object] = {f"{ENV}{key}": value for key, value in factor.env.items()}
        if factor.variant is not None:
            variant = stack.variant(why.start.model_copy(update={"variant": factor.variant}))
            further = _changes(usual, variant)
            stack_class = stack_class if variant.stack_class == usual.stack_class else variant.stack_class
            if factor.variant in stack.checkouts and factor.variant != why.start.variant:
                further["build"], source = stack.build_commands(factor.variant), factor.variant
        if further.items() <= {f"{ENV}{key}": value for key, value in usual.env.items()}.items():
            raise Problem(
                f"why: {name} ({factor.in_words()}) changes nothing of {why.start}",
                "name another variant or another value, or leave the factor out",
            )
        if common := sorted(changes.keys() & further):
            raise Problem(
                f"why: {name} changes {common[0]} of {stack.name}, and so does another factor: they cannot be switched "
                "apart",
                "let each factor change things of its own",
            )
        changes |= further
    env = usual.env | {key.removeprefix(ENV): value for key, value in changes.items() if key.startswith(ENV)}
    others = {key: value for key, value in changes.items() if not key.startswith(ENV)}
    others |= {"title": f"with {' and '.join(factors)}", "stack_class": stack_class}
    others["env"] = {key: value for key, value in env.items() if value is not None}
    return usual.model_copy(update=others), source


def _changes(usual: Variant, variant: Variant) -> dict[str, object]:
    """The differences of a variant, by key: `args`, or `env.NAME`, which is None where the variant lacks a variable."""
    names = sorted(usual.env.keys() | variant.env.keys())
    env = {f"{ENV}{name}": variant.env.get(name) for name in names if usual.env.get(name) != variant.env.get(name)}
    others = {key: getattr(variant, key) for key in OTHERS if getattr(variant, key) != getattr(usual, key)}
    return {**env, **others}
