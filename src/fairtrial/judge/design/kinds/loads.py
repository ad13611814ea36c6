"""Flaws of a load: it hides what is compared, caps it, or is too short for it."""

import re
from collections.abc import Iterator

from fairtrial.base.formatting import count, figure_in, plain, plain_in
from fairtrial.base.units import UNITS
from fairtrial.experiment.claims import Claim, EqualClaim, MetricClaim, OrderClaim, ShapeClaim
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.checks.not_warm import TENTHS_UP_TO_SECONDS as SHORT_SECONDS
from fairtrial.judge.design.model import Design, DesignSeverity, Flaw, flaw_kind
from fairtrial.judge.design.room import bound_on_speed, factor_in_words, in_flight_in_words, mean_wait
from fairtrial.judge.design.sides import Pair, SpeedClaim, gain, pairs, speed_claims
from fairtrial.judge.metrics import percentile_in
from fairtrial.record.design import ConditionDesign
from fairtrial.record.model import Condition

MEDIAN = 50.0
"""Up to it, a pause shows under no load unless the server stands still for half of the time."""


@flaw_kind(
    "closed-percentile",
    looks_for="a claim about a percentile above the median under a closed load: a pause delays one request for each "
    "connection, however long it is (coordinated omission)",
)
def closed_percentile(design: Design) -> Iterator[Flaw]:
    """A warning for each claim about a percentile above the median."""
    for claim in speed_claims(design):
        percentile = percentile_in(claim.metric)
        if percentile is None or float(percentile[1]) <= MEDIAN:
            continue
        references = claim.needs() or [
            each for each in design.experiment.condition_refs if each.stack in claim.curves()
        ]
        loads = [design.condition(each).load for each in references]
        closed = [load for load in loads if load.clients is not None]
        if not closed:
            continue
        clients = in_flight_in_words(max(closed, key=lambda load: load.most_in_flight))
        evidence = (
            f"the load is closed: while the server pauses, its {clients} ask for nothing more, so that pauses, however "
            f"long they are, hide in p{percentile[1]}"
        )
        bounds = [bound for each in references if (bound := bound_on_speed(each, design)) is not None]
        half = min((rate for rate, _ in bounds), default=0.0) / 2
        yield Flaw("warning", "metric", evidence, _open_form(half), claim.id)


def _open_form(half_per_second: float) -> str:
    """The open load to write instead: at half of the rate that the waits allow, or of one that only a run can tell."""
    rate, words = f"{half_per_second:.0f}", "half of what waiting at once allows"
    if half_per_second < 1:
        rate, words = "…", "half of the goodput that this load shows"
    return (
        f'in [load], `kind = "open"` and `rate_per_second = {rate}` ({words}, or the rate that you expect): an open '
        "load counts every request that a pause delays"
    )


AT_ONCE = (
    "load.connections",
    "load.streams",
    "concurrency_budget",
    "options.pool",
    "options.concurrency",
    "options.tasks",
    "env.MAX_CONCURRENCY",
    "env.MAX_THREADS",
    "env.DB_POOL",
    "env.UPSTREAM_POOL",
    "env.CONCURRENCY",
)
"""A sweep of one of these varies how many waits there are at once."""


@flaw_kind(
    "gain-beyond-waiting",
    looks_for="one contender at two values of a sweep, and a claim of a larger gain than its waits allow: 20 sleeps "
    "over 16 connections take two rounds, over 8 three",
)
def gain_beyond_waiting(design: Design) -> Iterator[Flaw]:
    """A stop where the job is to wait and nothing else; a warning where waits are a part of it."""
    for claim in design.experiment.claims:
        if (flaw := _beyond(claim, design)) is not None:
            yield flaw


