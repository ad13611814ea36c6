"""Sides of a claim whose answers took a different number of statements: a comparison of unequal work."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from fairtrial.experiment.claims import Claim, ShapeClaim
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.checks.ledger import NOUNS
from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.record.model import TrialRecord

COMPARED = ("reads", "writes", "commits", "calls")
"""What one answer can take more of than another, by the names of `Ledger.done`. Rows are left out: databases count them
differently."""


@dataclass(frozen=True)
class _Work:
    """What the trials of a condition did for each answer: the median over its trials."""

    name: str
    per_answer: Mapping[str, float]
    answers: float
    each: str
    """`answer`, or `operation` of a program"""


def examine(case: Case) -> Iterator[Finding]:
    """For each claim whose sides differ, a refusal of its verdict; a note, if the claim says why they differ."""
    works = _works(case)
    for claim in case.record.experiment.claims:
        differences = [
            unequal
            for references in _comparisons(claim, case.record.experiment)
            if (unequal := _unequal([works[str(each)] for each in references if str(each) in works], case.thresholds))
        ]
        if not differences:
            continue
        reason = claim.unequal_work
        because = "" if reason is None else f"; the claim says why: “{reason.strip().rstrip('.')}”"
        yield case.finding(
            None,
            "refusal" if reason is None else "note",
            differences[0] + because,
            "" if reason is None else "nothing to do: whoever reads the verdict is told",
            claim=claim.id,
        )


def _comparisons(claim: Claim, experiment: Experiment) -> list[Sequence[ConditionRef]]:
    """The conditions that a claim compares with each other: of a shape, two stacks at each value of the sweep."""
    if isinstance(claim, ShapeClaim):
        return (
            []
            if claim.to is None
            else [[ConditionRef.of(each, at) for each in claim.curves()] for at in experiment.points]
        )
    return [claim.needs()]


def _works(case: Case) -> dict[str, _Work]:
    """By the condition as claims name it; without conditions whose database counts nothing."""
    works = {}
    for condition in case.record.conditions:
        counted = [trial for trial in case.trials if trial.condition == condition.id and _answers(trial)]
        if counted:
            works[condition.contender] = _work(condition.contender, counted)
    return works


def _work(name: str, trials: Sequence[TrialRecord]) -> _Work:
    ledgers = [trial.ledger for trial in trials if trial.ledger is not None]
    # The lab's own job writes as long as the program runs. A database that does not tell users apart counts that, too.
    beside = any("background_commits" in ledger.done for ledger in ledgers)
    return _Work(
        name,
        {
            kind: median(ledger.done[kind] / ledger.verified for ledger in ledgers)
            for kind in COMPARED
            if all(kind in ledger.done for ledger in ledgers) and not (beside and kind in ("writes", "commits"))
        },
        median(ledger.verified for ledger in ledgers),
        "answer" if trials[0].program is None else "operation",
    )


def _answers(trial: TrialRecord) -> int:
    return 0 if trial.ledger is None else trial.ledger.verified


def _unequal(works: Sequence[_Work], thresholds: Mapping[str, float]) -> str | None:
    """The first kind of statement in which two of these differ, with the figures of all; None if they do not.

    A commit is compared only where statements write: after reads alone it flushes nothing, and drivers differ in how
    they count it.
    """
    for kind in COMPARED:
        counts = [work.per_answer[kind] for work in works if kind in work.per_answer]
        writes = max((work.per_answer.get("writes", 0.0) for work in works), default=0.0)
        if len(counts) < max(2, len(works)) or (kind == "commits" and writes < thresholds["statements"]):
            continue
        gap, answers = max(counts) - min(counts), min(work.answers for work in works)
        noise = thresholds["set_up"] / answers
        if gap > max(thresholds["statements"], thresholds["share"] * max(counts), noise):
            figures = ", ".join(f"{work.name} {work.per_answer[kind]:.2f}" for work in works)
            return f"{NOUNS[kind]} for each {works[0].each}: {figures}"
    return None


CHECK = Check(
    name="unequal-work",
    looks_at="the statements that the database counted for each answer (median over the trials), of all conditions "
    "that a claim compares; commits only where something is written",
    thresholds={
        "share": Threshold(
            0.1,
            "share of the larger number",
            "claims are about differences from 5% on, and a query is most of what such an answer costs: a tenth more "
            "of them may be the whole difference. Answers in flight and counters that lag explain 2% (ledger)",
        ),
        "statements": Threshold(
            0.2,
            "statements for each answer",
            "answers that take fewer than one statement in all (batches) differ by shares of next to nothing; from one "
            "answer in five on, another path was taken and not another rounding",
        ),
        "set_up": Threshold(
            100,
            "statements",
            "what a stack asks once and not for each answer: 16 connections with half a dozen statements each. In "
            "short trials they are many for each answer",
        ),
    },
    remedy="compare stacks that do the same work; or say in the claim why the work differs, with the key "
    "`unequal_work`, and the verdict is given with that text",
    examine=examine,
)
