from collections.abc import Iterator

from fairtrial.base.formatting import count
from fairtrial.experiment.slices import BUSY_PROCESSORS, LEAST_ROUNDS
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding, nothing_to_do
from fairtrial.record.model import TrialRecord
from fairtrial.record.slices import Slicing


@check(
    "busy-while-idle",
    looks_at="processor time of a server, of its services and of its upstream while others of its block are measured, "
    "of trials in slices",
    remedy="find what the server does without being asked (a poll, a reloader, a busy wait); or have one up at "
    "a time: leave `slices` out, or use --no-slices",
    processors=Threshold(
        BUSY_PROCESSORS,
        "processors",
        "half of what others may use of one processor in a round that is kept; intervals of ratios hold what it does "
        "below",
    ),
)
def busy_while_idle(slices: Slicing, *, processors: float) -> Iterator[Finding]:
    """A server that works while nobody asks it: measured in turn with others, it takes their processors from them.

    A refusal; a warning where its services or its upstream do (a checkpoint, vacuum, a timer).
    """
    if slices.idle_processors >= processors:
        undrained = count(slices.undrained, "request")
        owed = f"; {undrained} of its slices had no answer when they were awaited no longer" if slices.undrained else ""
        yield finding(
            "refusal",
            f"while it was up and asked nothing, for {slices.idle_seconds:.1f} s, its server used "
            f"{slices.idle_processors:.0%} of a processor, beside those that were measured then{owed}",
        )
    if slices.idle_service_processors >= processors:
        yield finding(
            "warning",
            f"while it was up and asked nothing, for {slices.idle_seconds:.1f} s, its services used "
            f"{slices.idle_service_processors:.0%} of a processor, beside those that were measured then",
            "find out what they do then (checkpoints, vacuum, flushed pages, work that is owed); or leave `slices` out",
        )


@check(
    "asked-by-others",
    looks_at="connections to a server that is measured in slices, held by processes of the servers beside it: at a "
    "drawn moment of each slice, and at its end",
    remedy="have the server connect to nothing that is not its own; or leave `slices` out, so that one is up at a time",
)
def asked_by_others(slices: Slicing, case: Case) -> Iterator[Finding]:
    """A server that asks the one that is measured: it takes that one's time, and hardly uses any itself.

    A refusal of both trials.
    """
    if slices.asked_slices:
        evidence = f"in {slices.asked_slices} slices of others its processes held connections to the server under load"
        yield finding("refusal", evidence)
    if slices.askers:
        askers = ", ".join(case.contenders[name] for name in slices.askers)
        yield finding(
            "refusal",
            f"processes of {askers} held connections to its server while it was measured",
            f"try it without {askers}",
        )


@check(
    "crowded-rounds",
    looks_at="trials in slices, and how many of their rounds could be kept",
    remedy="stop what else runs on this machine, or try again at a quieter time",
    of_machine=True,
)
def crowded_rounds(slices: Slicing, trial: TrialRecord, case: Case) -> Iterator[Finding]:
    """A block whose rounds others disturbed so often that it has no figures.

    A refusal.
    """
    rule = case.record.experiment.slices
    if rule is not None and slices.slices and slices.kept_rounds < LEAST_ROUNDS and trial.failure is None:
        yield finding(
            "refusal",
            f"only {slices.kept_rounds} of {len(slices.slices)} rounds could be kept, in which {rule.describe()}",
        )


@check(
    "rounds-left-out",
    looks_at="the rounds of all blocks that were measured in slices, and how many of them were kept",
    remedy=nothing_to_do(
        "the rule was set before the run and looks at foreign load alone, not at a figure. A quieter machine keeps "
        "more rounds"
    ),
)
def rounds_left_out(case: Case) -> Iterator[Finding]:
    """How much of what was measured in slices the figures rest on, and by which rule the rest was left out.

    A note on the experiment.
    """
    rule = case.record.experiment.slices
    by_group = {_group_of(trial): trial for trial in case.trials if trial.slices is not None and trial.slices.slices}
    if rule is None or not by_group:
        return
    slicings = [trial.slices for trial in by_group.values() if trial.slices is not None]
    unit = "group" if len({trial.block for trial in by_group.values()}) < len(by_group) else "block"
    rounds = sum(len(each.slices) for each in slicings)
    even = sum(each.rule == "even" for each in slicings)
    kept_rounds = [each.kept_rounds for each in slicings]
    without = sum(trial.engine is None for trial in by_group.values())
    yield finding(
        "note",
        f"{sum(kept_rounds)} of {rounds} rounds were kept, {min(kept_rounds)} to {max(kept_rounds)} in a {unit}: "
        f"those in which {rule.describe()}; {even} of {len(by_group)} {unit}s rest on even rounds"
        + (f"; {without} of {len(by_group)} {unit}s had too few and no figures" if without else ""),
    )


def _group_of(trial: TrialRecord) -> tuple[int, frozenset[str]]:
    """The trial's block, and which of its conditions were up together; none in older records, where all were."""
    beside = None if trial.slices is None else trial.slices.beside
    return trial.block, frozenset() if beside is None else frozenset([trial.condition, *beside])


@check(
    "measured-apart",
    looks_at="which conditions of a block in slices were up together, and which of them claims compare",
    remedy="try fewer contenders in one experiment; or, if memory holds them, raise `together` in [slices]",
)
def measured_apart(case: Case) -> Iterator[Finding]:
    """A claim whose sides were not all up together, as a block had more conditions than could be up at once.

    A note on the claim.
    """
    for claim in case.record.experiment.claims:
        sides = {*case.record.experiment.sides_of(claim)}
        are_together: dict[int, bool] = {}
        for trial in case.trials:
            if (
                trial.slices is not None
                and trial.slices.beside is not None
                and case.contenders[trial.condition] in sides
            ):
                up = {case.contenders[condition] for condition in (trial.condition, *trial.slices.beside)}
                are_together[trial.block] = are_together.get(trial.block, True) and sides <= up
        apart = sum(not is_together for is_together in are_together.values())
        if apart:
            yield finding(
                "note",
                f"its sides were not all up together in {apart} of {count(len(are_together), 'block')}, but measured "
                "one after the other: what changed on the machine in between is in the interval",
                claim=claim.id,
            )
