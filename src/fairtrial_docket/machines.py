"""Questions over machines: what runs of one locked experiment say together, by the lock and the model of `fairtrial
pool` (`tools.pool`, `judge.statistics.random_effects`).

On each machine m a contender c has y_cm, the logarithm of its figure relative to the median of the contenders there:
how fast a machine is cancels, as does how fast a block is on one machine. y_c is pooled over machines, and so are the
figures as they are, which are held against limits. All these intervals hold together with a probability of 95%
(Bonferroni's inequality), so that any two contenders may be compared, as `questions` has it; but the machine is the
unit, and they are about machines like these.

Two kinds of starts ask for a least number of machines as they do for one of blocks: a machine whose blocks are few may
have begun all of them in one kind.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from fairtrial.judge.statistics.planning import narrowings
from fairtrial.judge.statistics.random_effects import (
    MINIMUM_MACHINES,
    OverMachines,
    lies_by_default,
    log_error,
    over_machines,
)
from fairtrial.judge.statistics.student import LEVEL
from fairtrial.judge.statistics.ties import blocks_for_ranks
from fairtrial_docket.entries import ExperimentEntry
from fairtrial_docket.pools import runs_of_locks
from fairtrial_docket.questions import COMPARED, Question, QuestionFigure, shared_by_all


@dataclass(frozen=True)
class PooledQuestion:
    """A question, of which the machine is the unit."""

    runs: Sequence[ExperimentEntry]
    parts: Sequence[Question]
    """the same question of each run"""
    machines: int
    question: Question
    """its blocks are machines: the fewest that a figure rests on"""


@dataclass(frozen=True)
class _Log:
    """A figure's logarithm on a machine."""

    value: float
    error: float
    is_open: bool
    """it may be any greater"""


@dataclass(frozen=True)
class _OnMachine:
    """A figure of a contender on a machine, as `QuestionFigure` has it."""

    relative: _Log
    own: _Log


Parts = Sequence[tuple[ExperimentEntry, Question]]


def pooled_questions(entries: Sequence[ExperimentEntry]) -> list[PooledQuestion]:
    """The questions that runs of one lock put on three machines or more."""
    alike: dict[tuple[str, ...], list[tuple[ExperimentEntry, Question]]] = defaultdict(list)
    for runs in runs_of_locks(entries):
        for entry in runs.fit:
            for question in entry.questions:
                alike[entry.lock, *question.alike].append((entry, question))
    return [pooled for parts in alike.values() if (pooled := _pooled(parts)) is not None]


def _pooled(parts: Parts) -> PooledQuestion | None:
    by_machine: dict[str, list[Question]] = defaultdict(list)
    for entry, question in parts:
        by_machine[entry.identity].append(question)
    if len(by_machine) < MINIMUM_MACHINES:
        return None
    read = {key: values for key in COMPARED if (values := _values(key, by_machine))}
    level = 1 - (1 - LEVEL) / (2 * max(1, sum(map(len, read.values()))))
    figures: dict[str, dict[str, QuestionFigure]] = {each: {} for _, part in parts for each in part.figures}
    for key, values in read.items():
        for condition, figure in _over_machines(values, level).items():
            figures[condition][key] = figure
    fewest = min((len(next(iter(values.values()))) for values in read.values()), default=0)
    most = max((len(values) for values in read.values()), default=1)
    question = Question(
        alike=parts[0][1].alike,
        in_words=parts[0][1].in_words,
        level=level,
        blocks=fewest,
        least_blocks=max(MINIMUM_MACHINES, blocks_for_ranks(most)),
        narrowings=narrowings(fewest, level) if fewest >= MINIMUM_MACHINES else [],
        figures=figures,
        durable={each: _durable(part.durable.get(each, "") for _, part in parts) for each in figures},
    )
    return PooledQuestion([entry for entry, _ in parts], [part for _, part in parts], len(by_machine), question)


def _values(key: str, by_machine: Mapping[str, Sequence[Question]]) -> dict[str, dict[str, _OnMachine]]:
    """By condition and machine, on the machines that all of them share: the mean of a machine's runs, which all have
    the figure."""
    by_condition: dict[str, dict[str, _OnMachine]] = defaultdict(dict)
    for machine, questions in by_machine.items():
        for condition in set.intersection(*(set(each.figures) for each in questions)):
            figures = [(each.figures[condition].get(key), each.level) for each in questions]
            logs = [each for figure, level in figures if (each := _on_machine(figure, level)) is not None]
            if len(logs) == len(questions):
                by_condition[condition][machine] = _OnMachine(
                    _mean([each.relative for each in logs]), _mean([each.own for each in logs])
                )
    order = {condition: by_condition[condition] for condition in sorted(by_condition)}
    return shared_by_all(order, MINIMUM_MACHINES)


def _on_machine(figure: QuestionFigure | None, level: float) -> _OnMachine | None:
    """None: there is no figure, or it may be as small as any, which is none."""

    def log(estimate: float, low: float, high: float | None, blocks: int) -> _Log:
        # Of an interval that is open above, the half below the estimate.
        error = log_error(low, estimate * (estimate / low) if high is None else high, level, blocks)
        return _Log(math.log(estimate), error, high is None)

    if figure is None or min(figure.low, figure.own_low) <= 0:
        return None
    relative = log(figure.estimate, figure.low, figure.high, figure.blocks)
    own = log(figure.own, figure.own_low, figure.own_high, figure.blocks)
    return _OnMachine(relative, own) if math.isfinite(relative.error + own.error) else None


def _mean(logs: Sequence[_Log]) -> _Log:
    """As wide as they are: what a machine has in all of its runs, more of them do not tell."""
    return _Log(
        fmean(each.value for each in logs), fmean(each.error for each in logs), any(each.is_open for each in logs)
    )


def _over_machines(values: Mapping[str, Mapping[str, _OnMachine]], level: float) -> dict[str, QuestionFigure]:
    machines = list(next(iter(values.values())))
    of_machine = {machine: median(each[machine].relative.value for each in values.values()) for machine in machines}
    typical = median(of_machine.values())
    figures = {}
    for condition, by_machine in values.items():
        relative = [by_machine[machine].relative for machine in machines]
        own = [by_machine[machine].own for machine in machines]
        centres = [of_machine[machine] - typical for machine in machines]
        to_others, alone = _pool(relative, centres), _pool(own, [0.0] * len(own))
        figures[condition] = QuestionFigure(
            math.exp(to_others.best.value),
            *_ends(to_others, level, relative),
            math.exp(alone.best.value),
            *_ends(alone, level, own),
            blocks=len(machines),
            disagreeing=len(to_others.disagreeing),
        )
    return figures


def _pool(logs: Sequence[_Log], centres: Sequence[float]) -> OverMachines:
    values = np.array([each.value for each in logs]) - np.array(centres)
    return over_machines(values, np.array([each.error for each in logs]), lies_by_default(len(logs)))


def _ends(pooled: OverMachines, level: float, logs: Sequence[_Log]) -> tuple[float, float | None]:
    with np.errstate(over="ignore"):
        low, high = np.exp(pooled.interval(level))
    is_open = math.isinf(high) or any(each.is_open for each in logs)
    return float(low), None if is_open else float(high)


def _durable(answers: Iterable[str]) -> str:
    """As all runs have it; if they differ, it is not."""
    different = set(answers)
    return different.pop() if len(different) == 1 else "no"
