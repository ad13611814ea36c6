"""Holds as records have them: what refuses a trial, what warns, and what is said of the experiment."""

from random import Random

import pytest

from fairtrial.judge.checks.answered_while_held import allowed_again, least_share_refused
from fairtrial.judge.checks.model import Finding
from fairtrial.record.hold_audit import Hold, HoldAudit
from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities

MOST = 8
"""Answers on one connection, up to which they are counted."""


def audit(*answers: int, at_its_pace: float = 192.0) -> HoldAudit:
    holds = [Hold(after_seconds=1.5, seconds=0.08, answers=each, at_its_pace=at_its_pace) for each in answers]
    return HoldAudit(is_drawn=True, in_flight=16, holds=holds)


def findings(*audits: HoldAudit | None) -> list[Finding]:
    trials: list[TrialRecord] = [a_trial().record().model_copy(update={"holds": each}) for each in audits]
    return found("answered-while-held", an_experiment("a").record(), trials)


def test_more_answers_than_honest_servers_can_have_are_refused(snapshot: object) -> None:
    refusal, note = findings(audit(3, 49, 16))
    assert severities([refusal, note]) == ["refusal", "note"]
    assert refusal.evidence == snapshot


def test_replies_in_buffers_rows_read_ahead_and_reads_of_others_are_no_fault(snapshot: object) -> None:
    (note,) = findings(audit(0, 48, 16), HoldAudit(is_drawn=False))
    assert note.severity == "note" and note.examined
    assert note.evidence == snapshot


def test_where_nothing_could_be_seen_the_result_says_so(snapshot: object) -> None:
    (few,) = findings(audit(0, 0, 0, at_its_pace=95.0))
    (reason,) = findings(HoldAudit(is_drawn=False, why_not="the load comes from another host, with another clock"))
    warning, _ = findings(HoldAudit(is_drawn=True, why_not="the stack did not start"))
    assert [few.examined, reason.examined, warning.examined] == [False] * 3
    assert severities([few, reason, warning]) == ["note", "note", "warning"]
    assert [few.evidence, reason.evidence, warning.evidence] == snapshot
    assert findings(None) == [], "nothing to wait for, or an older record"


def test_a_second_answer_on_several_connections_is_refused(snapshot: object) -> None:
    refusal, note = findings(by_connection([9, 4, 2, 1]))
    assert severities([refusal, note]) == ["refusal", "note"]
    assert [refusal.evidence, note.evidence] == snapshot


def test_one_row_ahead_on_each_connection_and_a_few_more_are_no_fault() -> None:
    (note,) = findings(by_connection([0, 14, 2]))
    assert note.severity == "note" and note.examined
    few, enough = by_connection([3, 2, 0], [3, 1, 1]), by_connection([3, 1, 1], [3, 1, 1])
    assert severities(findings(few)) == ["note"]
    assert severities(findings(enough)) == ["refusal", "note"], "over both holds"


def test_a_hold_that_is_too_short_tells_nothing_of_single_connections() -> None:
    (note,) = findings(by_connection([0, 0, 16], at_its_pace=47.0))
    assert not note.examined
    assert severities(findings(by_connection([0, 0, 16], at_its_pace=49.0))) == ["refusal", "note"]


def by_connection(*counts: list[int], at_its_pace: float = 192.0) -> HoldAudit:
    holds = [
        Hold(after_seconds=1.5, seconds=0.08, answers=16, at_its_pace=at_its_pace, by_connection=each)
        for each in counts
    ]
    return HoldAudit(is_drawn=True, in_flight=16, holds=holds)


def answered(connections: int, from_memory: float, pools: list[int], draw: Random) -> list[int]:
    """Connections by their answers in a hold, of a server whose processes have so many rows ahead each.

    Each connection belongs to one process, asks once, and then as often as it is answered, in any order.
    """
    process_of = [number % len(pools) for number in range(connections)]
    rows, counts, asking = list(pools), [0] * connections, list(range(connections))
    for is_second_stage in (False, True):
        answered_once = []
        while asking:
            number = asking.pop(draw.randrange(len(asking)))
            is_from_pool = rows[process_of[number]] > 0
            if not is_from_pool and draw.random() >= from_memory:
                continue
            rows[process_of[number]] -= is_from_pool
            counts[number] += 1
            (asking if is_second_stage and counts[number] < MOST else answered_once).append(number)
        asking = answered_once
    return [counts.count(answers) for answers in range(MOST + 1)]


@pytest.mark.parametrize("connections", [4, 16, 64, 256])
def test_servers_that_read_a_row_ahead_for_each_connection_are_never_refused(connections: int) -> None:
    draw = Random(connections)
    for processes in {1, 2, 4, connections}:
        rows = [connections // processes] * processes
        for _ in range(50):
            counts = answered(connections, 0.0, [draw.randint(0, most) for most in rows], draw)
            assert not sum(counts[2:]) and sum(answered(connections, 0.0, rows, draw)[2:]) == 0
            one_more = answered(connections, 0.0, [rows[0] + 1, *rows[1:]], draw)
            assert sum(one_more[2:]) <= allowed_again(connections)


@pytest.mark.parametrize(("connections", "share"), [(4, 0.87), (16, 0.58), (64, 0.40), (256, 0.31)])
def test_the_share_of_answers_from_memory_that_is_found(connections: int, share: float) -> None:
    """Of a thousand audits, about 950 find it; of a quarter of it, hardly one."""
    assert least_share_refused(connections) == pytest.approx(share, abs=0.01)

    def refused(from_memory: float) -> int:
        draw = Random(7)
        counts = (answered(connections, from_memory, [0], draw) for _ in range(1000))
        return sum(sum(each[2:]) > allowed_again(connections) for each in counts)

    assert 920 <= refused(least_share_refused(connections)) <= 975
    assert refused(share / 4) <= 20
