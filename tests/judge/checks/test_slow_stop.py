"""A stop that takes long says what was done in it."""

from fairtrial.judge.checks.model import Finding
from fairtrial.record.processes import Stop
from fairtrial.record.proof import Ledger
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found


def stopping(seconds: float, *, late_reads: int = 0) -> list[Finding]:
    """After 10,000 answers, each of which read a row, so many of them in the stop."""
    ledger = Ledger(
        done={"reads": 10_000 - late_reads, "rows_read": 10_000 - late_reads},
        after_load={"reads": late_reads, "rows_read": late_reads, "bytes_sent": 100_000},
        verified=10_000,
        answers=10_000,
    )
    stop = Stop(seconds=seconds, forced=False)
    trial = a_trial().record().model_copy(update={"ledger": ledger, "stop": stop})
    return found("slow-stop", an_experiment("a").record(), [trial])


def test_work_in_a_long_stop_is_warned_of(snapshot: object) -> None:
    (finding,) = stopping(3.62, late_reads=9_000)
    assert finding.severity == "warning"
    assert finding.evidence == snapshot


def test_a_long_stop_in_which_requests_in_flight_end_is_noted(snapshot: object) -> None:
    (finding,) = stopping(2.1, late_reads=10)
    assert finding.severity == "note"
    assert finding.evidence == snapshot


def test_a_short_stop_is_none_of_it() -> None:
    assert stopping(0.3, late_reads=9_000) == []
