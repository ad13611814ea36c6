"""Blocks that the machine spoiled, and that a run leaves out whole, as others take their place.

A refusal by chance, because the hypervisor or another program took the processors in one trial of many, would keep a
claim undecided for good: the more blocks there were, the likelier. A block is the unit that can be repeated. So a run
with looks, whose next blocks take its place, leaves it out for all conditions alike, and so does one of a fixed number
of blocks, which has spare blocks for that. Pairs stay together, and which blocks are left out depends on what was seen
of the machine, never on a figure.
"""

from collections.abc import Mapping, Sequence

from fairtrial.base.formatting import count
from fairtrial.judge.checks import all_checks, run_checks
from fairtrial.judge.checks.model import Finding
from fairtrial.judge.model import TrialResult
from fairtrial.record.model import ExperimentRecord, TrialRecord

QUIETER = "stop what else runs on this machine, unless as many further blocks took their place"


def discarded_blocks(record: ExperimentRecord, results: Mapping[int, TrialResult]) -> dict[int, list[TrialResult]]:
    """By block that is left out, the trials that the machine spoiled in it; the blocks ascending.

    None in a run in which nothing takes their place, by an older record; and none if no block would be left.

    Args:
        results: of all trials, by their index.
    """
    if not record.looks and not record.spare_blocks:
        return {}
    by_block: dict[int, list[TrialResult]] = {}
    for trial in sorted(results.values(), key=lambda trial: trial.index):
        if refused_for_machine(trial):
            by_block.setdefault(trial.block, []).append(trial)
    return by_block if by_block.keys() < {trial.block for trial in results.values()} else {}


def is_any_refused_for_machine(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> bool:
    """Whether any trial is refused for what the machine did, whatever else is; much sooner known than the rest."""
    return any(finding.refuses_trial for finding in run_checks(record, trials, of_machine_alone=True))


def refused_for_machine(trial: TrialResult) -> bool:
    """Whether a trial was refused for what the machine did, and for nothing else."""
    checks = all_checks()
    refusing = {finding.check for finding in trial.findings if finding.refuses_trial}
    return trial.outcome == "refused" and bool(refusing) and all(checks[name].of_machine for name in refusing)


def counts(trial: TrialResult, discarded_trials: Mapping[int, Sequence[TrialResult]]) -> bool:
    """Whether figures and verdicts look at a trial: it is of a block that is kept, or its own refusal stands.

    That others were at work beside a contender that answered wrongly does not acquit it.
    """
    return trial.block not in discarded_trials or (trial.outcome == "refused" and not refused_for_machine(trial))


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
