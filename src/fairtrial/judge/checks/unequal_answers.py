"""Contenders of one workload must send equally long bodies: a list and an error page are not comparable."""

from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.record.model import TrialRecord


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for each trial whose mean body disagrees with those of more than half of the other contenders.

    With three contenders or more, that singles out the odd one. Of two that differ, either may be right, and both are
    refused.
    """
    workload = {condition.id: condition.workload for condition in case.record.conditions}
    contender = {condition.id: condition.contender for condition in case.record.conditions}
    means: dict[str, list[float]] = defaultdict(list)
    for trial in case.trials:
        mean = _mean_body_bytes(trial)
        if mean is not None:
            means[trial.condition].append(mean)
    typical = {condition: median(values) for condition, values in means.items()}
    for trial in case.trials:
        mine = _mean_body_bytes(trial)
        if mine is None:
            continue
        others = {
            name: size
            for name, size in typical.items()
            if name != trial.condition and workload[name] == workload[trial.condition]
        }
        unlike = [name for name, size in others.items() if not _agree(mine, size, case.thresholds["tolerance"])]
        if 2 * len(unlike) > len(others):
            sizes = ", ".join(f"{contender[name]} {others[name]:,.0f}" for name in unlike[:4])
            more = f" and {len(unlike) - 4} more" if len(unlike) > 4 else ""
            side = "; which of the two is right cannot be told from this" if len(others) == 1 else ""
            yield case.finding(
                trial.index,
                "refusal",
                f"bodies are {mine:,.0f} bytes on average, those of {sizes}{more}{side}",
            )


def _mean_body_bytes(trial: TrialRecord) -> float | None:
    """None without answers, and where more than a hundredth of them failed an expectation.

    Such a trial is refused for its errors, and the size of its error pages must not accuse another contender.
    """
    summary = trial.engine
    if summary is None or summary.body_bytes is None or summary.verified < 0.99 * summary.answers:
        return None
    return summary.body_bytes.mean


def _agree(left: float, right: float, tolerance: float) -> bool:
    return abs(left - right) <= tolerance * max(left, right)


CHECK = Check(
    name="unequal-answers",
    looks_at="the mean length of a trial's bodies, compared with those of the other contenders of its workload",
    thresholds={
        "tolerance": Threshold(
            0.1,
            "share of the larger mean",
            "white space is free: compact and spaced JSON of a 180-byte row of five fields differ by about 5%; a "
            "published study compared a 5,113-byte list with a 601-byte error page, a difference of 88%",
        ),
    },
    remedy="look at one answer of each side: make them send the same fields, in full, compressed on both or neither",
    examine=examine,
)
