"""Thresholds in force: a check's own, unless the experiment says otherwise."""

import math
from collections.abc import Mapping

from fairtrial.judge.checks.model import Check


def in_force(check: Check, overrides: Mapping[str, float]) -> dict[str, float]:
    """Every key of `check` with the value to compare with."""
    return {key: overrides.get(key, threshold.value) for key, threshold in check.thresholds.items()}


def overrides_in_words(check: Check, overrides: Mapping[str, float]) -> str:
    """`share is 0.01 here, default 0.001`; empty if every threshold is the default."""
    return "; ".join(
        f"{key} is {overrides[key]:g} here, default {threshold.value:g}"
        for key, threshold in check.thresholds.items()
        if key in overrides and overrides[key] != threshold.value
    )


def validate(checks: Mapping[str, Check], overrides: Mapping[str, Mapping[str, float]]) -> None:
    """See `fairtrial.judge.checks.validate_thresholds`."""
    for name, values in overrides.items():
        if name not in checks:
            raise ValueError(f"checks: there is no check {name!r}; there are {', '.join(checks)}")
        allowed = checks[name].thresholds
        for key, value in values.items():
            if not allowed:
                raise ValueError(f"checks.{name}: this check has no thresholds, found {key!r}")
            if key not in allowed:
                raise ValueError(f"checks.{name}: there is no threshold {key!r}; there are {', '.join(allowed)}")
            if not math.isfinite(value) or value < 0:
                raise ValueError(f"checks.{name}.{key}: {value!r} is not a number of at least 0")
