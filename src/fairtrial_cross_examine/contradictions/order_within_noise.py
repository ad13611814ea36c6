"""An order between contenders that their own spread does not support."""

import math
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from fairtrial.judge.checks.model import Threshold
from fairtrial.judge.statistics.distributions import student_above
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import printed_name, share, time
from fairtrial_cross_examine.model import PrintedOutput, PrintedRun

FEWEST_RUNS = 2


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Each command against the fastest of its file, where means, deviations and numbers of runs are printed."""
    by_source: dict[str, list[PrintedRun]] = defaultdict(list)
    for run in evidence.runs:
        # Of commands only: a deviation of response times is not that of runs.
        mean, deviation = run.times.mean, run.times.deviation
        if not run.of_requests and mean is not None and deviation is not None and (run.runs or 0) >= FEWEST_RUNS:
            by_source[run.source].append(run)
    for runs in by_source.values():
        fastest, *others = sorted(runs, key=lambda run: run.times.mean.value if run.times.mean else 0.0)
        for other in others:
            p = _p_value(fastest, other)
            if p is not None and p > kind.threshold("alpha"):
                yield _unsupported_order(kind, fastest, other, p)


def _p_value(fastest: PrintedRun, other: PrintedRun) -> float | None:
    """Welch's t-test on the printed means, deviations and numbers of runs; None without any spread."""
    first, second = fastest.times, other.times
    assert first.mean is not None and first.deviation is not None and fastest.runs is not None
    assert second.mean is not None and second.deviation is not None and other.runs is not None
    if first.deviation.value == 0 and second.deviation.value == 0:
        return None
    # Welch's t and its degrees of freedom (Satterthwaite).
    parts = [first.deviation.value**2 / fastest.runs, second.deviation.value**2 / other.runs]
    t = (second.mean.value - first.mean.value) / math.sqrt(sum(parts))
    degrees = sum(parts) ** 2 / (parts[0] ** 2 / (fastest.runs - 1) + parts[1] ** 2 / (other.runs - 1))
    return 2 * float(student_above(np.asarray([abs(t)]), degrees)[0])


def _unsupported_order(kind: ContradictionKind, fastest: PrintedRun, other: PrintedRun, p: float) -> Contradiction:
    first, second = fastest.times, other.times
    assert first.mean is not None and second.mean is not None
    assert first.deviation is not None and second.deviation is not None
    says = (
        f"{printed_name(fastest.name)} is {share(second.mean.value / max(first.mean.value, 1e-12) - 1)} faster than "
        f"{printed_name(other.name)} by the means. By their own spread, equals differ so much or more in {share(p)} of "
        "all comparisons: no order is shown."
    )
    figures = {
        run.name: f"{time(times.mean.value)} ± {time(times.deviation.value)}, {run.runs:,} runs"
        for run, times in ((fastest, first), (other, second))
        if times.mean is not None and times.deviation is not None
    }
    return kind.contradiction([fastest.name, other.name], says, {**figures, "p": f"{p:.3g}"})


KIND = ContradictionKind(
    name="order-within-noise",
    title="An order that the spread does not support",
    formula="t = (mean₂ - mean₁) / √(σ₁²/n₁ + σ₂²/n₂), two-sided (B. L. Welch, Biometrika 34 (1947), 28-35)",
    thresholds={
        "alpha": Threshold(0.05, "probability", "the level of every interval in Fairtrial: 95%"),
    },
    ask="How many more runs does it take to tell them apart, or is the difference too small to matter?",
    examine=examine,
)
