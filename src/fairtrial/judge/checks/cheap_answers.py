from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.model import Condition, TrialRecord

SQL = ("postgresql", "mariadb")
"""Other stores answer many keys in one command, which costs them next to nothing a key."""

EXPECTED_SECONDS = 0.5
"""Processor time that a trial's answers have to have cost by what they cost the others: its meter counts in ticks of
10 ms a process, and a share of less could be its error."""

BUSY_SHARE = 0.05
"""The database of another contender has to have used this share of one processor: below, what it does by itself is a
large part of what an answer seems to cost."""


@dataclass(frozen=True)
class _Cost:
    """The database's cost of a condition's answers: the median over its trials."""

    name: str
    per_answer: float
    """processor seconds"""
    per_statement: float
    """of whatever kind: a driver that sends more of them for an answer is no measure for others"""
    is_busy: bool


@check(
    "cheap-answers",
    looks_at="the processor time of a private PostgreSQL or MariaDB in the window, for each verified answer and for "
    "each statement, beside that of the other contenders on it; where an answer implies a statement",
    remedy="find out whether these answers are spared work (several requests share a statement; statements that look "
    "at nothing stand beside answers from memory), or whether those of the others cost more than is asked of them",
    share=Threshold(
        0.15,
        "share of the cheapest other contender's",
        "PostgreSQL 15: a prepared statement that reads a row costs 7 µs where 200 are sent at once, and up to 45 µs "
        "where each waits for the last one; that is a way to send, and allowed",
    ),
    microseconds=Threshold(
        1.0,
        "µs for each answer",
        "on the same machine a `SELECT 1` in a message of 200 costs 2.7 µs: no statement is sent, parsed and answered "
        "for less, on processors more than twice as fast",
    ),
)
def cheap_answers(case: Case, *, share: float, microseconds: float) -> Iterator[Finding]:
    """Answers for which the database worked much less than for those of others: work that was spared, or done later.

    A warning below that share, by answer and by statement alike. A refusal for each trial where the database had less
    time than any statement takes.
    """
    for condition in case.record.conditions:
        trials = [trial for trial in case.trials_of(condition.id) if _is_examined(case, condition, trial)]
        if not trials:
            continue
        for trial in trials:
            per_answer = 1e6 * _per_answer(trial)
            if per_answer < microseconds and _verified(trial) * 1e-6 * microseconds >= EXPECTED_SECONDS / 10:
                yield finding(
                    "refusal",
                    f"the database used {per_answer:.2f} µs of processor time for each verified answer: a statement "
                    f"takes {microseconds:g} at least",
                    "do the work for each request, before it is answered",
                    trial=trial.index,
                )
        yield from _beside_others(case, condition, trials, share)


def _beside_others(case: Case, condition: Condition, trials: Sequence[TrialRecord], share: float) -> Iterator[Finding]:
    own, others = _cost(condition, trials), []
    for other in case.record.conditions:
        is_alike = (other.service, other.at) == (condition.service, condition.at)
        if is_alike and other.contender != condition.contender:
            examined = [trial for trial in case.trials_of(other.id) if _is_examined(case, other, trial)]
            others += [cost for cost in ([_cost(other, examined)] if examined else []) if cost.is_busy]
    if not others:
        return
    cheapest = min(others, key=lambda cost: cost.per_answer)
    of_statement = own.per_statement / min(cost.per_statement for cost in others)
    expected = cheapest.per_answer * median(_verified(trial) for trial in trials)
    if max(own.per_answer / cheapest.per_answer, of_statement) < share and expected >= EXPECTED_SECONDS:
        yield finding(
            "warning",
            f"the database used {1e6 * own.per_answer:.1f} µs of processor time for each answer of {own.name}, and "
            f"{1e6 * cheapest.per_answer:.1f} µs for each of {cheapest.name}, which took the least of the others",
            contenders=[own.name],
        )


def _is_examined(case: Case, condition: Condition, trial: TrialRecord) -> bool:
    work = case.record.implied_work.get(condition.id)
    statements = 0.0 if work is None else sum(work.per_answer.get(kind, 0.0) for kind in ("reads", "writes"))
    return condition.service in SQL and statements >= 1 and trial.service is not None and _verified(trial) > 0


def _verified(trial: TrialRecord) -> int:
    return 0 if trial.engine is None else trial.engine.verified


def _per_answer(trial: TrialRecord) -> float:
    assert trial.service is not None  # `_is_examined`
    return trial.service.cpu_seconds / _verified(trial)


def _cost(condition: Condition, trials: Sequence[TrialRecord]) -> _Cost:
    per_answer = median(_per_answer(trial) for trial in trials)
    meters = [trial.service for trial in trials if trial.service is not None]
    return _Cost(
        condition.contender,
        per_answer,
        per_answer / median(_statements(trial) for trial in trials),
        median(meter.cpu_seconds / meter.window_seconds for meter in meters) >= BUSY_SHARE,
    )


def _statements(trial: TrialRecord) -> float:
    """For each answer, one at least; one where they are not counted."""
    ledger = trial.ledger
    return max(1.0, ledger.done.get("statements", 0) / ledger.verified) if ledger and ledger.verified else 1.0
