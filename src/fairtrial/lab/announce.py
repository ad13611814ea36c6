"""The plan, printed before anything starts."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import count, minutes
from fairtrial.base.printable import printable
from fairtrial.catalog.stacks.requirements import absent_command
from fairtrial.experiment.load_variants import OVER_LOADS
from fairtrial.experiment.stack_class import PRODUCTION
from fairtrial.experiment.value import format_value
from fairtrial.lab.awake import idle_limit
from fairtrial.lab.placement import planned_placement
from fairtrial.lab.trial.free_ports import takes_ports
from fairtrial.lab.trial.waiting import why_asleep
from fairtrial.lab.trial.whole_window import needs_whole_windows
from fairtrial.load.words import describe_wait
from fairtrial.plan.groups import apart_claims
from fairtrial.plan.plan import Plan, planned_seconds
from fairtrial.record.placement import Placement, topology_in_words


def announce(
    console: Console, plan: Plan, left_out: Sequence[str], lanes: Sequence[str] = (), *, verbose: bool = True
) -> None:
    """Print what will be done: workload, service, load, stacks, blocks, order, placement and time.

    Args:
        lanes: of a cluster, in words; empty: all of it is this machine.
        left_out: ids of claims that are not judged, because they are about something that this run does not try.
        verbose: say of each stack how it works, the claims, spare blocks, and what idle processors do.
    """
    experiment, sweep = plan.experiment, plan.experiment.sweep
    facts = {
        "workload": f"{plan.workload.name} on {experiment.service}{_rows(plan)}",
        "load": f"{_load(plan)}; {experiment.load.lengths()}",
        **({} if experiment.slices is None else {"slices": _slices(plan)}),
        **({} if sweep is None else {"sweep": f"{sweep.parameter} over {', '.join(map(format_value, sweep.values))}"}),
        **({"latency": away} if (away := _away(plan)) else {}),
        "stacks": ", ".join(_stacks(plan, verbose=verbose)),
        "trials": _trials(plan, verbose=verbose),
        **({"lanes": "\n".join(lanes)} if lanes else {"placement": _placement(plan, verbose=verbose)}),
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
    stacks = {stack.name: stack for stack in plan.stacks}
    described = []
    for reference in plan.experiment.stacks:
        stack = stacks[reference.name]
        stack_class = stack.class_of(stack.variant(reference))
        in_words = stack.concurrency if verbose else ""
        stack_kind = "" if stack_class == PRODUCTION else stack_class
        facts = ", ".join(each for each in (stack_kind, stack.origin.describe(stack.run) or in_words) if each)
        described.append(f"{reference} ({facts})" if facts else str(reference))
    return described


def _trials(plan: Plan, *, verbose: bool) -> str:
    experiment, per_block = plan.experiment, len(plan.conditions)
    seconds = planned_seconds(plan.trials_until_first_end, experiment.load)
    duration = minutes(seconds)
    has_spare = verbose and plan.spare_blocks
    spare = f"; up to {count(plan.spare_blocks, 'block')} more if the machine spoils some" if has_spare else ""
    ports = ", and waits for local ports beside" if takes_ports(experiment.load) else ""
    trials = f"blocks of {per_block} trials in random order (seed {experiment.seed})"
    if plan.within_seconds is not None:
        most = minutes(max(plan.within_seconds, seconds))
        return (
            f"{trials} until every claim is decided: about {duration} min to the first look, after "
            f"{experiment.first_blocks} blocks, and {most} min at most (--minutes), once everything is built{ports}"
        )
    return f"{experiment.first_blocks} {trials}, about {duration} min once everything is built{ports}{spare}"


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
