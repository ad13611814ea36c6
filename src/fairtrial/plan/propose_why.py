"""A proposal for `[why]`: what can be switched on the way from one stack to another, as a file to strike from."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.environment import AT_ONCE
from fairtrial.catalog.stacks.find import pick_stack
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.catalog.workloads import workloads
from fairtrial.experiment.factorial import MOST_IN_FULL
from fairtrial.experiment.reference import StackRef

PREFERRED = ("random-item", "plaintext")
"""Workloads that most can do: of one statement, and of nothing but server and framework."""
ARGUMENTS = "its arguments"
PROCESSES = "WEB_CONCURRENCY"
ONE_PROCESS = ["[env]", f'{PROCESSES} = "1"', ""]
UNEQUAL = '# unequal_budgets = "how many requests are worked on at once is what is switched"'


@dataclass(frozen=True)
class Candidate:
    """A part that may be switched."""

    name: str
    key: str
    """its line in `[why.factors.NAME]`"""
    title: str
    changes: frozenset[str]
    """variables, and `ARGUMENTS`"""


@dataclass(frozen=True)
class WhyProposal:
    """An experiment file, how many factors it switches, and how many stand in it as comments."""

    name: str
    text: str
    factors: int
    comments: int


def propose_why(stacks: Mapping[str, Stack], start: StackRef, end: StackRef) -> WhyProposal:
    """A file that asks why one stack differs from another.

    Raises:
        Problem: there is no such stack, nothing of the first can be switched, or no workload is of both.
    """
    if start == end:
        raise Problem(f"{start}: stands on both sides", "name two stacks, or two variants of one")
    of, to = pick_stack(stacks, start), pick_stack(stacks, end)
    factors = list(_factors(of, start, end))
    if not factors:
        raise Problem(
            f"{start}: nothing of it is known that could be switched: it has no variants",
            "write an experiment with [why.factors] that set variables, or with `steps`: docs/why.md",
        )
    workload, service = _work(of, to, f"{start} and {end}")
    tables, changes, number = [], set[str](), 0
    for factor in factors:
        why_not = _why_not(factor, changes, number)
        if not why_not:
            changes |= factor.changes
            number += 1
        tables += ["", *_table(factor, why_not)]
    name = f"why-{start}-{end}".replace(":", "-").replace("@", "-")
    lines = [
        f"# Why does {end} differ from {start}? Strike factors or add some, then:",
        f"# fairtrial why {name}.toml",
        "",
        f'name = "{name}"',
        f'title = "From {start} to {end}"',
        f'workload = "{workload}"',
        f'service = "{service}"',
        *([UNEQUAL] if any(each.changes & AT_ONCE for each in factors) else []),
        "",
        *([] if PROCESSES in of.variant(start).env.keys() | to.variant(end).env.keys() else ONE_PROCESS),
        "[why]",
        f'from = "{start}"',
        f'to = "{end}"',
        *tables,
        "",
        "[load]",
        'kind = "closed"',
        "connections = 32",
        "warmup_seconds = 1.0",
        "duration_seconds = 2.0",
    ]
    return WhyProposal(name, "\n".join(lines) + "\n", number, len(factors) - number)


def _factors(of: Stack, start: StackRef, end: StackRef) -> Iterator[Candidate]:
    """For one stack, each variable by which its variants differ; and all variants that are built alike."""
    before = of.variant(start)
    if start.name == end.name:
        after = of.variant(end)
        for variable in sorted(_differing(before, after) & after.env.keys()):
            key = f"env = {{ {variable} = {json.dumps(after.env[variable])} }}"
            yield Candidate(variable.lower().replace("_", "-"), key, f"as {end} has it", frozenset({variable}))
    for name, variant in of.variants.items():
        changes = _differing(before, variant) | ({ARGUMENTS} if variant.args != before.args else set())
        is_end = start.name == end.name and name == end.variant
        is_alike = (variant.build, variant.http2) == (before.build, before.http2)
        if name not in ("default", start.variant) and not is_end and is_alike and changes:
            yield Candidate(name, f'variant = "{name}"', variant.title, frozenset(changes))


def _differing(before: Variant, after: Variant) -> set[str]:
    names = before.env.keys() | after.env.keys()
    return {name for name in names if before.env.get(name) != after.env.get(name)}


def _why_not(factor: Candidate, others: set[str], number: int) -> str:
    """Why it is named only, in words; empty: it is switched."""
    if PROCESSES in factor.changes:
        return f"sets {PROCESSES}: say at the top why with unequal_budgets, and strike it from [env]"
    if more := sorted(factor.changes & AT_ONCE):
        return f"sets {', '.join(more)}: say at the top why with unequal_budgets"
    if both := sorted(factor.changes & others):
        return f"changes {', '.join(both)}, as one above does: one of them at a time"
    return f"of more than {MOST_IN_FULL}, a fraction of the combinations is tried" if number == MOST_IN_FULL else ""


def _table(factor: Candidate, why_not: str) -> Iterator[str]:
    mark = "# " if why_not else ""
    words = f"{factor.title} ({why_not})" if why_not else factor.title
    yield f"# {words}"
    yield f"{mark}[why.factors.{factor.name}]"
    yield f"{mark}{factor.key}"


def _work(of: Stack, to: Stack, both: str) -> tuple[str, str]:
    """A workload and a service that both implement. Raises Problem: there is none."""
    every = workloads()
    for name in (*PREFERRED, *every):
        workload = every[name]
        for service in workload.services if workload.kind == "server" else ():
            if of.implements(workload, service) and to.implements(workload, service):
                return name, service
    raise Problem(f"{both}: no workload is of both", "compare stacks that share one: fairtrial list stacks")
