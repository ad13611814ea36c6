"""Accounts that no engine prints, and those that engines printed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import TrialRecord
from fairtrial.record.read import read_record
from fairtrial.tools.pool.contradictions import contradiction
from tests.builders import a_trial

KEPT = Path(__file__).resolve().parents[3] / "benches/records"


def with_account(**changes: Any) -> TrialRecord:
    """A trial of which these figures were changed, and no others."""
    trial = a_trial().serving(4000).record()
    assert trial.engine is not None
    account = trial.engine.model_dump() | changes
    return trial.model_copy(update={"engine": EngineSummary.model_validate(account)})


def response_time(**changes: Any) -> Mapping[str, Any]:
    """Times of an honest trial with these changes."""
    engine = a_trial().serving(4000).record().engine
    assert engine is not None
    return {"response_time": engine.response_time.model_dump() | changes}


SECOND = {"verified": 11_999, "errors": 0}
FORGED: Mapping[str, Mapping[str, Any]] = {
    "24,000 right answers of 12,000": {"verified": 24_000, "goodput_per_second": 8000.0},
    "8,000.0/s over 3 s are not 12,000 right answers": {"goodput_per_second": 8000.0},
    "12,000 right answers in the window, 11,000 in the whole run": {"run_verified": 11_000},
    "12,000 right answers, and 11,999 in all seconds together": {"series": [SECOND]},
    "response_time: its percentiles do not ascend": response_time(min_seconds=1.0),
    "response_time: a mean of 0.9 s": response_time(mean_seconds=0.9),
    "100 rows answered, 9,223,372,036,854,775,808 pairs of them alike": {
        "picks": {"answered": 100, "distinct": 100, "pairs": 2**63, "unknown": 0, "bins": [1] * 100}
    },
    "9.0 requests under way in the mean, of 48.000 s in all": {
        "under_way": {"at_start_seconds": 0, "ended_seconds": 48, "at_end_seconds": 0, "mean_requests": 9}
    },
}


@pytest.mark.parametrize("what", FORGED)
def test_a_figure_that_was_changed_alone_is_told(what: str) -> None:
    told = contradiction([with_account(), with_account(**FORGED[what])])
    assert told is not None and what in told


def test_honest_accounts_contradict_nothing() -> None:
    assert contradiction([with_account(), a_trial().failing("start", "it ended").record()]) is None
    agrees = {"at_start_seconds": 1, "ended_seconds": 48, "at_end_seconds": 1, "mean_requests": 16}
    assert contradiction([with_account(under_way=agrees, series=[{**SECOND, "verified": 12_000}])]) is None


@pytest.mark.parametrize("name", ["ggm-latency", "models-waiting", "neverblock-chain", "rest-stress-batch"])
def test_accounts_of_kept_records_contradict_nothing(name: str) -> None:
    """Closed, open and fixed loads, a mix, and one of batches."""
    _, trials = read_record(KEPT / f"{name}.jsonl.xz")
    assert contradiction(trials) is None
