"""The plan, printed before anything starts."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import count, duration, on_service
from fairtrial.base.printable import printable
from fairtrial.catalog.stacks.requirements import absent_command
from fairtrial.experiment.load_variants import OVER_LOADS
from fairtrial.experiment.slices import SPARE_TIMES
from fairtrial.experiment.stack_class import PRODUCTION
from fairtrial.experiment.value import format_value
from fairtrial.lab.awake import idle_limit
from fairtrial.lab.placement import planned_placement
from fairtrial.lab.profile.block import planned_block_seconds
from fairtrial.lab.trial.free_ports import takes_ports
from fairtrial.lab.trial.waiting import why_asleep
from fairtrial.lab.trial.whole_window import needs_whole_windows
from fairtrial.load.words import describe_wait
from fairtrial.plan.groups import apart_claims
from fairtrial.plan.plan import Plan, planned_seconds
from fairtrial.record.placement import Placement, topology_in_words


def announce(
    console: Console,
    plan: Plan,
    left_out: Sequence[str],
    lanes: Sequence[str] = (),
    *,
    verbose: bool = True,
    profile: bool = False,
) -> None:
    """Print what will be done: workload, service, load, stacks, blocks, order, placement and time.

    Args:
        lanes: of a cluster, in words; empty: all of it is this machine.
        left_out: ids of claims that are not judged, because they are about something that this run does not try.
        verbose: say of each stack how it works, the claims, blocks and slices, and where all of it runs. Otherwise
            what is tried and how long it takes, and of the placement only what harms figures.
        profile: the block under profilers follows.
    """
    experiment, sweep = plan.experiment, plan.experiment.sweep
    facts = {
        "workload": f"{on_service(plan.workload.name, experiment.service)}{_rows(plan)}",
        "load": f"{_load(plan)}; {experiment.load.lengths()}",
        **({"slices": _slices(plan)} if verbose and experiment.slices is not None else {}),
        **({} if sweep is None else {"sweep": f"{sweep.parameter} over {', '.join(map(format_value, sweep.values))}"}),
        **({"latency": away} if (away := _away(plan)) else {}),
        "stacks": ", ".join(_stacks(plan, verbose=verbose)),
        **({"trials": _trials(plan)} if verbose else {"takes": _time(plan)}),
        **({"profile": f"about {duration(planned_block_seconds(plan))} more, after the last trial"} if profile else {}),
        **({"lanes": "\n".join(lanes)} if lanes else {}),
        **({"placement": placed} if not lanes and (placed := _placement(plan, verbose=verbose)) else {}),
        **({"claims": ", ".join(claim.id for claim in experiment.claims) or "none"} if verbose else {}),
    }
    if not lanes and (absent := _absent(plan)):
        facts["missing"] = "\n".join(absent)
    if left_out:
        facts["left out"] = f"claims {', '.join(left_out)}: about something that this run does not try"
    table = Table.grid(padding=(0, 2))
    for fact, text in facts.items():
        table.add_row(Text(fact, style="dim"), Text(text))
    console.print(Text.assemble((experiment.name, "bold"), ": ", experiment.title))
    console.print(table)


def _absent(plan: Plan) -> list[str]:
    """Commands that stacks need and this machine lacks, with their remedies: such stacks will not be run."""
    return [
        printable(f"{build}: {problem.reason}; {problem.remedy}")
        for stack, built_apart in plan.builds
        for build in [stack.build_name(built_apart)]
        for problem in [absent_command(stack, built_apart)]
        if problem is not None
    ]


def _load(plan: Plan) -> str:
    """The load in words; of a sweep over loads each of them, behind its name."""
    experiment = plan.experiment
    if experiment.sweep is None or experiment.sweep.parameter != OVER_LOADS:
        return experiment.load.describe()
    return "; ".join(f"{point.value}: {point.experiment.load.describe()}" for point in plan.points)


def _slices(plan: Plan) -> str:
    experiment, rule = plan.experiment, plan.experiment.slices
    assert rule is not None
    rounds = rule.rounds(plan.points[0].experiment.load)  # as many at every value of a sweep
    whole = needs_whole_windows(experiment)
    apart = apart_claims(plan)
    return (
        f"{_together(plan)}, and measured in {rounds} rounds of {rule.seconds:g} s each, in "
        f"random order; a round is kept if {rule.describe()}"
        + (f"; then each has one window of {rounds * rule.seconds:g} s, for percentiles from p90 on" if whole else "")
        + (f"; not all that they compare is up together in every block: claims {', '.join(apart)}" if apart else "")
    )


def _together(plan: Plan) -> str:
    sizes = [size for block in plan.group_sizes for size in block]
    if len(sizes) == len(plan.group_sizes):
        return "all conditions of a block are up at once"
    return f"the conditions of a block are up in groups of {max(sizes)} at most, one group after the other"


def _rows(plan: Plan) -> str:
    swept = plan.experiment.sweep is not None and plan.experiment.sweep.parameter == "dataset.rows"
    rows = 0 if swept else plan.experiment.dataset.rows or plan.workload.rows
    return f", {rows:,} rows" if rows else ""


def _away(plan: Plan) -> str:
    """`postgresql 1 ms away`, for each service that a proxy stands before; in a sweep over it, the sweep says it."""
    swept = plan.experiment.sweep is not None and plan.experiment.sweep.parameter.endswith(".latency")
    away = {f"{name} {far}": None for each in plan.conditions for name, far in each.recorded.distances.items()}
    return "" if swept else ", ".join(away)


def _stacks(plan: Plan, *, verbose: bool) -> list[str]:
    """Each with what there is to say of it, which is said once of variants of one stack."""
    stacks = {stack.name: stack for stack in plan.stacks}
    described, before = [], set[tuple[str, str]]()
    for reference in plan.experiment.stacks:
        stack = stacks[reference.name]
        stack_class = stack.class_of(stack.variant(reference))
        in_words = stack.concurrency if verbose else ""
        stack_kind = "" if stack_class == PRODUCTION else stack_class
        facts = ", ".join(each for each in (stack_kind, stack.origin.describe(stack.run) or in_words) if each)
        is_plain = not facts or (stack.name, facts) in before
        described.append(str(reference) if is_plain else f"{reference} ({facts})")
        before.add((stack.name, facts))
    return described


def _trials(plan: Plan) -> str:
    experiment = plan.experiment
    trials = f"blocks of {len(plan.conditions)} trials in random order (seed {experiment.seed})"
    if plan.within_seconds is not None:
        return f"{trials}, {experiment.first_blocks} of them before the first look: {_time(plan)}"
    spare = f"; up to {count(plan.spare_blocks, 'block')} more if the machine spoils some" if plan.spare_blocks else ""
    return f"{experiment.first_blocks} {trials}: {_time(plan)}{spare}"


def _time(plan: Plan) -> str:
    """How long the trials take, as far as that can be said before."""
    seconds = planned_seconds(plan.trials_until_first_end, plan.experiment.load)
    built = "once everything is built"
    ports = ", and waits for local ports beside" if takes_ports(plan.experiment.load) else ""
    if plan.within_seconds is None:
        return f"about {duration(seconds)}, {built}{ports}"
    busy_seconds = seconds * (1 if plan.experiment.slices is None else 1 + SPARE_TIMES)
    if plan.within_seconds < busy_seconds:
        return f"about {duration(seconds)}, {built}{ports}; longer on a busy machine, as no first look is cut short"
    most = duration(plan.within_seconds)
    decides = "decides the claims" if plan.experiment.claims else "tells the shares"
    return f"about {duration(seconds)} if that {decides}, {most} at most (--minutes), {built}{ports}"


def _placement(plan: Plan, *, verbose: bool) -> str:
    experiment = plan.experiment
    placement = planned_placement(experiment)
    load, server, shared = (
        ", ".join(map(str, cpus)) for cpus in (placement.load_cpus, placement.server_cpus, placement.shared().load_cpus)
    )
    if not placement.disjoint:
        disturbed = ": shared, figures will disturb each other"
    elif experiment.sweep is not None and experiment.sweep.parameter == "placement":
        disturbed = f"; where it is shared, load on {shared} as well"
    else:
        disturbed = ""
    if not verbose and placement.disjoint and not placement.service_cpus:
        return "; ".join(topology_in_words(placement))
    details = [f"idle ones {idle_limit().in_words}", *_waits(plan, placement)] if verbose else []
    where = f"load on processor {load}, server on {server}{disturbed}"
    if placement.service_cpus:
        where = f"program on processor {server}, its services and the lab on {load}, as nobody offers load"
    return "; ".join([where, *topology_in_words(placement), *details])


def _waits(plan: Plan, placement: Placement) -> list[str]:
    """`load engine asleep while it awaits answers (the server shares its processors)`, for each reason that conditions
    have; nothing for programs."""
    loads = [each for each in plan.conditions if each.load.offers_requests]
    reasons = dict.fromkeys(why_asleep(each, placement) for each in loads)
    return [
        f"load engine {describe_wait('sleep' if reason else 'awake')}{f' ({reason})' if reason else ''}"
        for reason in reasons
    ]
