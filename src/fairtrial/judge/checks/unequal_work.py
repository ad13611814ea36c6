from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from fairtrial.experiment.claims import Claim, ShapeClaim
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding, nothing_to_do
from fairtrial.judge.checks.work import NOUNS
from fairtrial.load.kinds import Load
from fairtrial.record.model import Condition, TrialRecord
from fairtrial.record.proof import Ledger

COUNTED = ("reads", "table_reads", "writes", "commits", "calls")
"""The work that one answer can take more of than another, by the names of `Ledger.done`. Rows are left out: databases
count them differently. So are statements that neither read nor write (BEGIN, COMMIT, SET): what a driver or a framework
puts around a query is a part of what the stack costs, and not of what it was asked for."""

NAMED_SHARE = 0.02
"""The verdict's sentence names a difference from this share of the larger number on, if that is a statement or more."""

COUNTS_FOR_ALL_USERS = ("mongodb", "redis", "memcached")
"""Private services whose counters do not tell the stack's statements from the lab's."""


@dataclass(frozen=True)
class _Work:
    """The work that the trials of a condition did for each answer: the median over its trials."""

    name: str
    per_answer: Mapping[str, float]
    """everything that was counted, divided by the verified answers"""
    at_least: Mapping[str, float]
    """without what may be its set-up, divided by all requests that may have been worked on"""
    each: str
    """`answer`, or `operation` of a program"""


