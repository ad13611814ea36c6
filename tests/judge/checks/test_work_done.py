"""The proofs of equal work, on records: each fires where work was spared and is silent where it was done."""

from dataclasses import asdict

import pytest

from fairtrial.catalog.workloads import implied_work, options_of, workloads
from fairtrial.catalog.workloads.model import ProgramWorkload
from fairtrial.judge.checks.model import Finding
from fairtrial.record.database import Settle
from fairtrial.record.identity import ServiceIdentity
from fairtrial.record.model import ExperimentRecord, ProgramRun, TrialRecord
from fairtrial.record.proof import (
    Audit,
    Freshness,
    ImpliedWork,
    KeysRead,
    Ledger,
    RowChangesSeen,
    WindowWork,
    WriteFault,
)
from tests.builders import a_trial, an_experiment, trials_of
from tests.judge.checks.findings import found, severities

EXPERIMENT = an_experiment("a").record()


def with_ledger(**done: int) -> TrialRecord:
    """A trial of 10,000 verified answers."""
    ledger = Ledger(done=done, verified=10_000, answers=10_000)
    return a_trial().record().model_copy(update={"ledger": ledger})


def test_a_database_that_read_less_than_was_answered_refuses_the_trial(snapshot: object) -> None:
    (finding,) = found("ledger", EXPERIMENT, [with_ledger(reads=200, rows_read=10_000)])
    assert finding.severity == "refusal"
    assert finding.evidence == snapshot


def owing(handed_in: int, *, verified: int = 100_000) -> list[Finding]:
    """Of a trial of 25 s at 4,000 answers a second, by how many of its rows were there when the load had ended."""
    done = {"reads": verified, "rows_read": verified, "rows_read.items": verified}
    ledger = Ledger(done=done, verified=verified, answers=verified, handed_in={"rows_read.items": handed_in})
    trial = a_trial().but(window=25.0).record().model_copy(update={"ledger": ledger})
    work = ImpliedWork(per_answer={"reads": 1.0}, per_answer_in_tables={"rows_read.items": 1.0})
    record = EXPERIMENT.model_copy(update={"implied_work": dict.fromkeys(EXPERIMENT.implied_work, work)})
    return found("ledger", record, [trial])


def test_rows_that_came_when_the_load_had_ended_refuse_the_trial(snapshot: object) -> None:
    """The statements were paid in time, and looked at the table. The rows were all read in one of them afterwards."""
    (finding,) = owing(300)
    assert finding.severity == "refusal"
    assert finding.evidence == snapshot


def test_rows_that_sessions_had_not_handed_in_yet_are_no_debt() -> None:
    assert severities([*owing(87_000), *owing(100_000)]) == ["note", "note"]


def in_window(seconds: float = 2.0, upstream_share: float | None = None, calls: int = 0, **done: int) -> TrialRecord:
    """A trial whose window of 2 s has 10,000 verified answers, 16 of them under way at its end."""
    work = WindowWork(
        seconds=seconds, window_seconds=2.0, counts=done, verified=10_000, in_flight=16, upstream_share=upstream_share
    )
    ledger = Ledger(done={"reads": 20_000, "calls": calls}, verified=10_000, answers=10_000)
    return a_trial().record().model_copy(update={"window_work": [work], "ledger": ledger})


def test_what_no_answer_implies_is_not_missing_where_the_labs_own_work_was_counted_late() -> None:
    """The lab's own commit is taken off a count in which it does not stand yet."""
    work = ImpliedWork(per_answer={"reads": 1.0, "writing_commits": 0.0}, per_answer_in_tables={"writes.items": 0.0})
    record = EXPERIMENT.model_copy(update={"implied_work": dict.fromkeys(EXPERIMENT.implied_work, work)})
    trial = in_window(reads=10_000, **{"writing_commits": -1, "writes.items": -1})
    assert trial.ledger
    trial.ledger.done.update({"writing_commits": -1, "writes.items": -1})
    for check in ("work-before-the-window", "ledger"):
        assert "refusal" not in severities(found(check, record, [trial]))


