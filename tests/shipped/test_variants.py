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


ONE_THING = {
    "go-nethttp": {
        "pipelined": "SELECTS", "coalesced": "SELECTS", "rare-collection": "GOGC", "one-processor": "WEB_CONCURRENCY",
        "unprepared": "STATEMENTS",
    },
    "java-spring": {
        "virtual": "SPRING_THREADS_VIRTUAL_ENABLED", "serial-gc": "JDK_JAVA_OPTIONS", "parallel-gc": "JDK_JAVA_OPTIONS",
        "zgc": "JDK_JAVA_OPTIONS",
    },
    "node-fastify": {"without-schemas": "ANSWER_SCHEMAS", "request-log": "REQUEST_LOG"},
    "node-http": {
        "two-workers": "WEB_CONCURRENCY", "worker-threads": "MATCH_THREADS", "one-connection": "DB_POOL",
        "large-young-generation": "NODE_OPTIONS", "access-log": "ACCESS_LOG",
    },
    "python-fastapi": {
        "psycopg": "POSTGRESQL_DRIVER", "stdlib-json": "JSON", "orjson": "JSON", "asyncio": "EVENT_LOOP",
        "h11": "HTTP_PARSER", "access-log": "ACCESS_LOG",
    },
    "python-flask": {"new-connections": "KEEP_CONNECTIONS", "orjson": "ORJSON", "access-log": "ACCESS_LOG"},
    "ruby-rails": {
        "puma-cluster": "WEB_CONCURRENCY", "one-thread": "MAX_THREADS", "request-log": "LOG_LEVEL",
        "unprepared": "PREPARED_STATEMENTS", "two-arenas": "MALLOC_ARENA_MAX",
    },
    "rust-axum": {"in-place": "BLOCKING_WORK", "inline": "BLOCKING_WORK", "one-worker": "WEB_CONCURRENCY"},
}  # fmt: skip
"""By stack and variant, the one variable that it sets otherwise than the default."""


@pytest.mark.parametrize("stack", ONE_THING)
def test_variants_that_switch_one_thing_change_it_alone(stack: str) -> None:
    variants = STACKS[stack].variants
    changed = {variant: changes(STACKS[stack], variants[variant]) for variant in ONE_THING[stack]}
    assert changed == {variant: {variable} for variant, variable in ONE_THING[stack].items()}