def _beyond(claim: Claim, design: Design) -> Flaw | None:
    wanted_gain = gain(claim)
    if wanted_gain is None:
        return None
    more, less, times, key = wanted_gain
    bounds = bound_on_speed(more, design), bound_on_speed(less, design)
    if bounds[0] is None or bounds[1] is None or not _waits_more(more, less, design):
        return None
    allowed = bounds[0][0] / bounds[1][0]
    if times <= max(1.0, allowed) * (1 + 1e-6):
        return None
    evidence = (
        f"it asks for a gain of {factor_in_words(times)}, and waiting at once allows {plain(allowed)}: for {more} "
        f"{bounds[0][1]}, for {less} {bounds[1][1]}"
    )
    limit = allowed if key != "at_most" else 1 / allowed
    remedy = (
        f"ask for less than waiting allows, which is `{key} = {plain(limit)}` for a contender that costs nothing; or "
        "change the load so that it allows more"
    )
    nothing_else = all(design.facts_of(each).only_waits for each in (more, less))
    is_certain = nothing_else and times > _allowed_to_anybody(more, less, design) * (1 + 1e-6)
    return Flaw("stop" if is_certain else "warning", key, evidence, remedy, claim.id)


def _allowed_to_anybody(more: ConditionRef, less: ConditionRef, design: Design) -> float:
    """The gain that waiting allows to contenders that keep to no budget: that of the requests in flight.

    Where the budget itself is swept, who does not keep to it gains nothing.
    """
    ours, theirs = design.condition(more).load, design.condition(less).load
    return ours.most_in_flight / theirs.most_in_flight if theirs.offers_requests else 1.0


def _waits_more(more: ConditionRef, less: ConditionRef, design: Design) -> bool:
    """Whether `more` is the same contender with more waits at once."""
    sweep = design.experiment.sweep
    if sweep is None or sweep.parameter not in AT_ONCE or not design.same_stack((more, less)):
        return False
    return isinstance(more.at, int | float) and isinstance(less.at, int | float) and more.at > less.at


REACHABLE_PER_SECOND = 100_000.0
"""Answers a second of one processor that nobody reaches who makes a call or a query for each: these are four system
calls through TCP at least, of 2.5 µs or more each over loopback."""

ALIKE = 1.01
"""Caps that differ by no more are the same: pools are whole numbers, and are rounded up by process."""


@flaw_kind(
    "shared-cap",
    looks_for="two contenders under a closed load whose connections, or whose budget, divided by the delay of an "
    "answer cap both at a rate that fast ones reach",
    in_sentence=False,
)
def shared_cap(design: Design) -> Iterator[Flaw]:
    """A warning for each claim on rates over two contenders under one cap that both may reach.

    Where both reach it, they are equal, whatever they cost.
    """
    for claim in speed_claims(design):
        if claim.metric not in ("goodput", "elapsed") or claim.request is not None:
            continue
        for pair in pairs(claim, design):
            if (flaw := _capped(claim, pair, design)) is not None:
                yield flaw
                break


def _capped(claim: SpeedClaim, pair: Pair, design: Design) -> Flaw | None:
    loads = [design.condition(each).load for each in pair]
    if design.same_stack(pair) or any(load.clients is None for load in loads):
        return None
    caps = [bound_on_speed(each, design) for each in pair]
    if caps[0] is None or caps[1] is None:
        return None
    reachable = REACHABLE_PER_SECOND * (design.server_processors or 1)
    rates = [cap[0] for cap in caps if cap is not None]
    if max(rates) > reachable or max(rates) > ALIKE * min(rates):
        return None
    what = _what_is_lost(claim, rates[0])
    if what is None:
        return None
    most = figure_in(rates[0], UNITS["/s"])
    waits = design.facts_of(pair[0]).waits
    plenty = _round_number(reachable * mean_wait(waits))
    evidence = (
        f"{caps[0][1]} allow {pair[0]} and {pair[1]} {most} at most: where both reach it, they are equal, whatever an "
        f"answer costs them{what}"
    )
    remedy = (
        f"raise `connections` (here {loads[0].connections}) and `concurrency_budget` until each reaches its "
        f"processors; {plenty:,} at once are more than any can use"
    )
    return Flaw("warning", "load.connections", evidence, remedy, claim.id)