@pytest.mark.parametrize(
    ("seconds", "reads", "refused"),
    [
        (2.0, 10_000, False),
        (2.0, 8_100, False),
        (2.0, 5_000, True),
        (1.0, 5_000, False),
        (1.0, 100, True),
        (0, 0, False),
    ],
)
def test_reads_before_the_window_do_not_pay_for_its_answers(seconds: float, reads: int, refused: bool) -> None:
    """What was read before the counters were is left out on both sides."""
    findings = found("work-before-the-window", EXPERIMENT, [in_window(seconds, reads=reads)])
    assert [finding.severity for finding in findings] == ["refusal"] * refused
    assert found("ledger", EXPERIMENT, [in_window(seconds, reads=reads)])[0].severity == "note"


@pytest.mark.parametrize(("since", "reads", "refused"), [(0, 100, False), (9_500, 9_000, False), (9_500, 100, True)])
def test_answers_are_those_since_the_counters_were_read(since: int, reads: int, refused: bool) -> None:
    """Clients that stop early, of a host whose ports are spent, are through before the lab has read the counters."""
    trial = in_window(1.9, reads=reads)
    trial = trial.model_copy(
        update={"window_work": [trial.window_work[0].model_copy(update={"verified_since": since})]}
    )
    assert severities(found("work-before-the-window", EXPERIMENT, [trial])) == ["refusal"] * refused


def test_what_databases_count_late_is_not_missed_in_a_window(snapshot: object) -> None:
    late = {"reads": 10_000, "rows_read.items": 0, "commits": 0, "statement_milliseconds": 0}
    assert found("work-before-the-window", EXPERIMENT, [in_window(2.0, **late)]) == []
    (finding,) = found("work-before-the-window", EXPERIMENT, [in_window(2.0, reads=100, rows_read=10_000)])
    assert finding.evidence == snapshot


@pytest.mark.parametrize(("share", "refused"), [(0.5, False), (0.2, False), (0.05, True), (None, False)])
def test_an_upstream_that_had_nothing_to_do_in_the_window(share: float | None, refused: bool) -> None:
    """Half of 20,000 calls, each as dear as the others, or a third as dear; and next to none."""
    experiment = an_experiment("a").but(work={"calls": 1.0}).record()
    findings = found("work-before-the-window", experiment, [in_window(2.0, share, 20_000)])
    assert [finding.severity for finding in findings] == ["refusal"] * refused


def test_rows_that_were_not_read_refuse_the_trial() -> None:
    (finding,) = found("ledger", EXPERIMENT, [with_ledger(reads=10_000, rows_read=9_000)])
    assert finding.severity == "refusal"
    assert "0.90 rows read" in finding.evidence


@pytest.mark.parametrize(
    "done",
    [
        {"reads": 3_000, "rows_read": 10_000},
        {"reads": 300, "rows_read": 9_900},
        {"reads": 100, "rows_read": 10_000},
        {"reads": 3_000, "rows_read": 3_000},
        {"reads": 0, "rows_read": 0},
        {"reads": 3_000},
    ],
)
def test_who_shares_statements_and_who_keeps_rows_are_told_where_that_is_allowed(
    done: dict[str, int], snapshot: object
) -> None:
    for finding in found("ledger", EXPERIMENT, [with_ledger(**done)]):
        assert finding.remedy == snapshot


@pytest.mark.parametrize("reads", [9_850, 10_000, 20_000])
def test_a_database_that_did_the_work_is_noted(reads: int) -> None:
    (finding,) = found("ledger", EXPERIMENT, [with_ledger(reads=reads, rows_read=10_000)])
    assert finding.severity == "note"
    assert f"{reads / 10_000:.2f} reading statements" in finding.evidence


def test_the_ledger_s_share_can_be_set() -> None:
    experiment = an_experiment("a").checking("ledger", share=0.2).record()
    (finding,) = found("ledger", experiment, [with_ledger(reads=9_000, rows_read=10_000)])
    assert finding.severity == "note"


def test_a_service_that_counts_nothing_has_no_ledger() -> None:
    assert found("ledger", EXPERIMENT, [a_trial().record(), with_ledger()]) == []


def implying(workload: str, least_seconds: float = 0.0, **work: float) -> ExperimentRecord:
    """A record that says what an answer of this workload implies."""
    implied = ImpliedWork(per_answer=work, least_seconds=least_seconds)
    experiment = EXPERIMENT.experiment.model_copy(update={"workload": workload})
    return EXPERIMENT.model_copy(
        update={"experiment": experiment, "implied_work": dict.fromkeys(EXPERIMENT.implied_work, implied)}
    )