@check(
    "unequal-work",
    looks_at="the statements that the database counted for each answer (median over the trials), of all conditions "
    "that a claim compares; of commits, those that wrote something",
    remedy="compare stacks that do the same work; or say in the claim why the work differs, with the key "
    "`unequal_work`, and the verdict is given with that text",
    share=Threshold(
        0.1,
        "share of the larger number",
        "a query is most of what such an answer costs: a tenth more of them may be the whole of a difference that "
        "claims are about",
    ),
    statements=Threshold(
        0.2,
        "statements for each answer",
        "answers that take fewer than one statement in all (batches) differ by shares of next to nothing; from one "
        "answer in five on, another path was taken and not another rounding",
    ),
    set_up=Threshold(
        6,
        "statements for each connection to the database",
        "what a driver asks once and not for each answer: version, settings, types, the text of what it prepares",
    ),
)
def unequal_work(case: Case, *, share: float, statements: float, set_up: float) -> Iterator[Finding]:
    """Sides of a claim whose answers took a different number of statements: a comparison of unequal work.

    A refusal of the verdict; a note, if the claim says why they differ, or by how little they do.
    """
    works = _works(case, set_up)
    for claim in case.record.experiment.claims:
        compared = [
            [works[str(each)] for each in references if str(each) in works]
            for references in _comparisons(claim, case.record.experiment)
        ]
        differences = [unequal for each in compared if (unequal := _unequal(each, share, statements))]
        if not differences:
            small = (_unequal(each, NAMED_SHARE, statements, is_small=True) for each in compared)
            for evidence in [unequal for unequal in small if unequal][:1]:
                yield finding("note", evidence, nothing_to_do("the verdict's sentence names it"), claim=claim.id)
            continue
        reason = claim.unequal_work
        because = "" if reason is None else f"; the claim says why: “{reason.strip().rstrip('.')}”"
        yield finding(
            "refusal" if reason is None else "note",
            differences[0] + because,
            "" if reason is None else nothing_to_do("whoever reads the verdict is told"),
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


def _works(case: Case, set_up: float) -> dict[str, _Work]:
    """By the condition as claims name it; without conditions whose database counts nothing."""
    works = {}
    for condition in case.record.conditions:
        counted = [trial for trial in case.trials_of(condition.id) if _answers(trial)]
        if counted:
            works[condition.contender] = _work(case, condition, counted, set_up)
    return works


def _work(case: Case, condition: Condition, trials: Sequence[TrialRecord], set_up: float) -> _Work:
    ledgers = [
        _of_writing_commits(_by_stack(case, condition, trial, trial.ledger))
        for trial in trials
        if trial.ledger is not None
    ]
    requests = [
        ledger.answers + _left_unanswered(condition.load, trial) for trial, ledger in zip(trials, ledgers, strict=True)
    ]
    at_start = [set_up * (trial.database_connections or case.record.budget_of(condition)) for trial in trials]
    # The lab's own job writes as long as the program runs. In older records, stores count that as the program's.
    beside = any("background_commits" in ledger.done and not ledger.lab_left_out for ledger in ledgers)
    kinds = [
        kind
        for kind in COUNTED
        if all(kind in ledger.done for ledger in ledgers) and not (beside and kind in ("writes", "commits"))
    ]
    return _Work(
        condition.contender,
        {kind: median(ledger.done[kind] / ledger.verified for ledger in ledgers) for kind in kinds},
        {
            kind: median(
                max(0.0, ledger.done[kind] - once) / worked_on
                for ledger, worked_on, once in zip(ledgers, requests, at_start, strict=True)
            )
            for kind in kinds
        },
        "answer" if trials[0].program is None else "operation",
    )


def _left_unanswered(load: Load, trial: TrialRecord) -> int:
    """How many requests the stack may have worked on whose answers nobody awaited any more.

    The engine leaves them when a run ends: those in flight then. Of the probes of a search for the capacity, the record
    does not have that number, and it is as many as the load allows. A program ends by itself, and leaves none.
    """
    if trial.engine is None:
        return 0
    others = 0 if trial.capacity is None else max(0, len(trial.capacity.probes) - 1)
    return others * load.most_in_flight + min(load.most_in_flight, trial.engine.in_flight_at_end)


def _by_stack(case: Case, condition: Condition, trial: TrialRecord, ledger: Ledger) -> Ledger:
    """The ledger without the rows that the lab changed and set back, which older records count as the stack's writes.

    A row whose turn did not come before the load ended was set back only: of those, 30 at most, nothing is taken off.
    """
    external = any(each.name == condition.service and each.where == "external" for each in case.record.services)
    if ledger.lab_left_out or not (external or condition.service in COUNTS_FOR_ALL_USERS):
        return ledger
    changed = sum(each.changed for each in (trial.row_changes, trial.freshness) if each is not None)
    writes = {"writes": max(0, ledger.done["writes"] - 2 * changed)} if "writes" in ledger.done else {}
    return ledger.model_copy(update={"done": {**ledger.done, **writes}})


def _of_writing_commits(ledger: Ledger) -> Ledger:
    """The ledger without commits that wrote nothing, as far as the database tells.

    A pool that resets a session after its use commits that as well, and so does a driver after a read.
    """
    counts = ledger.done
    if "commits" not in counts or "writing_commits" not in counts:
        return ledger
    commits = min(counts["commits"], counts["writing_commits"])
    return ledger.model_copy(update={"done": {**counts, "commits": commits}})


def _answers(trial: TrialRecord) -> int:
    return 0 if trial.ledger is None else trial.ledger.verified


def _unequal(works: Sequence[_Work], share: float, statements: float, *, is_small: bool = False) -> str | None:
    """The first kind of statement in which two of these differ, with the figures of all; None if they do not.

    Args:
        is_small: whether a share of a whole statement or more is enough.

    They differ if one side took more for each answer at least than another at most. A commit is compared only where
    statements write: after reads alone it flushes nothing, and drivers differ in how they count it.
    """
    for kind in (_compared_reads(works, statements), "writes", "commits", "calls"):
        counts = [work.per_answer[kind] for work in works if kind in work.per_answer]
        writes = max((work.per_answer.get("writes", 0.0) for work in works), default=0.0)
        if len(counts) < max(2, len(works)) or (kind == "commits" and writes < statements):
            continue
        gap = max(work.at_least[kind] for work in works) - min(counts)
        if (is_small and max(counts) < 1) or gap <= max(0.0 if is_small else statements, share * max(counts)):
            continue
        figures = ", ".join(f"{work.name} {work.per_answer[kind]:.2f}" for work in works)
        return f"{NOUNS[kind]} for each {works[0].each}: {figures}"
    return None


def _compared_reads(works: Sequence[_Work], statements: float) -> str:
    """Reads that look at no table are a driver's ping, or what a pool sends to reset a session: they are compared only
    where the database does not tell them apart, or where answers take nothing else."""
    tells = all("table_reads" in work.per_answer for work in works)
    in_tables = max(
        (work.per_answer.get(kind, 0.0) for work in works for kind in ("table_reads", "writes")), default=0.0
    )
    return "table_reads" if tells and in_tables > statements else "reads"
