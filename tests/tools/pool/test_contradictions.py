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
from tests.lines import passage

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


@pytest.mark.parametrize(
    "name", ["ggm-latency", "models-waiting", "neverblock-chain", "neverblock-http-mix", "rest-stress-batch"]
)
def test_accounts_of_kept_records_contradict_nothing(name: str) -> None:
    """Closed, open and fixed loads, a mix, and one of batches."""
    _, trials = read_record(KEPT / f"{name}.jsonl.xz")
    assert contradiction(trials) is None


@pytest.fixture(scope="module")
def measured() -> TrialRecord:
    """A trial of a kept record with its histograms."""
    _, trials = read_record(KEPT / "four-apis-empty-items.jsonl.xz")
    return next(trial for trial in trials if trial.engine is not None and trial.engine.response_time.hdr_base64)


def with_times(trial: TrialRecord, **changes: Any) -> TrialRecord:
    """The trial with other response times beside their histogram."""
    assert trial.engine is not None
    times = trial.engine.response_time.model_copy(update=changes)
    return trial.model_copy(update={"engine": trial.engine.model_copy(update={"response_time": times})})


@pytest.mark.parametrize("name", ["50", "75", "90", "95", "99"])
@pytest.mark.parametrize(("factor", "told"), [(1.03, True), (0.97, True), (1.0005, False), (0.9995, False)])
def test_a_percentile_beside_its_histogram(measured: TrialRecord, name: str, factor: float, told: bool) -> None:
    """Three digits: moved by 3% it is another one, by half of a thousandth it may be the same."""
    assert measured.engine is not None
    percentiles = measured.engine.response_time.percentiles
    value = percentiles[name]
    assert value is not None
    moved = with_times(measured, percentiles=percentiles | {name: value * factor})
    what = contradiction([moved])
    assert (what is not None) == told, what
    assert what is None or f"p{name} is " in what or "do not ascend" in what


def test_a_histogram_of_other_samples(measured: TrialRecord, snapshot: object) -> None:
    assert measured.engine is not None
    times = measured.engine.response_time
    told = contradiction([with_times(measured, count=times.count + 1)])
    assert told is not None and f"{times.count + 1:,} samples, and {times.count:,} in its histogram" in told
    told = contradiction([with_times(measured, hdr_base64="bm90aGluZw==")])
    assert told is not None
    assert passage(told, "response_time: its", "is none:") == snapshot
    assert contradiction([with_times(measured, hdr_base64="")]) is None


def test_a_percentile_of_one_kind_of_requests_beside_its_histogram() -> None:
    _, trials = read_record(KEPT / "neverblock-http-mix.jsonl.xz")
    trial = next(each for each in trials if each.engine is not None and each.engine.mix)
    assert trial.engine is not None
    share, *others = trial.engine.mix
    assert share.response_time is not None
    percentiles = share.response_time.percentiles
    assert percentiles["50"] is not None
    times = share.response_time.model_copy(update={"percentiles": percentiles | {"50": 0.97 * percentiles["50"]}})
    mix = [share.model_copy(update={"response_time": times}), *others]
    told = contradiction([trial.model_copy(update={"engine": trial.engine.model_copy(update={"mix": mix})})])
    assert told is not None and f"response_time of {share.name}: p50 is " in told