def test_each_workload_has_its_own_measure() -> None:
    trial = with_ledger(writes=9_000, rows_written=10_000, reads=0)
    (finding,) = found("ledger", implying("survey-insert", writes=1.0, rows_written=1.0), [trial])
    assert finding.severity == "refusal"
    assert "0.90 writing statements" in finding.evidence


def reading_items(**done: int) -> TrialRecord:
    """10,000 answers, with statements and rows enough by the statements' own account."""
    told = {name.replace("__", "."): count for name, count in done.items()}
    return with_ledger(reads=10_000, rows_read=10_000, **told)


def in_tables(**work: float) -> ExperimentRecord:
    implied = ImpliedWork(per_answer={"reads": 1.0, "rows_read": 1.0}, per_answer_in_tables=work)
    return EXPERIMENT.model_copy(update={"implied_work": dict.fromkeys(EXPERIMENT.implied_work, implied)})


def test_statements_that_read_no_row_of_the_table_pay_for_none(snapshot: object) -> None:
    """`SELECT 1`, two hundred in a message: as many statements and returned rows as honest reads have."""
    record = in_tables(**{"rows_read.items": 1.0})
    (finding,) = found("ledger", record, [reading_items(rows_read__items=9_700)])
    assert finding.severity == "refusal"
    assert finding.evidence == snapshot
    for counted in (9_800, 10_000, 60_000):
        (finding,) = found("ledger", record, [reading_items(rows_read__items=counted)])
        assert finding.severity == "note" and "rows read in items" in finding.evidence


def test_rows_of_tables_are_not_demanded_where_the_database_does_not_count_them() -> None:
    (finding,) = found("ledger", in_tables(**{"rows_read.items": 1.0}), [reading_items()])
    assert finding.severity == "note" and "in items" not in finding.evidence


def with_keys(read: int, verified: int, rows: int = 100_000, marked: int = 2_000) -> TrialRecord:
    ledger = Ledger(done={"reads": verified, "rows_read": verified}, verified=verified, answers=verified)
    keys = KeysRead(table="links", rows=rows, marked=marked, read=read)
    return a_trial().record().model_copy(update={"ledger": ledger, "keys_read": keys})


@pytest.mark.parametrize(
    ("read", "verified", "fires"),
    [
        (3, 10_000, True),  # 190 are expected, give or take 13
        (119, 10_000, True),
        (123, 10_000, False),
        (190, 10_000, False),
        (0, 700, False),  # of 14, none is too seldom to be told from chance
        (0, 2_500, True),
        (1_950, 1_000_000, True),
        (1_970, 1_000_000, False),
    ],
)
def test_keys_that_were_never_asked_for_refuse_the_trial(
    read: int, verified: int, fires: bool, snapshot: object
) -> None:
    findings = found("keys-unread", EXPERIMENT, [with_keys(read, verified)])
    assert [finding.severity for finding in findings] == (["refusal"] if fires else [])
    assert [finding.evidence for finding in findings] == snapshot


def test_a_table_of_one_key_is_read_by_the_first_answer() -> None:
    assert found("keys-unread", EXPERIMENT, [with_keys(1, 10, rows=1, marked=1)]) == []
    assert len(found("keys-unread", EXPERIMENT, [with_keys(0, 10, rows=1, marked=1)])) == 1


def test_keys_that_the_lab_changes_are_a_tenth_of_a_small_table() -> None:
    assert found("keys-unread", EXPERIMENT, [with_keys(90, 10_000, rows=100, marked=100)]) == []
    assert len(found("keys-unread", EXPERIMENT, [with_keys(89, 10_000, rows=100, marked=100)])) == 1
    assert len(found("keys-unread", EXPERIMENT, [with_keys(970, 100_000, rows=1_000, marked=1_000)])) == 1


