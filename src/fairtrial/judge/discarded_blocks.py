"""Blocks that the machine spoiled, and that a run leaves out whole, as others take their place.

A refusal by chance, because the hypervisor or another program took the processors in one trial of many, would keep a
claim undecided for good: the more blocks there were, the likelier. A block is the unit that can be repeated. So a run
with looks, whose next blocks take its place, leaves it out for all conditions alike, and so does one of a fixed number
of blocks, which has spare blocks for that. Pairs stay together, and which blocks are left out depends on what was seen
of the machine, never on a figure.
"""

from collections.abc import Mapping, Sequence

from fairtrial.base.formatting import count
from fairtrial.experiment.slices import BUSY_PROCESSORS
from fairtrial.judge.checks import all_checks, run_checks
from fairtrial.judge.checks.model import Finding, nothing_to_do
from fairtrial.judge.model import TrialResult
from fairtrial.record.model import ExperimentRecord, TrialRecord

BUSY = "busy-while-idle"
QUIETER = "stop what else runs on this machine, unless as many further blocks took their place"


def blocks_given_up(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> list[int]:
    """Numbers of the blocks in slices of a run that went on in whole windows, ascending; see `slices.gives_way`.

    They count for nothing: no figure rests on both ways of measuring.
    """
    rule = record.experiment.slices
    went_on = any(trial.slices is None and trial.engine is not None for trial in trials)
    if rule is None or not rule.gives_way or not went_on:
        return []
    return sorted({trial.block for trial in trials if trial.slices is not None})


def discarded_blocks(
    record: ExperimentRecord, results: Mapping[int, TrialResult], given_up: Sequence[int] = ()
) -> dict[int, list[TrialResult]]:
    """By block that is left out, the trials that the machine spoiled in it; the blocks ascending.

    None in a run in which nothing takes their place, by an older record; and none if no block would be left.

    Args:
        results: of all trials, by their index.
        given_up: blocks in slices that were given up.
    """
    if not record.looks and not record.spare_blocks and not given_up:
        return {}
    by_block: dict[int, list[TrialResult]] = {block: [] for block in given_up}
    for trial in sorted(results.values(), key=lambda trial: trial.index):
        if trial.block not in given_up and refused_for_machine(trial):
            by_block.setdefault(trial.block, []).append(trial)
    by_block = dict(sorted(by_block.items()))
    return by_block if by_block.keys() < {trial.block for trial in results.values()} else {}


def is_any_refused_for_machine(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> bool:
    """Whether any trial is refused for what the machine did, whatever else is; much sooner known than the rest."""
    return any(finding.refuses_trial for finding in run_checks(record, trials, of_machine_alone=True))


def refused_for_machine(trial: TrialResult, *, in_vain: bool = False) -> bool:
    """Whether a trial was refused for what the machine did, and for nothing else.

    Args:
        in_vain: it was measured in slices that were given up, so that what it did while it was idle harmed nobody.
    """
    checks = all_checks()
    refusing = {finding.check for finding in trial.findings if finding.refuses_trial}
    excused = {name for name in refusing if checks[name].of_machine or (in_vain and name == BUSY)}
    return trial.outcome == "refused" and bool(refusing) and refusing == excused


def counts(
    trial: TrialResult, discarded_trials: Mapping[int, Sequence[TrialResult]], given_up: Sequence[int] = ()
) -> bool:
    """Whether figures and verdicts look at a trial: it is of a block that is kept, or its own refusal stands.

    That others were at work beside a contender that answered wrongly does not acquit it.

    Args:
        given_up: blocks in slices that were given up.
    """
    if trial.block not in discarded_trials:
        return True
    return trial.outcome == "refused" and not refused_for_machine(trial, in_vain=trial.block in given_up)


def discarded_block_notes(discarded_trials: Mapping[int, Sequence[TrialResult]]) -> list[Finding]:
    """A note on the experiment for each check behind blocks that are left out."""
    by_check: dict[str, dict[int, list[int]]] = {}
    for block, trials in discarded_trials.items():
        for trial in trials:
            for name in {finding.check for finding in trial.findings if finding.refuses_trial}:
                by_check.setdefault(name, {}).setdefault(block, []).append(trial.index)
    return [
        Finding(
            check=name,
            severity="note",
            evidence=f"{count(len(blocks), 'block')} left out whole, for all conditions alike, because of this check: "
            + ", ".join(f"{block} (trial {' and '.join(map(str, indices))})" for block, indices in blocks.items()),
            remedy=QUIETER,
        )
        for name, blocks in sorted(by_check.items())
    ]


def given_up_notes(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> list[Finding]:
    """A note on the experiment, if blocks in slices were given up."""
    given_up = blocks_given_up(record, trials)
    if not given_up:
        return []
    contenders = {condition.id: condition.contender for condition in record.conditions}
    idle = {trial.slices.idle_processors: contenders[trial.condition] for trial in trials if trial.slices is not None}
    most = max(idle)
    is_busy = most >= BUSY_PROCESSORS
    why = (
        f"{idle[most]} used {most:.0%} of a processor while it was up and asked nothing"
        if is_busy
        else "too few of their rounds could be kept"
    )
    return [
        Finding(
            check=BUSY if is_busy else "crowded-rounds",
            severity="note",
            evidence=f"{count(len(given_up), 'block')} in slices left out whole, as {why}; all others were measured "
            "one after the other, in whole windows",
            remedy=nothing_to_do("--no-slices begins so"),
        )
    ]
