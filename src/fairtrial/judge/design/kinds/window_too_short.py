"""Windows too short for `not-warm` of a runtime that compiles while it runs, and warm-ups with too few calls."""

import re
from collections.abc import Iterator

from fairtrial.base.formatting import plain_in
from fairtrial.base.units import UNITS
from fairtrial.experiment.loads import ClosedLoad, RequestLoad
from fairtrial.judge.checks.not_warm import SHORTEST_SECONDS
from fairtrial.judge.design.model import Design, Flaw, Kind
from fairtrial.judge.design.room import mean_wait
from fairtrial.record.design import ConditionDesign
from fairtrial.record.model import Condition

COMPILING = re.compile(
    r"\b(java|kotlin|scala|clojure|groovy|javascript|typescript|c#|f#|\.net|julia|dart|pypy|jruby|luajit|hhvm)\b",
    re.IGNORECASE,
)
"""Languages, or runtimes, whose usual one compiles what runs often while it runs."""

ON_A_JVM = re.compile(r"\b(java|kotlin|scala|clojure|groovy|jruby)\b", re.IGNORECASE)

CALLS_UNTIL_COMPILED = 5000
"""HotSpot compiles a method for good once it was called so often (-XX:Tier4InvocationThreshold); what runs once a
request is called once a request."""


def examine(design: Design) -> Iterator[Flaw]:
    """At most one warning for windows, and one for the warm-up of a JVM. Other runtimes: `judge.not_examined`."""
    yield from _short_windows(design)
    yield from _few_calls(design)


def _short_windows(design: Design) -> Iterator[Flaw]:
    if design.experiment.slices is not None:
        return
    short = [
        condition
        for condition in design.conditions
        if isinstance(condition.load, ClosedLoad)
        and condition.load.duration_seconds < SHORTEST_SECONDS
        and COMPILING.search(_facts(condition, design).language)
    ]
    if not short:
        return
    names = list(dict.fromkeys(condition.contender for condition in short))
    seconds = max(condition.load.window_seconds or 0.0 for condition in short if isinstance(condition.load, ClosedLoad))
    evidence = (
        f"{', '.join(names)} compile while they run, and windows of {seconds:g} s are below the {SHORTEST_SECONDS} s "
        "that `not-warm` takes: whether they were still compiling is not examined"
    )
    remedy = f"`duration_seconds = {float(SHORTEST_SECONDS)}` or more"
    yield Flaw("warning", "load.duration_seconds", evidence, remedy, contenders=names)


def _few_calls(design: Design) -> Iterator[Flaw]:
    for condition in design.conditions:
        facts, load = _facts(condition, design), condition.load
        if not isinstance(load, RequestLoad) or not ON_A_JVM.search(facts.language):
            continue
        mean = mean_wait(facts.waits)
        rate = load.offered_per_second or (
            load.most_in_flight / mean if mean and isinstance(load, ClosedLoad) else None
        )
        if rate is None or rate * load.warmup_seconds >= CALLS_UNTIL_COMPILED:
            continue
        evidence = (
            f"in a warm-up of {load.warmup_seconds:g} s {condition.contender} gets {rate * load.warmup_seconds:,.0f} "
            f"requests at {plain_in(rate, UNITS['/s'])}, and a JVM compiles a method for good once it was called "
            f"{CALLS_UNTIL_COMPILED:,} times"
        )
        remedy = f"`warmup_seconds = {CALLS_UNTIL_COMPILED / rate:.3g}` or more, or more connections"
        yield Flaw("warning", "load.warmup_seconds", evidence, remedy, contenders=[condition.contender])
        return


def _facts(condition: Condition, design: Design) -> ConditionDesign:
    return design.facts.get(condition.id, ConditionDesign())


KIND = Kind(
    name="window-too-short",
    looks_for="windows that `not-warm` cannot examine of a runtime that compiles while it runs, and warm-ups in which "
    "a JVM gets fewer requests than it takes to compile what answers them",
    examine=examine,
    in_sentence=False,
)
