"""Tolerances of what shows that the work was done, tried on records."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from benches.tolerance import ANSWERS, EXPERIMENT, Tolerance, is_silent, largest, lets_pass, percent
from fairtrial.judge.checks.answered_before_read import least_share_found as read_share_found
from fairtrial.judge.checks.answered_while_held import IN_FLIGHT as ANSWERS_IN_FLIGHT
from fairtrial.judge.checks.answered_while_held import least_share_refused
from fairtrial.judge.checks.work import least_share_found
from fairtrial.lab.meters.connections import CHECK_SECONDS, FIRST_MESSAGES
from fairtrial.record.database import Durability
from fairtrial.record.engine_summary import Picks
from fairtrial.record.hold_audit import Hold, HoldAudit, Watch
from fairtrial.record.model import TrialRecord
from fairtrial.record.proof import Ledger
from fairtrial.record.slices import Slicing
from tests.builders import a_trial, an_experiment, uniform_picks
from tests.builders.figures import a_slice
from tests.judge.checks.test_cheap_answers import costing, on
from tests.judge.checks.test_faster_than_possible import drawn
from tests.judge.checks.test_work_done import seeing, with_keys

IN_FLIGHT, MANY_IN_FLIGHT, BUDGET = 16, 64, 16
WATCHED_ANSWERS = 1_000
ALONE_MICROSECONDS, TOGETHER_MICROSECONDS = 45.0, 7.0
"""Of PostgreSQL 15, for a statement that reads a row: one that is waited for, and one of 200 in a message."""


def skipped_work() -> Tolerance:
    """Answers from memory that nothing is paid for."""

    def skipping(share: float) -> TrialRecord:
        done = round(ANSWERS * (1 - share))
        ledger = Ledger(done={"reads": done, "rows_read": done}, verified=ANSWERS, answers=ANSWERS)
        return a_trial().record().model_copy(update={"ledger": ledger})

    share = largest(lambda share: lets_pass("ledger", skipping(share)), 0, 0.5)
    return Tolerance(
        "ledger `share`",
        f"{percent(share)} of the answers without their work",
        f"{percent(1 / (1 - share) - 1)} at most",
        "left",
    )


def memory_behind_answers() -> Tolerance:
    """Answers from memory, paid with work that costs nothing."""
    most = largest(lambda answers: not lets_pass("stale", seeing(round(answers))), 0, 1000)
    share = least_share_found(math.ceil(most))
    return Tolerance(
        "stale `share`",
        f"memory behind {percent(share)} of the answers, which one trial run in 20 does not show",
        f"{percent(1 / (1 - share) - 1)} at most",
        "with fewer answers about changed rows, *not examined* stands in the sentence",
    )


def unread_keys() -> Tolerance:
    """Hits paid with other keys."""
    unread = largest(lambda share: lets_pass("keys-unread", with_keys(round(2000 * (1 - share)), 10**7)), 0, 0.5)
    return Tolerance(
        "keys-unread `share`",
        f"{percent(unread)} of the keys from memory, paid with other keys",
        f"{percent(1 / (1 - unread) - 1)} at most",
        "left",
    )


def rows_left_out() -> Tolerance:
    """Rows that are never asked for, spread over the table."""

    def picking(share: float) -> TrialRecord:
        picks = uniform_picks(3 * ANSWERS * 10).model_dump()
        picks["pairs"] = round(picks["pairs"] / (1 - share))
        return a_trial().picking(Picks(**picks)).record()

    left_out = largest(lambda share: lets_pass("picks-uniform", picking(share)), 0, 0.5)
    return Tolerance(
        "picks-uniform `effective_share`",
        f"{percent(left_out)} of the rows never read",
        f"{percent(left_out / (1 - left_out))} more from a cache that cannot hold all",
        "left; the warning stands in the sentence",
    )


def late_writes() -> Tolerance:
    """Acknowledged writes that are made after the load."""
    late = largest(
        lambda writes: lets_pass("work-after-the-run", a_trial().settling(0.1, round(writes)).record()), 0, 99
    )
    beyond = round(late) - 16
    return Tolerance(
        "work-after-the-run `writes`",
        f"{beyond} writes after the load, beyond those in flight",
        f"{percent(beyond / ANSWERS)} of {ANSWERS:,}",
        "left; the ledger asks for 98%",
    )


def busy_while_idle() -> Tolerance:
    """A server that takes a processor from those that are measured in turn with it."""

    def idle(processors: float) -> TrialRecord:
        slicing = {"planned_rounds": 12, "rule": "quiet", "slices": [a_slice(1, 0.0, kept=True)], "idle_seconds": 10.0}
        slices = Slicing.model_validate(slicing | {"idle_cpu_seconds": 10 * processors})
        return a_trial().record().model_copy(update={"slices": slices})

    processors = largest(lambda each: lets_pass("busy-while-idle", idle(each)), 0, 0.5)
    return Tolerance(
        "busy-while-idle `processors`",
        f"{percent(processors)} of a processor in the slices of the others",
        f"{percent(processors / (1 - processors))} at most, over them",
        "in the interval of a ratio",
    )


def unflushed_commits() -> Tolerance:
    """Commits that are acknowledged before the flush that the last of them waits for."""
    sessions, flushes = 16, 10_000

    def committing(commits: float) -> TrialRecord:
        number = round(commits)
        ledger = Ledger(done={"writing_commits": number}, verified=ANSWERS, answers=ANSWERS)
        durability = Durability(promised=True, commits=number, flushes=flushes)
        update = {"durability": durability, "database_connections": sessions, "ledger": ledger}
        return a_trial().record().model_copy(update=update)

    each = sessions * flushes
    beyond = round(largest(lambda number: lets_pass("commits-not-flushed", committing(each + number)), 0, each))
    return Tolerance(
        "commits-not-flushed `commits`",
        f"one of each connection with each flush, and {beyond} more",
        f"{percent(beyond / ANSWERS)} of {ANSWERS:,}",
        "left; acknowledged before a flush, it is missing after a [crash](#crashes)",
    )


def owed_reads() -> Tolerance:
    """Answers from memory, for which the source is asked as soon as they are sent."""

    def owing(reads: float) -> TrialRecord:
        """One owed on each connection, and then a second one."""
        twice = max(math.floor(reads) - IN_FLIGHT, 0)
        return holding(reads, [0, IN_FLIGHT - twice, twice])

    owed = math.floor(largest(lambda reads: lets_pass("answered-while-held", owing(reads)), 0, 2 * IN_FLIGHT))
    return Tolerance(
        "answered-while-held `in_flight`",
        f"{owed} reads owed, with {IN_FLIGHT} requests in flight",
        f"{percent(owed / ANSWERS)} of {ANSWERS:,}; under an open load "
        f"{round(IN_FLIGHT * ANSWERS_IN_FLIGHT)}, and all waiting",
        "left: who reads ahead has as much",
    )


def holding(answers: float, by_connection: list[int]) -> TrialRecord:
    """A hold in which so many answers came, of a thousand."""
    hold = Hold(
        after_seconds=1.0,
        seconds=0.1,
        answers=round(answers),
        at_its_pace=1_000.0,
        by_connection=by_connection,
    )
    return a_trial().record().model_copy(update={"holds": HoldAudit(is_drawn=True, in_flight=IN_FLIGHT, holds=[hold])})


def cheap_rows() -> Tolerance:
    """Memory behind fewer answers than reading along shows, whose rows are read behind them in batches."""

    def mean_microseconds(share: float) -> float:
        return (1 - share) * ALONE_MICROSECONDS + share * TOGETHER_MICROSECONDS

    def gain(share: float) -> str:
        return percent(ALONE_MICROSECONDS / mean_microseconds(share) - 1)

    share = read_share_found(WATCHED_ANSWERS)
    by_holds, of_many = least_share_refused(IN_FLIGHT), least_share_refused(MANY_IN_FLIGHT)
    record = on("postgresql")
    trials = [
        costing(each).model_copy(update={"condition": condition.id, "index": number})
        for number, (each, condition) in enumerate(
            zip((mean_microseconds(by_holds), ALONE_MICROSECONDS), record.conditions, strict=True), 1
        )
    ]
    assert is_silent("cheap-answers", record, *trials)
    unread = largest(lambda unread: lets_pass("answered-before-read", watched(round(unread))), 0, WATCHED_ANSWERS)
    assert round(unread) < share * WATCHED_ANSWERS
    return Tolerance(
        "answered-before-read `share`",
        f"memory behind {percent(share)} of the answers, never old, its rows read afterwards in batches, which one "
        f"audit in 20, of {WATCHED_ANSWERS:,} answers, does not show",
        f"{gain(share)} where the database is the limit",
        f"left; where nothing is [read along](#holds), {by_holds:.0%} ({of_many:.0%} with {MANY_IN_FLIGHT} "
        f"connections) buy {gain(by_holds)} ({gain(of_many)}): [not proven](#not-proven)",
    )


def watched(unread: int) -> TrialRecord:
    """So many answers that were read along began before their rows were sent."""
    watch = Watch(seconds=0.1, answers=WATCHED_ANSWERS, unread=unread)
    return a_trial().record().model_copy(update={"holds": HoldAudit(is_drawn=True, in_flight=IN_FLIGHT, watch=watch)})


def fewer_statements() -> Tolerance:
    """Answers with fewer statements than those of another contender, who has what the workload implies."""

    def asking(share: float) -> TrialRecord:
        done = round(ANSWERS * (1 - share))
        ledger = Ledger(done={"reads": done, "rows_read": done}, verified=ANSWERS, answers=ANSWERS)
        return a_trial().record().model_copy(update={"ledger": ledger, "database_connections": 1})

    record = an_experiment("a", "b", blocks=1).claiming("a", "b", at_least=1).record()

    def passes(check: str, share: float) -> bool:
        trials = [
            asking(each).model_copy(update={"condition": condition.id, "index": number})
            for number, (each, condition) in enumerate(zip((share, 0.0), record.conditions, strict=True), 1)
        ]
        return is_silent(check, record, *trials)

    implied = largest(lambda share: lets_pass("ledger", asking(share)), 0, 0.5)
    unsaid = largest(lambda share: passes("unequal-work", share), 0, 0.5)
    return Tolerance(
        "unequal-work `share`, `statements`",
        f"{percent(min(implied, unsaid))} fewer than the other side",
        f"{percent(1 / (1 - min(implied, unsaid)) - 1)} at most",
        "the verdict names more, and the ledger refuses it",
    )


def worked_beside_the_pool() -> Tolerance:
    """Statements on the connections by which a driver watches its server."""
    record = EXPERIMENT.model_copy(
        update={"conditions": [each.model_copy(update={"service": "mongodb"}) for each in EXPERIMENT.conditions]}
    )

    def working(worked: float) -> TrialRecord:
        update = {"database_connections": BUDGET + 2, "worked_connections": BUDGET + math.floor(worked)}
        return a_trial().record().model_copy(update=update)

    more = math.floor(largest(lambda worked: is_silent("over-budget", record, working(worked)), 0, 3))
    messages = (2 - more) * (FIRST_MESSAGES + round(10 / CHECK_SECONDS))
    return Tolerance(
        "over-budget `drivers_own`",
        f"{messages} messages in ten seconds on two connections to MongoDB",
        f"{percent(messages / ANSWERS)} of {ANSWERS:,}",
        "left; one that carries more counts",
    )


def past_a_proxy() -> Tolerance:
    """Statements past the proxy, answered as though they had gone through it, and a little sooner."""
    waits = -0.002 * np.log1p(-(np.arange(ANSWERS) + 0.5) / ANSWERS)
    sooner = largest(lambda share: lets_pass("faster-than-possible", *drawn(waits * (1 - share), 0.002)), 0, 0.5)
    return Tolerance(
        "latency-bypassed; faster-than-possible",
        f"statements past the proxy, all {percent(sooner)} sooner than a drawn latency; a constant one as above",
        f"{percent(1 / (1 - sooner) - 1)} of {ANSWERS:,}",
        "left; the more answers, the less",
    )


ROWS: Sequence[Callable[[], Tolerance]] = (
    skipped_work,
    memory_behind_answers,
    unread_keys,
    rows_left_out,
    late_writes,
    busy_while_idle,
    unflushed_commits,
    owed_reads,
    cheap_rows,
    fewer_statements,
    worked_beside_the_pool,
    past_a_proxy,
)