def asleep(*, milliseconds: int, long: int = 1_000) -> TrialRecord:
    """10,000 answers, of which `long` are to have slept."""
    done = {"reads": 10_000, "rows_read": 10_000, "statement_milliseconds": milliseconds}
    by_request = {"short": 10_000 - long, "long": long}
    ledger = Ledger(done=done, verified=10_000, answers=10_000, verified_by_request=by_request)
    return a_trial().record().model_copy(update={"ledger": ledger})


def test_a_sleep_that_the_database_did_not_sleep_is_refused_and_shorter_ones_by_a_clock_are_not(
    snapshot: object,
) -> None:
    implied = ImpliedWork(per_answer={"reads": 1.0}, sleeping_seconds={"long": 0.05})
    record = EXPERIMENT.model_copy(update={"implied_work": dict.fromkeys(EXPERIMENT.implied_work, implied)})
    for milliseconds in (800, 48_900):
        (finding,) = found("ledger", record, [asleep(milliseconds=milliseconds)])
        assert finding.severity == "refusal"
        assert finding.evidence == snapshot
    for trial in (
        asleep(milliseconds=49_100),
        asleep(milliseconds=60_000),
        asleep(milliseconds=9_900, long=200),  # the others were still asleep when the load ended
        with_ledger(reads=10_000, statement_milliseconds=3),  # an older record
        with_ledger(reads=10_000),  # a database that does not measure it
    ):
        (finding,) = found("ledger", record, [trial])
        assert finding.severity == "note", finding


def test_operations_on_another_collection_pay_for_none(snapshot: object) -> None:
    """Of a server that counts operations by collection, and no documents."""
    record = in_tables(**{"rows_read.items": 1.0, "reads.items": 1.0})
    (finding,) = found("ledger", record, [reading_items(reads__items=0, reads__others=10_000)])
    assert finding.severity == "refusal"
    assert finding.evidence == snapshot
    (finding,) = found("ledger", record, [reading_items(reads__items=10_000)])
    assert finding.severity == "note"


def test_acknowledgements_without_commits_are_refused_but_not_elsewhere_where_commits_come_late() -> None:
    record = implying("survey-insert", rows_written=1.0, commits=1.0)
    trial = with_ledger(rows_written=10_000, commits=200)
    (finding,) = found("ledger", record, [trial])
    assert finding.severity == "refusal" and "0.02 commits" in finding.evidence
    (finding,) = found("ledger", record, [with_ledger(rows_written=10_000, commits=9_900)])
    assert finding.severity == "note"
    elsewhere = ServiceIdentity(name="sqlite", product="SQLite", where="external")  # the database of these records
    (finding,) = found("ledger", record.model_copy(update={"services": [elsewhere]}), [trial])
    assert finding.severity == "note"


def test_the_record_alone_says_what_an_answer_implies() -> None:
    (finding,) = found("ledger", implying("no-longer-known", reads=2.0), [with_ledger(reads=10_000)])
    assert finding.severity == "refusal"
    assert "at least 2" in finding.evidence


def test_a_record_that_does_not_say_it_is_a_warning() -> None:
    older = EXPERIMENT.model_copy(update={"implied_work": {}})
    (finding,) = found("ledger", older, [with_ledger(reads=10_000)])
    assert finding.severity == "warning"


@pytest.mark.parametrize("name", sorted(workloads()))
def test_what_a_workload_implies_goes_into_the_record(name: str) -> None:
    workload = workloads()[name]
    options = options_of(workload, {})
    implied = implied_work(workload, options)
    assert implied.per_answer == asdict(workload.work(options))
    if isinstance(workload, ProgramWorkload):
        assert implied.least_seconds == workload.least_seconds(options)
    else:
        assert implied.least_seconds == 0


@pytest.mark.parametrize(
    ("service", "processes", "held", "worked", "severities"),
    [
        ("postgresql", 1, 16, 16, []),
        ("postgresql", 1, 17, 3, ["warning"]),
        ("postgresql", 3, 18, 18, []),  # 6 in each of three processes
        ("mongodb", 2, 21, 17, []),  # each driver watches its server by two more
        ("mongodb", 2, 22, 17, ["warning"]),
        ("mongodb", 2, 21, 18, ["warning"]),  # and does not work with these
        ("mongodb", 2, 21, None, []),  # an older record
        ("postgresql", 1, None, None, []),
    ],
)
def test_connections_beyond_the_concurrency_budget(
    service: str, processes: int, held: int | None, worked: int | None, severities: list[str]
) -> None:
    conditions = [condition.model_copy(update={"service": service}) for condition in EXPERIMENT.conditions]
    trial = a_trial().record()
    assert trial.server is not None
    server = trial.server.model_copy(update={"processes": processes})
    counted = {"database_connections": held, "worked_connections": worked, "server": server}
    trial = trial.model_copy(update=counted)
    findings = found("over-budget", EXPERIMENT.model_copy(update={"conditions": conditions}), [trial])
    assert [finding.severity for finding in findings] == severities


