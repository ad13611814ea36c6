"""The checks, each of which can refuse a figure. To add one, add a function with `@check`: its file is found by
itself."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from fairtrial.base.registry import instances_in, instead_of
from fairtrial.judge.checks.check import Check
from fairtrial.judge.checks.model import Case, Finding, LoadCase
from fairtrial.load.kinds import Load
from fairtrial.record.model import ExperimentRecord, TrialRecord

__all__ = ["all_checks", "run_checks", "run_load_checks", "unusual_thresholds", "validate_thresholds"]


@cache
def all_checks() -> Mapping[str, Check]:
    """Every check by name, in the order of their names."""
    return instances_in(__name__, __path__, Check)


def run_checks(
    record: ExperimentRecord, trials: Sequence[TrialRecord], *, of_machine_alone: bool = False
) -> Iterator[Finding]:
    """Every finding of every check; the evidence names thresholds that are not the default.

    A check that looks at a stack's processes does not see trials in which none were known, and notes for each of them
    that it was not examined.

    Args:
        of_machine_alone: no other checks than those that say what the machine did to a trial.
    """
    whole = Case.of(record, trials)
    with_processes = Case.of(record, [trial for trial in trials if not trial.not_measured])
    for check in all_checks().values():
        if of_machine_alone and not check.of_machine:
            continue
        overrides = record.experiment.checks.get(check.name, {})
        yield from check.findings(with_processes if check.needs_processes else whole, overrides)
        if check.needs_processes:
            yield from check.not_examined((trial for trial in trials if trial.not_measured), overrides)


def run_load_checks(trials: Sequence[TrialRecord], loads: Mapping[str, Load], processors: int) -> Iterator[Finding]:
    """Every finding of the checks that need no experiment around a load, under their own thresholds.

    Args:
        loads: what was offered, by condition; without those that no experiment can have.
        processors: of the load engine.
    """
    case = LoadCase(trials, loads, processors)
    for check in all_checks().values():
        if check.of_loads:
            yield from check.findings(case, {})


def unusual_thresholds(overrides: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[Check, str]]:
    """The checks that run under other thresholds than their own, and which these are: a report has to say so."""
    for check in all_checks().values():
        unusual = check.unusual(overrides.get(check.name, {}))
        if unusual:
            yield check, unusual


def validate_thresholds(overrides: Mapping[str, Mapping[str, float]]) -> None:
    """Require that an experiment's `[checks.NAME] KEY = VALUE` name checks and thresholds that exist.

    Raises:
        ValueError: an unknown check or key, with the allowed ones, or a value that is not a finite number of
            at least 0.
    """
    checks = all_checks()
    for name, values in overrides.items():
        if name not in checks:
            raise ValueError(f"checks: there is no check {name!r}{instead_of(name, checks)}")
        allowed = checks[name].thresholds
        for key, value in values.items():
            if not allowed:
                raise ValueError(f"checks.{name}: this check has no thresholds, found {key!r}")
            if key not in allowed:
                raise ValueError(f"checks.{name}: there is no threshold {key!r}{instead_of(key, allowed)}")
            if not math.isfinite(value) or value < 0:
                raise ValueError(f"checks.{name}.{key}: {value!r} is not a number of at least 0")
