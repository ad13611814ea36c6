"""Variants of shipped stacks: the same source, what each changes, and that the README says so."""

import pytest

from fairtrial.base.locations import shipped
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.model import Stack, Variant

STACKS = find_stacks()
VARIANTS = [f"{name}:{variant}" for name, stack in STACKS.items() for variant in stack.variants if variant != "default"]


def changes(stack: Stack, variant: Variant) -> set[str]:
    """What differs from the stack's default: names of variables, `args`, `build`, `http2`."""
    usual = stack.variants.get("default", Variant())
    variables = {name for name in usual.env.keys() | variant.env.keys() if usual.env.get(name) != variant.env.get(name)}
    return variables | {key for key in ("args", "build", "http2") if getattr(usual, key) != getattr(variant, key)}


def readme(stack: Stack) -> str:
    return (shipped("stacks") / stack.name / "README.md").read_text()


@pytest.mark.parametrize("contender", VARIANTS)
def test_a_variant_changes_something_of_the_same_source_and_the_readme_says_what(contender: str) -> None:
    name, _, variant_name = contender.partition(":")
    stack = STACKS[name]
    variant = stack.variants[variant_name]
    assert variant.title and changes(stack, variant)
    text = readme(stack)
    assert f"`{variant_name}`" in text, f"the README of {name} does not name its variant {variant_name}"
    unnamed = {key for key in changes(stack, variant) if key.isupper() and key not in text}
    assert not unnamed, f"the README of {name} does not say what {unnamed} are"


def test_stacks_have_variants_by_which_one_thing_alone_changes() -> None:
    switched = {
        name: {next(iter(changes(stack, each))) for each in stack.variants.values() if len(changes(stack, each)) == 1}
        for name, stack in STACKS.items()
    }
    several = {name for name, keys in switched.items() if len(keys) > 1}
    assert {"go-nethttp", "node-http", "python-fastapi", "python-flask", "ruby-rails", "rust-axum"} <= several
    assert len(several) >= 8