def test_a_sweep_over_the_budget_has_a_budget_for_each_value(snapshot: object) -> None:
    swept = an_experiment("a").sweeping(4, 32, parameter="concurrency_budget").record()
    trials = [
        trial.model_copy(update={"database_connections": 20})
        for trial in trials_of(swept, a_trial())
        if trial.block == 1
    ]
    (finding,) = found("over-budget", swept, trials)
    assert finding.evidence == snapshot


def seen_stale(stale: int) -> TrialRecord:
    freshness = Freshness(changed=3, stale=stale, grace_seconds=1.0, example="old text")
    return a_trial().record().model_copy(update={"freshness": freshness})


def test_an_old_row_after_its_change_refuses_the_trial() -> None:
    (finding,) = found("stale", EXPERIMENT, [seen_stale(1)])
    assert finding.severity == "refusal"
    assert "1 of 3 rows" in finding.evidence
    assert "old text" in finding.evidence


def test_fresh_rows_are_left_alone() -> None:
    assert found("stale", EXPERIMENT, [seen_stale(0), a_trial().record()]) == []


def seeing(answers: int, old: int = 0, latest_seconds: float = 0.0) -> TrialRecord:
    """A trial of whose answers so many showed a changed row, and so many of them as it had been."""
    seen = RowChangesSeen(
        changed=200,
        in_window=30,
        answers=answers,
        old=old,
        latest_seconds=latest_seconds,
        grace_seconds=0.0,
        example="name of 7 was 'old' still" if old else "",
        left_out=0,
        keys=[7],
    )
    return a_trial().record().model_copy(update={"row_changes": seen})


def test_one_old_text_among_the_load_s_answers_refuses_the_trial(snapshot: object) -> None:
    (finding,) = found("stale", EXPERIMENT, [seeing(1_200, old=1, latest_seconds=0.0123)])
    assert finding.severity == "refusal"
    assert finding.evidence == snapshot


@pytest.mark.parametrize(("answers", "told"), [(0, "to find memory"), (4, "less than 52.7%"), (148, "less than 2")])
def test_too_few_answers_about_changed_rows_are_not_taken_for_a_proof(answers: int, told: str) -> None:
    (finding,) = found("stale", EXPERIMENT, [seeing(answers)])
    assert finding.severity == "note"
    assert finding.evidence.startswith("not examined: ") and told in finding.evidence


def test_enough_answers_without_an_old_text_are_left_alone() -> None:
    """149 find memory behind 2% of the answers with 95%, in all trials of the condition together."""
    assert found("stale", EXPERIMENT, [seeing(149)]) == found("stale", EXPERIMENT, [seeing(5), seeing(144)]) == []
    lenient = an_experiment("a").checking("stale", share=0.5).record()
    assert found("stale", lenient, [seeing(2), seeing(3)]) == []
    assert all("4 answers" in each.evidence for each in found("stale", lenient, [seeing(1), seeing(3)]))


def audited(*faults: WriteFault) -> TrialRecord:
    audit = Audit(acknowledged=1000, stored=998, faults=list(faults))
    settle = Settle(seconds=0.3, at_rest=True, writes_after=0)
    return a_trial().record().model_copy(update={"audit": audit, "settle": settle})


def test_every_kind_of_fault_in_what_is_stored_refuses_the_trial(snapshot: object) -> None:
    kinds = ("missing", "doubled", "altered", "unasked")
    faults = [WriteFault(kind=kind, count=2, example=f"user {kind}") for kind in kinds]
    findings = found("writes-stored", EXPERIMENT, [audited(*faults)])
    assert [finding.severity for finding in findings] == ["refusal"] * 4
    assert all(f"user {kind}" in finding.evidence for kind, finding in zip(kinds, findings, strict=True))
    assert findings[0].evidence == snapshot
    assert len({finding.remedy for finding in findings}) == 4


