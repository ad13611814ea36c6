"""The highest rate at which a server keeps an objective: the search of `fairtrial run`, aimed at a URL."""

import re
from collections.abc import Iterator
from dataclasses import replace
from random import random
from typing import Any

from rich.console import Console

from fairtrial.base.formatting import plain as plain_number
from fairtrial.engine.plan import EnginePlan
from fairtrial.lab.trial.capacity import search
from fairtrial.load.capacity import CapacityLoad, Objective
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.tools.load.hosts import LoadSite
from fairtrial.tools.load.measure import Measurement, measure
from fairtrial.tools.load.request.command_load import DEFAULT_SECONDS, CommandLoad
from fairtrial.tools.load.request.expected_figure import ExpectedFigure, assert_sent
from fairtrial.tools.load.request.options import GoalOptions, LoadOptions
from fairtrial.tools.load.request.translate import Contradiction, refuse, to_engine_plan

LONGEST_PROBE_SECONDS = 1.0
MOST_OBJECTIVES = 8


class _Interrupted(Exception):
    """Somebody ended a probe, and with it the search."""


def measure_capacity(
    console: Console, options: LoadOptions, goals: GoalOptions, hosts: LoadSite, *, plain: bool = False
) -> Measurement:
    """Search for the capacity, and return the run that confirmed it, with the search.

    If it is interrupted, the measurement is that of the probe that was running, without a search or expected figures.

    Raises:
        Problem: the options contradict each other, or the load could not be offered.
    """
    load = capacity_load(options, goals)
    at_lowest = replace(
        options, rate=load.lowest_per_second, connections=load.connections, arrival=options.arrival or load.arrivals
    )
    offered, plan = to_engine_plan(at_lowest, hosts)
    names = [request.name for request in plan.requests]
    assert_sent([*goals.capacity, *goals.expect], names, of_file=options.file is not None)
    runs: list[Measurement] = []

    def probe(rate_per_second: float, seconds: float, confirming: bool) -> EngineSummary:
        what = "confirms" if confirming else "tries"
        one_line = f"{what} {plain_number(rate_per_second)} requests/s for {plain_number(seconds)} s"
        at_rate = _at_rate(offered, plan, rate_per_second, seconds)
        run = measure(console, options.url, *at_rate, plain=plain, one_line=one_line, hosts=hosts)
        runs.append(run)
        if run.summary.interrupted:
            raise _Interrupted
        return run.summary

    try:
        offset, are_messages = random(), plan.websocket is not None  # noqa: S311 (a rate, not a secret)
        capacity = search(load, probe, plan.requests, are_messages=are_messages, offset=offset)
    except _Interrupted:
        return runs[-1]
    trial = runs[-1].trial.model_copy(update={"capacity": capacity})
    return replace(runs[-1], trial=trial, expected=goals.expect)


def capacity_load(options: LoadOptions, goals: GoalOptions) -> CapacityLoad:
    """The search that the options ask for, as an experiment would have it; each run is that of the options.

    Raises:
        Problem: they contradict each other.
    """
    refuse(_contradictions(options, goals))
    seconds = options.seconds or DEFAULT_SECONDS
    extra: dict[str, Any] = {} if options.connections is None else {"connections": options.connections}
    if goals.between is not None:
        extra["lowest_per_second"], extra["highest_per_second"] = goals.between
    return CapacityLoad(
        kind="capacity",
        objectives=[_objective(each) for each in goals.capacity],
        probe_seconds=min(LONGEST_PROBE_SECONDS, seconds),
        duration_seconds=seconds,
        **extra,
    )


def _contradictions(options: LoadOptions, goals: GoalOptions) -> Iterator[Contradiction]:
    for value, option in ((options.rate, "-r"), (options.ramp, "--ramp"), (options.steps, "--steps")):
        yield value is not None, f"--capacity and {option} exclude each other", f"leave out {option}; see --between"
    yield options.requests is not None, "--capacity confirms a rate over a time, not a count", "use -d in place of -n"
    yield options.think_seconds is not None, "--think is for closed loads", "leave it out"
    names = [_name(each) for each in goals.capacity]
    yield len(set(names)) < len(names), "--capacity: an objective is given twice", "leave one out"
    yield len(names) > MOST_OBJECTIVES, f"--capacity takes at most {MOST_OBJECTIVES} objectives", "leave some out"
    if goals.between is not None:
        lowest, highest = goals.between
        yield not 0 < lowest < highest, "--between: the first rate is not above 0 and below the second", "write 50:200k"


def _objective(expected: ExpectedFigure) -> Objective:
    assert expected.percentile is not None
    return Objective(
        name=_name(expected),
        percentile=float(expected.percentile),
        within_milliseconds=1e3 * expected.limit,
        request=expected.request,
    )


def _name(expected: ExpectedFigure) -> str:
    """The objective's name in an experiment: `p99-within-50-ms`, `checkout-p99-within-50-ms`."""
    of = "" if expected.request is None else f"{expected.request.lower()}-"
    return re.sub(r"[^a-z0-9]+", "-", f"{of}{expected.figure}-within-{1e3 * expected.limit:g}-ms").strip("-")


def _at_rate(
    offered: CommandLoad, plan: EnginePlan, rate_per_second: float, seconds: float
) -> tuple[CommandLoad, EnginePlan]:
    at = {"rate_per_second": rate_per_second, "duration_seconds": seconds}
    probe = replace(offered, load=offered.load.model_copy(update=at))
    return probe, plan.model_copy(update=dict(probe.engine_terms()))
