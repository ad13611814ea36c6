"""Changes in a history: at which run and commit, and what else differed between the two runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import plain
from fairtrial.judge.statistics.change_points import LEVEL_COURSE, LevelChange, course_of
from fairtrial.judge.statistics.student import LEVEL
from fairtrial.judge.statistics.trend import SHORTEST
from fairtrial.tools.compare.differences import changed_settings
from fairtrial.tools.history.table import FigureSeries, History, Run


@dataclass(frozen=True)
class FoundStep:
    """A figure that changed from one run to the next, to stay so."""

    column: FigureSeries
    before: Run
    """the last run with the figure at its old level"""
    run: Run
    """the first one at its new level"""
    step: LevelChange

    @property
    def is_worse(self) -> bool:
        return (self.step.ratio.estimate < 1) == self.column.metric.higher_is_better

    @property
    def in_words(self) -> str:
        """`goodput of shop fell 12% (9 to 15) at run shop-12, commit 3f2a91c..88d0b1e`."""
        what = f"{self.column.metric.label} of {self.column.contender}"
        return f"{what} {_change(self.step)} at run {self.run.name}{self._commits}"

    @property
    def _commits(self) -> str:
        old, new = (run.commit(self.column.condition) for run in (self.before, self.run))
        if old is None or new is None:
            return ""
        return f", commit {old}..{new}" if old != new else f", commit {new} as before"

    @property
    def besides(self) -> list[str]:
        """Differences between both runs besides the programs, a line for each."""
        return changed_settings(self.before.record, self.run.record)


@dataclass(frozen=True)
class FoundDrift:
    """A figure that drifted over all runs."""

    column: FigureSeries
    ratio: float
    """the last value of the straight line to its first"""

    @property
    def is_worse(self) -> bool:
        return (self.ratio < 1) == self.column.metric.higher_is_better

    @property
    def in_words(self) -> str:
        """`goodput of shop drifted down by 12% over all runs: no single run is to blame`."""
        way, share = _way(self.ratio, ("down", "up"))
        what = f"{self.column.metric.label} of {self.column.contender}"
        return f"{what} drifted {way} by {share} over all runs: no single run is to blame"


@dataclass(frozen=True)
class Changes:
    """All that changed in a history."""

    steps: Sequence[FoundStep]
    drifts: Sequence[FoundDrift]
    too_short: Sequence[FigureSeries]
    """figures that fewer than `SHORTEST` runs have, or that are 0 in one: they are not examined"""


def changes_of(history: History) -> Changes:
    """The changes of all figures. Where nothing changed, one is named in at most 5 of 100 histories, however many
    figures they have: each is examined at its part of these 5% (Bonferroni)."""
    steps: list[FoundStep] = []
    drifts: list[FoundDrift] = []
    too_short: list[FigureSeries] = []
    for column in history.columns:
        present = [(run, value) for run in history.runs if (value := column.value(run.result)) is not None]
        values = [value for _, value in present]
        if len(values) < SHORTEST or min(values) <= 0:
            too_short.append(column)
        course = LEVEL_COURSE if column in too_short else course_of(values, (1 - LEVEL) / len(history.columns))
        steps += [FoundStep(column, present[step.index - 1][0], present[step.index][0], step) for step in course.steps]
        if course.drift is not None:
            drifts.append(FoundDrift(column, course.drift))
    return Changes(steps, drifts, too_short)


def _change(step: LevelChange) -> str:
    """`fell 12% (9 to 15)`, with the interval of 95%."""
    way, share = _way(step.ratio.estimate, ("fell", "rose"))
    if step.ratio.interval is None:
        return f"{way} {share}"
    sign = -1 if way == "fell" else 1
    low, high = sorted(sign * 100 * (end - 1) for end in step.ratio.interval)
    return f"{way} {share} ({plain(round(low, 1))} to {plain(round(high, 1))})"


def _way(ratio: float, words: tuple[str, str]) -> tuple[str, str]:
    return words[ratio >= 1], f"{plain(round(100 * abs(ratio - 1), 1))}%"