def test_what_is_stored_as_it_was_acknowledged_is_left_alone() -> None:
    assert found("writes-stored", EXPERIMENT, [audited(), a_trial().record()]) == []


def settled(seconds: float, writes: int | None, *, at_rest: bool = True) -> TrialRecord:
    trial = a_trial().record()
    assert trial.engine
    return trial.model_copy(
        update={
            "settle": Settle(seconds=seconds, at_rest=at_rest, writes_after=writes),
            "engine": trial.engine.model_copy(update={"in_flight_at_end": 16}),
        }
    )


def test_writes_after_the_last_answer_refuse_the_trial(snapshot: object) -> None:
    (finding,) = found("work-after-the-run", EXPERIMENT, [settled(4.0, 33)])
    assert finding.severity == "refusal"
    assert finding.evidence == snapshot


def test_requests_in_flight_at_the_end_may_still_be_written() -> None:
    assert found("work-after-the-run", EXPERIMENT, [settled(0.1, 32), settled(0.1, None), a_trial().record()]) == []


@pytest.mark.parametrize("trial", [settled(2.1, 0), settled(1.0, None, at_rest=False)])
def test_a_database_that_is_long_at_work_is_a_warning(trial: TrialRecord) -> None:
    (finding,) = found("work-after-the-run", EXPERIMENT, [trial])
    assert finding.severity == "warning"


def of_a_program(**done: int) -> TrialRecord:
    """A program's trial of 1,000 operations."""
    ledger = Ledger(done=done, verified=1000, answers=1000)
    program = ProgramRun(operations=1000, seconds=2.0, exit_status=0)
    return a_trial().record().model_copy(update={"engine": None, "ledger": ledger, "program": program})


@pytest.mark.parametrize(
    ("workload", "name"), [("call-batch", "calls"), ("task-creation", "tasks"), ("task-switching", "steps")]
)
def test_of_what_the_lab_counts_itself_nothing_may_be_missing(workload: str, name: str) -> None:
    experiment = implying(workload, **{name: 1.0})
    (finding,) = found("ledger", experiment, [of_a_program(**{name: 999})])
    assert finding.severity == "refusal"
    assert "an operation (999 for 1,000)" in finding.evidence
    (finding,) = found("ledger", experiment, [of_a_program(**{name: 1000})])
    assert finding.severity == "note"


def test_a_job_that_was_over_too_soon_waited_with_more_at_once(snapshot: object) -> None:
    """1,000 calls of 50 ms, 100 at once: half a second."""
    experiment = implying("call-batch", least_seconds=0.5, calls=1.0)

    def lasting(seconds: float) -> TrialRecord:
        program = ProgramRun(operations=1000, seconds=seconds, exit_status=0)
        return of_a_program(calls=1000).model_copy(update={"program": program})

    (finding,) = found("ledger", experiment, [lasting(0.49)])
    assert finding.severity == "refusal"
    assert finding.evidence == snapshot
    (finding,) = found("ledger", experiment, [lasting(0.51)])
    assert finding.severity == "note"


@pytest.mark.parametrize(("switches", "is_claim"), [(979, True), (980, False)])
def test_steps_that_the_kernel_did_not_switch_for_are_the_program_s_word(switches: int, is_claim: bool) -> None:
    experiment = implying("task-switching", tasks=0.003, steps=1.0)
    trial = of_a_program(tasks=3, threads=4, steps=1000, voluntary_switches=switches)
    (finding,) = found("ledger", experiment, [trial])
    assert finding.severity == "note"
    assert ("made by another task" in finding.evidence) is is_claim


def test_tasks_that_the_kernel_does_not_know_are_the_program_s_word() -> None:
    (finding,) = found("ledger", implying("task-creation", tasks=1.0), [of_a_program(tasks=1000, threads=999)])
    assert finding.severity == "note"
    assert "the program's word" in finding.evidence
    (finding,) = found("ledger", implying("task-creation", tasks=1.0), [of_a_program(tasks=1000, threads=1001)])
    assert "the program's word" not in finding.evidence