def _what_is_lost(claim: SpeedClaim, rate: float) -> str | None:
    """The loss of a claim at the cap, as the end of a sentence; None if a common cap does not matter to it."""
    if isinstance(claim, EqualClaim | OrderClaim | ShapeClaim):
        return ""
    wanted_gain = gain(claim)
    if wanted_gain is None or wanted_gain[2] < 1:
        return None
    _, less, times, _ = wanted_gain
    return f"; it can be upheld only where {less} stays below {figure_in(rate / times, UNITS['/s'])}"


def _round_number(value: float) -> int:
    """The next power of two."""
    return 1 << max(0, int(value) - 1).bit_length()


@flaw_kind(
    "too-few-processors",
    looks_for="one stack with more processes on one side (WEB_CONCURRENCY × instances), a claim of a gain, and a "
    "server with fewer processors",
)
def too_few_processors(design: Design) -> Iterator[Flaw]:
    """A refusal of each verdict that the claim says needs more processors; else a stop where more processes can gain
    nothing but processors, and a warning where they may wait for something meanwhile."""
    server = design.server_processors
    if server is None:
        return
    for claim in design.experiment.claims:
        needs = claim.server_processors if isinstance(claim, MetricClaim) else None
        if needs is None:
            flaw = _unstated(claim, design, server)
            if flaw is not None:
                yield flaw
        elif needs > server:
            evidence = f"it is about {count(needs, 'processor')} of the server, and the server has {server}"
            remedy = f"run it where the server has {needs}: on a machine with {needs + 1} processors or more"
            yield Flaw("refusal", "server_processors", evidence, remedy, claim.id)


def _unstated(claim: Claim, design: Design, server: int) -> Flaw | None:
    wanted_gain = gain(claim)
    if wanted_gain is None:
        return None
    more, less, times, key = wanted_gain
    if more.stack.name != less.stack.name:
        return None
    many, few = design.facts_of(more), design.facts_of(less)
    allowed = min(many.processes, server) / min(few.processes, server)
    if many.processes <= few.processes or many.processes <= server or times <= max(1.0, allowed):
        return None
    # On one processor nothing is at work beside anything else; of several, one process may use less than one.
    nothing_to_gain = server == 1 and many.at_once == few.at_once and many.only_computes and few.only_computes
    severity: DesignSeverity = "stop" if nothing_to_gain else "warning"
    evidence = (
        f"it asks for a gain of {factor_in_words(times)} by {many.processes} processes over "
        f"{few.processes}, and the server has {count(server, 'processor')}, which allows {plain(allowed)}"
    )
    remedy = (
        f"run it where the server has {many.processes} processors; with `server_processors = {many.processes}` in the "
        f"claim, its verdict is withheld elsewhere, and with `server_processors = {server}` it is about {server}"
    )
    return Flaw(severity, key, evidence, remedy, claim.id)


COMPILING = re.compile(
    r"\b(java|kotlin|scala|clojure|groovy|javascript|typescript|c#|f#|\.net|julia|dart|pypy|jruby|luajit|hhvm)\b",
    re.IGNORECASE,
)
"""Languages, or runtimes, whose usual one compiles what runs often while it runs."""

ON_A_JVM = re.compile(r"\b(java|kotlin|scala|clojure|groovy|jruby)\b", re.IGNORECASE)

CALLS_UNTIL_COMPILED = 5000
"""HotSpot compiles a method for good once it was called so often (-XX:Tier4InvocationThreshold); what runs once a
request is called once a request."""


@flaw_kind(
    "window-too-short",
    looks_for="windows in which `not-warm` sees little, a warning of a runtime that compiles while it runs; and "
    "warm-ups in which a JVM gets fewer requests than it takes to compile what answers them",
    in_sentence=False,
    in_quick=False,
)
def window_too_short(design: Design) -> Iterator[Flaw]:
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
    remedy = f"`duration_seconds = {float(SHORT_SECONDS)}` or more, and no `--quick`"
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
