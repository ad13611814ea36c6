"""Sentences about a result as a whole: its loads, the load engine's limits, the noise floor, scalability."""

from fairtrial.base.formatting import count, enumeration, figure, level_in_words, on_service, span
from fairtrial.base.printable import printable
from fairtrial.experiment.load_variants import OVER_LOADS
from fairtrial.experiment.value import values_in_words
from fairtrial.judge.metrics import supported_percentile
from fairtrial.judge.model import ConditionResult, Curve, Result
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.load.words import describe_wait
from fairtrial.record.calibration import Calibration
from fairtrial.record.engine_summary import Distribution
from fairtrial.record.identity import StackIdentity
from fairtrial.record.lanes import LaneHost

OF_OTHERS = ("foreign-load", "stolen")
"""The checks that find that others used the machine."""


def workloads_in_words(result: Result) -> list[str]:
    """Each workload with its service: `query-mix on postgresql, 1 ms away`.

    Where the values of a sweep decide how far services are away, the values say it.
    """
    distances = {tuple(condition.distances.items()) for condition in result.conditions}
    same = len(distances) == 1 or not result.curves
    return list(dict.fromkeys(workload_in_words(condition, with_distance=same) for condition in result.conditions))


def workload_in_words(condition: ConditionResult, *, with_distance: bool = True) -> str:
    """The workload of a condition with its service: `page on postgresql, 1 ms away, redis 1 ms away`."""
    words = on_service(condition.workload, condition.service)
    for name, distance in condition.distances.items() if with_distance else ():
        words += f", {distance}" if name == condition.service else f", {name} {distance}"
    return words


def loads_in_words(result: Result) -> list[str]:
    """Each load of the result in words, with its durations; for a sweep, the first load and the values of the sweep.

    Where the loads themselves are swept, each is in words: `pool: closed, 16 connections, keep-alive; 2 s`.
    """
    if result.curves and result.curves[0].parameter == OVER_LOADS:
        swept = {
            str(each.at): f"{each.at}: {each.load.describe()}; {each.load.lengths()}" for each in result.conditions
        }
        return list(swept.values())
    if result.curves:
        first = result.conditions[0].load
        values = [condition.at for condition in result.conditions if condition.at is not None]
        return [f"{first.describe()}; {first.lengths()}; {result.curves[0].title} {values_in_words(values)}"]
    return list(
        dict.fromkeys(f"{condition.load.describe()}; {condition.load.lengths()}" for condition in result.conditions)
    )


def notes(result: Result) -> list[str]:
    """Sentences about the experiment as a whole: what the lab did not build or start, and the outcomes."""
    return [*_not_built(result), *outcomes(result)]


def outcomes(result: Result) -> list[str]:
    """The noise floor, and the scalability of each curve."""
    return [*_noise_floor(result), *(_scalability(curve) for curve in result.curves if curve.scaling is not None)]


def shared_machine(result: Result) -> list[str]:
    """A sentence about what figures are worth that were measured while others used the machine; else none."""
    trials = [trial for condition in result.conditions for trial in condition.trials]
    shared = sum(
        any(each.check in OF_OTHERS and each.severity != "note" for each in trial.findings) for trial in trials
    )
    if shared == 0:
        return []
    return [
        f"Others used this machine in {shared} of {count(len(trials), 'trial')}: compare these figures with each "
        "other, and with none of another run."
    ]


def blocks_in_words(result: Result) -> str:
    """On how many blocks the figures rest: `5 blocks`, `figures rest on 3 to 4 of 5 blocks`, `5 blocks, no figures`."""
    blocks = max((trial.block for condition in result.conditions for trial in condition.trials), default=0)
    rests = [each.blocks for condition in result.conditions for each in condition.figures.values() if each is not None]
    if not rests:
        return f"{count(blocks, 'block')}, no figures"
    fewest, most = min(rests), max(rests)
    if fewest == blocks:
        return count(blocks, "block")
    return f"figures rest on {fewest if fewest == most else f'{fewest} to {most}'} of {count(blocks, 'block')}"


def when_stated(result: Result) -> list[str]:
    """A sentence about claims that could be chosen by the figures that they are about; else none."""
    if result.claims_stated == "before":
        return []
    return [
        "These claims were stated after the run, when its figures could be seen: they describe it, and only another "
        "run can put them to the test."
    ]


