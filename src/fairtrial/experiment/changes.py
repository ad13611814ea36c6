"""An experiment, changed for one run by what the command line says: stacks, blocks, seed, claims, a quick form."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.experiment.claims import Claim
from fairtrial.experiment.model import CrashAudits, Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.slices import Slices

QUICK_BLOCKS = 3
QUICK_WARMUP_SECONDS = 0.5
QUICK_DURATION_SECONDS = 1.0
QUICK_REQUESTS = 20_000


def with_stacks(experiment: Experiment, stacks: Sequence[StackRef]) -> tuple[Experiment, list[str]]:
    """The experiment with these stacks in place of its own.

    Returns the ids of claims that are left out with it, because they are about a stack that is no longer tried.

    Raises:
        Problem: the contender whose answers all others are compared with is not among them.
    """
    reference = experiment.reference
    if reference is not None and str(reference) not in map(str, stacks):
        raise Problem(
            f"--stack: {reference} is not among them, and all answers are compared with its own (`reference`)",
            f"add --stack {reference}, or name another `reference` in the experiment",
        )
    return _changed(experiment, {"stacks": list(stacks)}, experiment.claims)


def with_claims_of(experiment: Experiment, other: Experiment, file: Path) -> tuple[Experiment, list[str]]:
    """The experiment with claims and margin of another, and the ids of those that are about what it does not try.

    Raises:
        Problem: none of the claims is about what it tries.
    """
    changed, left_out = _changed(experiment, {"margin": other.margin}, other.claims)
    if not changed.claims:
        conditions = sorted(map(str, experiment.condition_refs))
        raise Problem(
            f"{file}: none of its claims is about what was tried: {', '.join(conditions)}",
            "name an experiment with claims about these",
        )
    return changed, left_out


def with_settings(
    experiment: Experiment,
    *,
    blocks: int | None = None,
    minutes: float | None = None,
    slices: bool | None = None,
    seed: int | None = None,
    quick: bool = False,
    noise_floor: bool = False,
    crash_audit: CrashAudits | None = None,
) -> tuple[Experiment, list[str]]:
    """The experiment with what the command line says in place of what the file says; `blocks` and `minutes`
    win over `quick`. `slices` says whether conditions are measured in turn; None: as the file has it.

    Returns the ids of claims that are left out, because they are about what `quick` does not try.

    Raises:
        Problem: both `blocks` and `minutes` are set, or its conditions cannot be measured in slices.
    """
    if blocks is not None and minutes is not None:
        raise Problem("--blocks and --minutes exclude each other", "say how many blocks, or for how long at most")
    changes = _quick_changes(experiment) if quick else {}
    if blocks is not None or minutes is not None:
        changes |= {"blocks": blocks, "minutes": minutes}
    if slices and (reason := experiment.why_not_sliced()) is not None:
        raise Problem(f"--slices: {reason}", "leave --slices out, or change that")
    if slices is not None:
        changes["slices"] = (experiment.slices or Slices(tails=True)) if slices else None
        changes["whole_windows"] = not slices
    settings = {"seed": seed, "noise_floor": noise_floor or None, "crash_audit": crash_audit}
    changes |= {key: value for key, value in settings.items() if value is not None}
    return _changed(experiment, changes, experiment.claims)


def _quick_changes(experiment: Experiment) -> dict[str, object]:
    """Few blocks of short trials; of a sweep over numbers of requests, the lower ones."""
    changes: dict[str, object] = {"blocks": min(experiment.first_blocks, QUICK_BLOCKS), "minutes": None}
    load, sweep = experiment.load, experiment.sweep
    changes["load"] = load.shortened(
        warmup_seconds=QUICK_WARMUP_SECONDS, window_seconds=QUICK_DURATION_SECONDS, requests=QUICK_REQUESTS
    )
    if sweep is not None and sweep.parameter == "load.requests":
        lower = [value for value in sweep.numbers if value <= QUICK_REQUESTS]
        changes["sweep"] = sweep.model_copy(update={"values": lower if len(lower) > 1 else sweep.values[:2]})
    return changes


def _changed(
    experiment: Experiment, changes: Mapping[str, object], claims: Sequence[Claim]
) -> tuple[Experiment, list[str]]:
    """The experiment with these changes and those of the claims that are about what it then tries, validated once.

    Returns it with the ids of the other claims. An experiment that does not change is not validated again.
    """
    changed = experiment.model_copy(update=dict(changes))
    conditions = {str(condition) for condition in changed.condition_refs}
    swept = {str(stack) for stack in changed.stacks} if changed.sweep else set()
    remaining = [
        claim
        for claim in claims
        if {str(condition) for condition in claim.needs()} <= conditions
        and {str(stack) for stack in claim.curves()} <= swept
    ]
    if not changes and remaining == experiment.claims:
        return experiment, []
    validated = Experiment.model_validate(changed.model_dump() | {"claims": remaining})
    return validated, [claim.id for claim in claims if claim not in remaining]
