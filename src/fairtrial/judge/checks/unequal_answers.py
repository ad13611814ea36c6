from collections import defaultdict
from collections.abc import Iterator
from statistics import median

import numpy as np

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.model import TrialRecord


@check(
    "unequal-answers",
    looks_at="the mean length of a trial's bodies, compared with those of the other contenders of its workload",
    remedy="look at one answer of each side: make them send the same fields, in full, compressed on both or neither",
    tolerance=Threshold(
        0.1,
        "share of the larger mean",
        "white space is free: compact and spaced JSON of a 180-byte row of five fields differ by about 5%",
    ),
)
def unequal_answers(case: Case, *, tolerance: float) -> Iterator[Finding]:
    """Contenders of one workload must send equally long bodies: a list and an error page are not comparable.

    A refusal for each trial that disagrees with more than half of the other contenders. Of two that differ, both are
    refused.
    """
    workload = {condition.id: condition.workload for condition in case.record.conditions}
    contender = {condition.id: condition.contender for condition in case.record.conditions}
    means: dict[str, list[float]] = defaultdict(list)
    for trial in case.trials:
        mean = _mean_body_bytes(trial)
        if mean is not None:
            means[trial.condition].append(mean)
    typical: dict[str, dict[str, float]] = defaultdict(dict)
    for condition, values in means.items():
        typical[workload[condition]][condition] = median(values)
    names = {each: list(sizes) for each, sizes in typical.items()}
    sizes = {name: np.array(list(lengths.values())) for name, lengths in typical.items()}
    for trial in case.trials:
        mine = _mean_body_bytes(trial)
        if mine is None:
            continue
        own = workload[trial.condition]
        apart = np.abs(sizes[own] - mine) > tolerance * np.maximum(sizes[own], mine)
        unlike = [name for place in np.flatnonzero(apart) if (name := names[own][place]) != trial.condition]
        others = len(names[own]) - 1
        if 2 * len(unlike) > others:
            first = ", ".join(f"{contender[name]} {typical[own][name]:,.0f}" for name in unlike[:4])
            more = f" and {len(unlike) - 4} more" if len(unlike) > 4 else ""
            side = "; which of the two is right cannot be told from this" if others == 1 else ""
            yield finding(
                "refusal",
                f"bodies are {mine:,.0f} bytes on average, those of {first}{more}{side}",
                trial=trial.index,
            )


def _mean_body_bytes(trial: TrialRecord) -> float | None:
    """None without answers, and where more than a hundredth of them failed an expectation.

    Such a trial is refused for its errors, and the size of its error pages must not accuse another contender.
    """
    summary = trial.engine
    if summary is None or summary.body_bytes is None or summary.verified < 0.99 * summary.answers:
        return None
    return summary.body_bytes.mean
