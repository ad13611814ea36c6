"""Windows in which `not-warm` sees little of a runtime that compiles while it runs, and warm-ups with too few calls."""

import re
from collections.abc import Iterator

from fairtrial.base.formatting import plain_in
from fairtrial.base.units import UNITS
from fairtrial.judge.checks.not_warm import TENTHS_UP_TO_SECONDS as SHORT_SECONDS
from fairtrial.judge.design.model import Design, DesignSeverity, Flaw, FlawKind
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
    """At most one flaw for windows, a note where no runtime compiles; and one for the warm-up of a JVM."""
    yield from _short_windows(design)
    yield from _few_calls(design)


def _short_windows(design: Design) -> Iterator[Flaw]:
    if design.experiment.slices is not None:
        return
    short = [
        condition
        for condition in design.conditions
        if condition.load.clients is not None and (condition.load.window_seconds or SHORT_SECONDS) < SHORT_SECONDS
    ]
    if not short:
        return
    compiling = [each for each in short if COMPILING.search(_facts(each, design).language)]
    strangers = [each for each in short if each.id in design.facts and not _facts(each, design).language]
    names = list(dict.fromkeys(each.contender for each in (compiling or strangers or short)))
    seconds = max(each.load.window_seconds or 0.0 for each in short)
    because = ", which compile while they run" if compiling else ", of whose runtime nothing is known"
    evidence = (
        f"windows of {seconds:g} s are below {SHORT_SECONDS} s: a contender that becomes faster soon after them is not "
        f"seen by `not-warm`, of {', '.join(names)}{because if compiling or strangers else ''}"
    )
    severity: DesignSeverity = "warning" if compiling or strangers else "note"
    if severity == "note" and not design.experiment.claims:
        return
    remedy = f"`duration_seconds = {float(SHORT_SECONDS)}` or more"
    yield Flaw(severity, "load.duration_seconds", evidence, remedy, contenders=names)


def _few_calls(design: Design) -> Iterator[Flaw]:
    for condition in design.conditions:
        facts, load = _facts(condition, design), condition.load
        if not load.offers_requests or not ON_A_JVM.search(facts.language):
            continue
        mean = mean_wait(facts.waits)
        rate = load.offered_per_second or (
            load.clients / mean if mean and load.clients is not None and load.fixed_requests is None else None
        )
        if rate is None or rate * load.warmup_seconds >= CALLS_UNTIL_COMPILED:
            continue
        evidence = (
            f"in a warm-up of at least {load.warmup_seconds:g} s {condition.contender} gets "
            f"{rate * load.warmup_seconds:,.0f} requests at {plain_in(rate, UNITS['/s'])}, and a JVM compiles a method "
            f"for good once it was called {CALLS_UNTIL_COMPILED:,} times"
        )
        remedy = f"`warmup_seconds = {CALLS_UNTIL_COMPILED / rate:.3g}` or more, or more connections"
        yield Flaw("warning", "load.warmup_seconds", evidence, remedy, contenders=[condition.contender])
        return


def _facts(condition: Condition, design: Design) -> ConditionDesign:
    return design.facts.get(condition.id, ConditionDesign())


KIND = FlawKind(
    name="window-too-short",
    looks_for="windows in which `not-warm` sees little, a warning of a runtime that compiles while it runs; and "
    "warm-ups in which a JVM gets fewer requests than it takes to compile what answers them",
    examine=examine,
    in_sentence=False,
    in_quick=False,
)
