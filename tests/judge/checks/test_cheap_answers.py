"""What answers cost the database, beside those of others: batches and cheap statements are told, drivers are not."""

import pytest

from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.processes import ServerMeter
from fairtrial.record.proof import Ledger
from tests.builders import a_trial, an_experiment, trials_of
from tests.judge.checks.findings import found, severities


def costing(microseconds: float, *, rate: float = 20_000.0, statements: float = 1.0) -> TrialRecord:
    """A trial of 10 s in which an answer cost the database so much processor time, and so many statements."""
    trial = a_trial().serving(rate).but(window=10.0).record()
    assert trial.engine is not None
    verified = trial.engine.verified
    meter = ServerMeter(
        window_seconds=10.0,
        cpu_user_seconds=0.75e-6 * microseconds * verified,
        cpu_system_seconds=0.25e-6 * microseconds * verified,
        peak_rss_bytes=1,
        processes=17,
    )
    done = {"reads": verified, "statements": round(statements * verified)}
    ledger = Ledger(done=done, verified=verified, answers=verified)
    return trial.model_copy(update={"service": meter, "ledger": ledger})


def on(service: str) -> ExperimentRecord:
    record = an_experiment("a", "b", blocks=1).record()
    conditions = [each.model_copy(update={"service": service}) for each in record.conditions]
    return record.model_copy(update={"conditions": conditions})


def beside(a: TrialRecord, b: TrialRecord, service: str = "postgresql") -> list[str]:
    record = on(service)
    trials = [
        trial.model_copy(update={"condition": condition.id, "index": number})
        for number, (trial, condition) in enumerate(zip((a, b), record.conditions, strict=True), 1)
    ]
    return severities(found("cheap-answers", record, trials))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # 200 times `SELECT 1` in a message beside answers from memory, and a stack that asks for each row.
        (costing(2.7), costing(26.0), ["warning"]),
        # Real rows of 200 requests in one statement.
        (costing(7.0), costing(60.0), ["warning"]),
        # Paid when nobody measures any more.
        (costing(0.66, rate=150_000.0), costing(26.1), ["refusal", "warning"]),
        (costing(0.66, rate=150_000.0), costing(0.7, rate=150_000.0), ["refusal", "refusal"]),
    ],
)
def test_work_that_was_spared_is_told(a: TrialRecord, b: TrialRecord, expected: list[str]) -> None:
    assert beside(a, b) == expected


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param(costing(6.9), costing(45.0), id="prepared statements in a pipeline, and each waited for"),
        pytest.param(costing(15.0), costing(150.0, statements=4.0), id="BEGIN, a ping and COMMIT around a query"),
        pytest.param(costing(20.0), costing(260.0, rate=20.0), id="a database that hardly works, but for itself"),
        pytest.param(costing(2.7, rate=200.0), costing(26.0), id="too few answers for the meter"),
        pytest.param(costing(0.5, rate=500.0), costing(0.5, rate=500.0), id="next to nothing of next to nothing"),
    ],
)
def test_a_faster_driver_is_honest(a: TrialRecord, b: TrialRecord) -> None:
    assert beside(a, b) == []


def test_stores_that_answer_many_keys_at_once_are_not_examined() -> None:
    assert beside(costing(0.5, rate=150_000.0), costing(20.0), "redis") == []


def test_evidence_has_both_figures(snapshot: object) -> None:
    record = on("postgresql")
    trials = trials_of(record, a_trial())
    costs = (0.66, 26.1)
    measured = [
        costing(costs[number], rate=150_000.0).model_copy(update={"condition": each.condition, "index": each.index})
        for number, each in enumerate(trials)
    ]
    assert [each.evidence for each in found("cheap-answers", record, measured)] == snapshot