def claims_notes(result: Result) -> list[str]:
    """Sentences about the list of claims: when they were stated, and what it means that there are several."""
    sentences = when_stated(result)
    tested = sum(claim.kind != "property" for claim in result.claims)
    if tested > 1 and result.claims_judged == "each":
        share = 1 - result.level**tested
        sentences.append(
            f"Each of {tested} claims is judged at {level_in_words(result.level)} by itself: if the truth lay at every "
            f"bound, one or more would be decided wrongly in up to {100 * share:.0f}% of runs."
        )
    elif tested > 1:
        sentences.append(f"All {tested} claims hold together at {level_in_words(result.level)} (Holm's procedure).")
    return sentences


def _not_built(result: Result) -> list[str]:
    words = {
        "url": "was running already: it was neither started nor stopped. Its processor time and memory are not "
        "measured, and the checks that look at its processes say: not examined.",
        "command": "was run where it lies. The lab built nothing: its digest is of its command alone, and does not "
        "tell one version of the program from another.",
    }
    built = [
        f"{stack.build_name} {words[stack.origin]}{_turns(result, stack)}"
        for stack in result.stacks
        if stack.origin in words
    ]
    return [*built, *(_together(stack) for stack in result.stacks if stack.counted_together)]


def _turns(result: Result, stack: StackIdentity) -> str:
    """A sentence about several addresses of a contender; empty if its load went to one."""
    engines = [
        trial.engine for condition in result.conditions if condition.stack == stack.name for trial in condition.trials
    ]
    addresses = {tuple(engine.addresses): None for engine in engines if engine is not None and engine.addresses[1:]}
    return "".join(f" Connections took turns over {enumeration(each)}." for each in addresses)


def _together(stack: StackIdentity) -> str:
    first, *others = stack.counted_together
    return f"{stack.build_name} is a project of containers, in which {first} answers. " + (
        f"Where processor time and memory are given, they are those of all its services together: {first}, "
        f"{', '.join(others)}."
        if others
        else "It has no other service."
    )


def _noise_floor(result: Result) -> list[str]:
    floor = result.noise_floor
    if floor is None:
        return []
    if floor.estimate is None or floor.interval is None:
        return [f"Noise floor: {floor.contender} under two names has too few valid trials to compare."]
    conclusion = "a difference was found between equals" if floor.difference_found else "no difference was found"
    return [
        f"Noise floor: goodput of {floor.contender} under a second name was {figure(floor.estimate)} times its own "
        f"({span(floor.interval)}, {count(floor.blocks, 'block')}): {conclusion}."
    ]


def _scalability(curve: Curve) -> str:
    scaling = curve.scaling
    assert scaling is not None
    if scaling.refused is not None or scaling.contention is None or scaling.coherency is None:
        return f"Scalability of {curve.stack}: no fit, because {scaling.refused}."
    peak = "no peak within the sweep"
    if scaling.peak is not None:
        interval = "" if scaling.peak.interval is None else f" ({span(scaling.peak.interval)})"
        peak = f"peak at {figure(scaling.peak.estimate)}{interval}"
    return (
        f"Scalability of {curve.stack}: contention {_parameter(scaling.contention)}, coherency "
        f"{_parameter(scaling.coherency)}, {peak}."
    )


def _parameter(parameter: Estimate) -> str:
    low_to_high = "" if parameter.interval is None else " ({:.3g} to {:.3g})".format(*parameter.interval)
    return f"{parameter.estimate:.3g}{low_to_high}"


def lanes_in_words(result: Result) -> list[str]:
    """`lane 1: server on a (processors 0, 1), load from b; blocks 1, 3`, for each lane of a cluster."""
    return [
        f"lane {lane.number}: {', '.join(map(_host_in_words, lane.hosts))}; "
        + (
            f"block{'s' if len(lane.blocks) > 1 else ''} {', '.join(map(str, lane.blocks))}"
            if lane.blocks
            else "no block"
        )
        for lane in result.lanes
    ]


def _host_in_words(host: LaneHost) -> str:
    return f"{' and '.join(host.roles)} on {printable(host.name, 40)} ({printable(host.worker, 60)})"


