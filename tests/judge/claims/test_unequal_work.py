"""Claims whose sides do not do the same work: the verdict is withheld, unless the claim says why they differ."""

from typing import Any

import pytest

from fairtrial.experiment.claims import RatioClaim
from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult, Result
from fairtrial.record.proof import Freshness, Ledger, RowChangesSeen
from fairtrial.report.grouping import grouped_findings
from tests.builders import ExperimentBuilder, an_experiment, trials_of
from tests.judge.checks.findings import found, severities
from tests.judge.claims.scene import served

RATES = {"one": 3000.0, "other": 1000.0, "third": 500.0}
WHY = "the other asks three times, as it was published."


def judged(experiment: ExperimentBuilder, work: dict[str, dict[str, float]], answers: int = 10_000) -> Result:
    """An experiment in which contenders do so many statements for each answer; who is not named counts nothing."""
    record = experiment.record()
    contenders = {condition.id: condition.contender for condition in record.conditions}
    rates = {name: RATES[name.partition(" ")[0]] for name in contenders.values()}
    trials = []
    for trial in trials_of(record, served(rates)):
        done = work.get(contenders[trial.condition])
        if done is not None:
            counted = {kind: round(each * answers) for kind, each in done.items()}
            ledger = Ledger(done=counted, verified=answers, answers=answers)
            trials.append(trial.model_copy(update={"ledger": ledger}))
        else:
            trials.append(trial)
    return judge(record, trials, interrupted=False)


def ratio(one: dict[str, float], other: dict[str, float], answers: int = 10_000, **claim: Any) -> ClaimResult:
    experiment = an_experiment("one", "other").claiming("one", "other", at_least=2, **claim)
    return judged(experiment, {"one": one, "other": other}, answers).claims[0]


def test_one_query_against_three_is_no_verdict(snapshot: object) -> None:
    claim = ratio({"reads": 1}, {"reads": 3})
    assert (claim.verdict, claim.estimate) == ("undecided", pytest.approx(3, rel=0.02))
    assert claim.reason == snapshot
    assert claim.sentence == snapshot
    assert [finding.severity for finding in claim.findings] == ["refusal"]


def test_a_claim_that_says_why_is_judged_and_quotes_it(snapshot: object) -> None:
    claim = ratio({"reads": 1}, {"reads": 3}, unequal_work=WHY)
    assert claim.verdict == "upheld"
    assert claim.sentence == snapshot
    assert [finding.severity for finding in claim.findings] == ["note"]
    assert ratio({"reads": 1}, {"reads": 1}, unequal_work=WHY).sentence == snapshot


@pytest.mark.parametrize(
    ("one", "other", "answers", "verdict"),
    [
        ({"reads": 1.0}, {"reads": 1.02}, 10_000, "upheld"),  # answers in flight, a counter that lags
        ({"reads": 10.0}, {"reads": 10.9}, 10_000, "upheld"),  # less than a tenth more
        ({"writes": 0.125}, {"writes": 0.3}, 10_000, "upheld"),  # batches of different sizes by chance
        ({"reads": 1.0}, {"reads": 1.9}, 100, "upheld"),  # a short trial: 90 statements may be those of its start
        ({"reads": 1.0}, {"reads": 3.0}, 100, "undecided"),
        ({"writes": 0.125}, {"writes": 1.0}, 10_000, "undecided"),
        ({"reads": 3.0, "commits": 3.0}, {"reads": 3.0, "commits": 1.0}, 10_000, "upheld"),  # nothing is flushed
        ({"writes": 3.0, "commits": 3.0}, {"writes": 3.0, "commits": 1.0}, 10_000, "undecided"),
        # What a pool resets after each use is committed, and wrote nothing.
        (
            {"writes": 1.0, "commits": 2.0, "writing_commits": 1.0},
            {"writes": 1.0, "commits": 1.0, "writing_commits": 1.0},
            10_000,
            "upheld",
        ),
        (
            {"writes": 3.0, "commits": 3.0, "writing_commits": 3.0},
            {"writes": 3.0, "commits": 1.0, "writing_commits": 1.0},
            10_000,
            "undecided",
        ),
        ({"reads": 1.0}, {"writes": 3.0}, 10_000, "upheld"),  # databases that count different things
        ({"reads": 1.0, "rows_read": 9.0}, {"reads": 1.0, "rows_read": 1.0}, 10_000, "upheld"),
        ({"reads": 1.0}, {}, 10_000, "upheld"),
        # A ping, or what a pool sends to reset a session, reads from no table.
        ({"reads": 1.0, "table_reads": 1.0}, {"reads": 2.0, "table_reads": 1.0}, 10_000, "upheld"),
        ({"reads": 2.0, "table_reads": 2.0}, {"reads": 2.0, "table_reads": 1.0}, 10_000, "undecided"),
        ({"reads": 1.0, "table_reads": 0.0}, {"reads": 2.0, "table_reads": 0.0}, 10_000, "undecided"),
        (
            {"writes": 1.0, "reads": 1.0, "table_reads": 0.0},
            {"writes": 1.0, "reads": 2.0, "table_reads": 0.0},
            10_000,
            "upheld",
        ),
        # A job of the lab's own beside programs: where users are not told apart, the slower one has more of it.
        (
            {"reads": 1.0, "writes": 1.0, "commits": 1.0, "background_commits": 1.0},
            {"reads": 1.0, "writes": 3.0, "commits": 3.0, "background_commits": 3.0},
            10_000,
            "upheld",
        ),
        ({"reads": 1.0, "background_commits": 1.0}, {"reads": 3.0, "background_commits": 1.0}, 10_000, "undecided"),
    ],
)
def test_only_what_is_no_noise_withholds_a_verdict(
    one: dict[str, float], other: dict[str, float], answers: int, verdict: str
) -> None:
    assert ratio(one, other, answers).verdict == verdict


