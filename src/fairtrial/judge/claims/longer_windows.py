"""Whether longer windows would decide an undecided claim as well as more blocks, from where its scatter comes from.

Known of goodput and of the median response time, which a record has second by second, where windows are timed and
measured at one go. Of other figures nothing is said.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.values import Values
from fairtrial.judge.metrics import Metric
from fairtrial.judge.statistics.window_share import WindowShare, window_share
from fairtrial.record.engine_summary import SecondOfSeries

MOST_LONGER = 20.0
"""Windows that would have to be so many times as long are not named: other waves may show in them."""

BY_SECOND: Mapping[str, Callable[[SecondOfSeries], float | None]] = {
    "goodput": lambda second: float(second.verified),
    "response_time_p50": lambda second: second.p50_seconds,
}


@dataclass(frozen=True)
class Windows:
    """The windows that a claim's values rest on."""

    share: WindowShare
    seconds: float
    """how long each of them is"""

    def help(self, longer: float | None) -> bool:
        """Whether longer windows would decide the claim; `longer` as below."""
        return self.share.is_large and longer is not None and longer <= MOST_LONGER

    def in_words(self, longer: float | None, would: str = "would do as much") -> str:
        """The effect of longer windows, as a sentence; empty where it is not known.

        Args:
            longer: how many times as long would decide the claim with as many blocks; None: none would.
            would: what they would do: as much as the blocks that were named before, or more.
        """
        if self.share.is_small:
            return f"Longer windows will not help: {1 - self.share.estimate:.0%} of the scatter is between starts."
        if longer is not None and self.help(longer):
            return (
                f"Windows of {math.ceil(longer * self.seconds)} s (`duration_seconds` of the load) {would}: "
                f"{self.share.estimate:.0%} of the scatter is within windows."
            )
        return ""


def windows_of(
    evidence: Evidence, metric: Metric, values: Values, of: ConditionRef, to: ConditionRef | None = None
) -> Windows | None:
    """The windows behind the values of one condition, or behind the ratios of two; None where nothing is known."""
    references = [of] if to is None else [of, to]
    read = BY_SECOND.get(metric.name) if metric.request is None else None
    conditions = [evidence.condition(each) for each in references]
    lengths = {each.load.duration_seconds for each in conditions if each.load.kind in ("closed", "open")}
    if read is None or evidence.experiment.slices is not None or len(lengths) != 1:
        return None
    if any(each.load.kind not in ("closed", "open") for each in conditions):
        return None
    ratios = values.of(of) if to is None else values.ratios(of, to)
    if not ratios or any(value <= 0 for value in ratios):
        return None
    series: list[Sequence[Sequence[float]]] = []
    for condition in conditions:
        trials = evidence.of(condition).values()
        seconds = [[read(second) for second in trial.engine.series] for trial in trials if trial.engine is not None]
        series.append([[value or 0.0 for value in each] for each in seconds])
    share = window_share([math.log(value) for value in ratios], series)
    return None if share is None else Windows(share, lengths.pop())
