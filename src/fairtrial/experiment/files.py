"""Experiment files from disk, and the options that change them for one run."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from fairtrial.base.locations import shipped
from fairtrial.base.problem import Problem
from fairtrial.base.toml_file import read_toml
from fairtrial.experiment.claims import Claim
from fairtrial.experiment.loads import CapacityLoad, ClosedLoad, FixedLoad, OpenLoad
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import StackRef

QUICK_BLOCKS = 3
QUICK_WARMUP_SECONDS = 0.5
QUICK_DURATION_SECONDS = 1.0
QUICK_REQUESTS = 20_000


def shipped_experiments() -> dict[str, Path]:
    """The experiments that come with Fairtrial, by name."""
    return {path.stem: path for path in sorted(shipped("experiments").glob("*.toml"))}


def find_experiment(name_or_path: str) -> Path:
    """The file that is meant: a path, or the name of a shipped experiment.

    Raises:
        Problem: there is none.
    """
    path = Path(name_or_path)
    if not path.suffix and name_or_path in shipped_experiments():
        return shipped_experiments()[name_or_path]
    if not path.exists():
        raise Problem(
            f"there is no experiment {name_or_path!r}: neither a file nor one of: {', '.join(shipped_experiments())}",
            "give the path of a .toml file, or a name from `fairtrial list experiments`",
        )
    return path


def load_experiment(file: Path) -> Experiment:
    """The experiment in this file.

    Raises:
        Problem: it cannot be read, or is broken.
    """
    return read_toml(file, Experiment)


def with_stacks(experiment: Experiment, stacks: list[StackRef]) -> tuple[Experiment, list[str]]:
    """The experiment with these stacks in place of its own.

    Returns the ids of claims that are left out with it, because they speak of a stack that is no longer tried.
    """
    changes = {"stacks": [str(stack) for stack in stacks], "claims": []}
    return _with_claims(_changed(experiment, changes), experiment.claims)


def with_claims_of(experiment: Experiment, other: Experiment, file: Path) -> tuple[Experiment, list[str]]:
    """The experiment with the claims of another, and the ids of those that speak of what it does not try.

    Raises:
        Problem: it tries nothing of what they speak of.
    """
    judged, left_out = _with_claims(experiment, other.claims)
    if not judged.claims:
        tried = sorted(str(one) for one in experiment.contenders)
        raise Problem(
            f"{file}: none of its claims speaks of what was tried: {', '.join(tried)}",
            "name an experiment with claims about these",
        )
    return judged, left_out


def with_settings(
    experiment: Experiment, *, blocks: int | None, seed: int | None, quick: bool, noise_floor: bool = False
) -> tuple[Experiment, list[str]]:
    """The experiment with what the command line says in place of what the file says; `blocks` wins over `quick`.

    Returns the ids of claims that are left out, because they speak of what `quick` does not try.
    """
    experiment, left_out = quick_form(experiment) if quick else (experiment, [])
    changes: dict[str, object] = {}
    if noise_floor:
        changes["noise_floor"] = True
    if blocks is not None:
        changes["blocks"] = blocks
    if seed is not None:
        changes["seed"] = seed
    return _changed(experiment, changes), left_out


def quick_form(experiment: Experiment) -> tuple[Experiment, list[str]]:
    """The experiment in few blocks of short trials; of a sweep over numbers of requests, the lower ones.

    Returns the ids of claims that are left out with it, because they speak of a number that is no longer tried.
    """
    changes: dict[str, object] = {"blocks": min(experiment.blocks, QUICK_BLOCKS)}
    load, sweep = experiment.load, experiment.sweep
    if isinstance(load, FixedLoad):
        bound = max(QUICK_REQUESTS, load.connections)
        changes["load"] = load.model_copy(update={"requests": min(load.requests, bound)})
        if sweep is not None and sweep.parameter == "load.requests":
            lower = [value for value in sweep.numbers if value <= QUICK_REQUESTS]
            changes["sweep"] = sweep.model_copy(update={"values": lower if len(lower) > 1 else sweep.values[:2]})
    elif isinstance(load, ClosedLoad | OpenLoad | CapacityLoad):
        changes["load"] = load.model_copy(
            update={
                "warmup_seconds": min(load.warmup_seconds, QUICK_WARMUP_SECONDS),
                "duration_seconds": min(load.duration_seconds, QUICK_DURATION_SECONDS),
            }
        )
    return _with_claims(_changed(experiment, {**changes, "claims": []}), experiment.claims)


def _with_claims(experiment: Experiment, claims: Sequence[Claim]) -> tuple[Experiment, list[str]]:
    """The experiment with those of the claims that speak of what it tries, and the ids of the others."""
    tried = {str(one) for one in experiment.contenders}
    swept = {str(stack) for stack in experiment.stacks} if experiment.sweep else set()
    kept = [
        claim
        for claim in claims
        if {str(one) for one in claim.needs()} <= tried and {str(stack) for stack in claim.curves()} <= swept
    ]
    return _changed(experiment, {"claims": kept}), [claim.id for claim in claims if claim not in kept]


def _changed(experiment: Experiment, changes: Mapping[str, object]) -> Experiment:
    return Experiment.model_validate(experiment.model_dump() | dict(changes))