def ceiling_in_words(result: Result) -> str:
    """`ceiling: from a server that does nothing, the load engine reached 61,000/s …`, with a figure for each load.

    Over HTTP/2 and HTTP/3 there is none, which is said. Empty without a calibration and without them.
    """
    without = " and ".join(sorted({each.load.protocol for each in result.conditions if each.load.has_streams}))
    if not result.calibrations:
        return f"ceiling: none over {without}, which the load engine's own target does not speak" if without else ""
    reached = ", ".join(f"{figure(each.ceiling_per_second)}/s with {_load_of(each)}" for each in result.calibrations)
    highest_cost = max(each.engine_cpu_seconds_per_request for each in result.calibrations)
    lags = [lag for each in result.calibrations if (lag := _p99_of_lag(each)) is not None]
    pacing = f"; an open load's p99 of send lag: {figure(1000 * max(lags))} ms" if lags else ""
    return (
        f"ceiling: from a server that does nothing, the load engine reached {reached}; "
        f"{figure(1e6 * highest_cost)} µs of its processor a request{pacing}{_over_blocks(result)}"
        + (f"; all over HTTP/1.1, as its own target does not speak {without}" if without else "")
    )


def _over_blocks(result: Result) -> str:
    """`; before each of 5 blocks 58,000/s to 63,000/s (the last 3.1% below the first)`, for each load."""
    ranges = []
    for series in result.ceilings:
        rates = [rate for _, rate in sorted(series.per_second.items())]
        if len(rates) > 1:
            change = rates[-1] / rates[0] - 1
            way = "below" if change < 0 else "above"
            ranges.append(
                f"{figure(min(rates))}/s to {figure(max(rates))}/s (the last {figure(100 * abs(change))}% {way} the "
                "first)"
            )
    if not ranges:
        return ""
    return f"; before each of {count(max(len(each.per_second) for each in result.ceilings), 'block')} " + ", ".join(
        ranges
    )


def floor_in_words(result: Result) -> str:
    """`floor: from a server that does nothing, the load engine measured response times of p50 0.025 ms …`.

    Loads that have the same floor share it. Empty where none was measured.
    """
    floors: dict[str, str] = {}
    for each in result.calibrations:
        new = "" if each.keep_alive else ", a new one each time"
        wait = "" if each.wait is None else f", {describe_wait(each.wait)}"
        if each.floor is not None and (milliseconds := _median_and_tail(each.floor)):
            floors.setdefault(f"with a single connection{new}{wait}", milliseconds)
        if each.floor_at_rate is not None and (milliseconds := _median_and_tail(each.floor_at_rate)):
            floors.setdefault(f"at {figure(each.rate_per_second or 0.0)}/s with {_load_of(each)}{wait}", milliseconds)
    if not floors:
        return ""
    measured = "; ".join(f"{milliseconds} {load}" for load, milliseconds in floors.items())
    return f"floor: from a server that does nothing, the load engine measured response times of {measured}"


def _median_and_tail(times: Distribution) -> str:
    """`p50 0.025 ms, p99 0.061 ms`; without what the sample does not support."""
    percentiles = ((name, supported_percentile(times, name)) for name in ("50", "99"))
    return ", ".join(f"p{name} {figure(1e3 * seconds)} ms" for name, seconds in percentiles if seconds is not None)


def engine_waits(result: Result) -> list[str]:
    """`load engine awake while it awaits answers`, for each way in which it waited; empty for older records."""
    engines = [trial.engine for condition in result.conditions for trial in condition.trials]
    waits = dict.fromkeys(engine.wait for engine in engines if engine is not None and engine.wait is not None)
    some = "" if len(waits) == 1 else " in some trials"
    return [f"load engine {describe_wait(wait)}{some}" for wait in waits]


def _load_of(calibration: Calibration) -> str:
    connections = count(calibration.connections, "connection")
    threads = ""
    if calibration.threads is not None:
        threads = f" and {count(min(calibration.threads, calibration.connections), 'thread')}"
    return connections + threads + ("" if calibration.keep_alive else ", a new one each time")


def _p99_of_lag(calibration: Calibration) -> float | None:
    return None if calibration.pacing_lag is None else calibration.pacing_lag.percentiles.get("99")
