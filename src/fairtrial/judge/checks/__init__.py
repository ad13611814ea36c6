"""What makes a figure refusable: one file per check. Adding a check is adding a file that defines `CHECK`."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from fairtrial.base.registry import defined_in
from fairtrial.judge.checks.model import Check, Found
from fairtrial.judge.checks.thresholds import in_force, overrides_in_words, validate
from fairtrial.record.model import ExperimentRecord, TrialRecord

__all__ = ["all_checks", "run_checks", "unusual_thresholds", "validate_thresholds"]


@cache
def all_checks() -> Mapping[str, Check]:
    """Every check by name, in the order of their names."""
    return defined_in(__name__, __path__, "CHECK")


def validate_thresholds(overrides: Mapping[str, Mapping[str, float]]) -> None:
    """Say what is wrong with an experiment's `[checks.NAME] KEY = VALUE`, if anything is.

    Raises:
        ValueError: an unknown check or key, with the allowed ones, or a value that is not a finite number of
        at least 0.
    """
    validate(all_checks(), overrides)


def run_checks(experiment: ExperimentRecord, trials: Sequence[TrialRecord]) -> Iterator[tuple[Check, Found]]:
    """Every finding of every check, each with its check; evidence names a threshold that is not the default."""
    overrides = experiment.experiment.checks
    for check in all_checks().values():
        changed = overrides_in_words(check, overrides.get(check.name, {}))
        for found in check.examine(experiment, trials, in_force(check, overrides.get(check.name, {}))):
            evidence = f"{found.evidence} ({changed})" if changed else found.evidence
            yield check, Found(found.trial, found.severity, evidence, found.remedy or check.remedy)


def unusual_thresholds(overrides: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[Check, str]]:
    """The checks that run under other thresholds than their own, and which, in words: a report has to say so."""
    for check in all_checks().values():
        changed = overrides_in_words(check, overrides.get(check.name, {}))
        if changed:
            yield check, changed