@pytest.mark.parametrize(
    ("connections", "left_unanswered", "fires"),
    [
        (200, 200, False),  # 200 of 650 requests were in flight when the load ended: 1.00 for each
        (200, 20, True),  # 20 were
        (20, 200, True),  # 180 of these were due and had not been sent
    ],
)
def test_requests_in_flight_when_the_load_ends_may_have_been_worked_on(
    connections: int, left_unanswered: int, fires: bool
) -> None:
    record = an_experiment("one", "other").but(connections=connections).claiming("one", "other", at_least=2).record()
    reads = {"one": 650, "other": 459}
    trials = [
        trial.model_copy(
            update={
                "ledger": Ledger(done={"reads": reads[name]}, verified=450, answers=450),
                "engine": trial.engine.model_copy(update={"in_flight_at_end": left_unanswered}),
                "database_connections": 4,
            }
        )
        for trial in trials_of(record, served(RATES))
        if trial.engine is not None
        for name in [next(each.contender for each in record.conditions if each.id == trial.condition)]
    ]
    assert severities(found("unequal-work", record, trials)) == ["refusal"] * fires


@pytest.mark.parametrize(
    ("service", "lab_left_out", "fires"), [("mongodb", False, False), ("mongodb", True, True), ("mariadb", False, True)]
)
def test_older_records_count_the_rows_that_the_lab_changed_as_the_stacks_writes(
    service: str, lab_left_out: bool, fires: bool
) -> None:
    record = an_experiment("one", "other").claiming("one", "other", at_least=2).record()
    record = record.model_copy(
        update={"conditions": [each.model_copy(update={"service": service}) for each in record.conditions]}
    )
    changes = RowChangesSeen(
        changed=995, in_window=25, answers=9, old=0, latest_seconds=0, grace_seconds=0, example="", left_out=0, keys=[]
    )
    freshness = Freshness(changed=3, stale=0, grace_seconds=0, example="")
    answers = {"one": 9_000, "other": 500}
    trials = []
    for trial in trials_of(record, served(RATES)):
        verified = answers[next(each.contender for each in record.conditions if each.id == trial.condition)]
        ledger = Ledger(
            done={"reads": verified, "writes": 2_001}, verified=verified, answers=verified, lab_left_out=lab_left_out
        )
        trials.append(trial.model_copy(update={"ledger": ledger, "row_changes": changes, "freshness": freshness}))
    assert severities(found("unequal-work", record, trials)) == ["refusal"] * fires


def test_every_kind_that_compares_is_held_to_it_and_no_other() -> None:
    sides: dict[str, Any] = {"of": "one", "to": "other"}
    experiment = (
        an_experiment("one", "other", "third")
        .stating("difference", **sides, at_least="1/s")
        .stating("equal", **sides)
        .stating("order", order=["one", "third", "other"])
        .stating("budget", of="one", metric="overhead", baseline="other", at_most="1 ms")
        .stating("ratio", of="one", to="third", at_least=2)
        .stating("budget", of="other", at_least="1/s")
    )
    result = judged(experiment, {"one": {"reads": 1}, "other": {"reads": 3}, "third": {"reads": 1}})
    assert [claim.verdict for claim in result.claims] == ["undecided"] * 4 + ["upheld"] * 2
    assert [group.where for group in grouped_findings(result) if group.check == "unequal-work"] == [
        f"claim claim-{number}" for number in range(1, 5)
    ]


def test_a_shape_compares_two_stacks_at_each_value_and_one_stack_with_nothing() -> None:
    experiment = (
        an_experiment("one", "other")
        .sweeping(1, 2)
        .stating("shape", of="one", to="other", shape="leads")
        .stating("shape", of="other", shape="flat", within=0.2)
        .stating("ratio", of="other at 2", to="other at 1", at_least=0.5)
    )
    work = {"one at 1": {"reads": 1}, "other at 1": {"reads": 1}, "one at 2": {"reads": 1}, "other at 2": {"reads": 2}}
    result = judged(experiment, {name: dict(each) for name, each in work.items()})
    assert [claim.verdict for claim in result.claims] == ["undecided", "upheld", "undecided"]
    assert "one at 2 1.00, other at 2 2.00" in (result.claims[0].reason or "")


def test_a_claim_that_compares_nothing_has_no_unequal_work() -> None:
    with pytest.raises(ValueError, match=r"unequal_work: .*compares nothing"):
        an_experiment("one").stating("budget", of="one", at_least="1/s", unequal_work=WHY).record()
    assert RatioClaim.model_validate(
        {"kind": "ratio", "id": "x", "text": "x", "of": "a", "to": "b", "at_least": 1, "unequal_work": WHY}
    )
