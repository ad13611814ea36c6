"""What the sentence of an undecided claim says of longer windows."""

from typing import Any

import numpy as np
import pytest

from fairtrial.judge.judging import judge
from fairtrial.record.engine_summary import SecondOfSeries
from fairtrial.record.model import ExperimentRecord, TrialRecord
from tests.builders import a_trial, an_experiment, trials_of

CLAIMS: dict[str, dict[str, Any]] = {
    "ratio": {"of": "a", "to": "b", "at_least": 1.001},
    "equal": {"of": "a", "to": "b", "within": 0.004},
    "order": {"order": ["a", "b"]},
    "budget": {"of": "a", "at_most": "4000/s"},
}


def undecided(kind: str, starts: float, seconds: float, **keys: Any) -> str:
    """The sentence on a claim about ten blocks of windows of 12 s whose starts and seconds scatter so."""
    random = np.random.default_rng(3)
    record = an_experiment("a", "b", blocks=10).stating(kind, **(CLAIMS[kind] | keys)).record()
    load = record.experiment.load.model_copy(update={"duration_seconds": 12.0})
    conditions = [each.model_copy(update={"load": load}) for each in record.conditions]
    timed = record.model_copy(update={"conditions": conditions})

    def with_seconds(trial: TrialRecord) -> TrialRecord:
        assert trial.engine is not None
        rates = 4000 * np.exp(starts * random.standard_normal() + seconds * random.standard_normal(12))
        series = [SecondOfSeries(verified=round(rate), errors=0) for rate in rates]
        engine = trial.engine.model_copy(update={"series": series, "goodput_per_second": float(rates.mean())})
        assert trial.server is not None
        server = trial.server.model_copy(update={"peak_rss_bytes": round(1e4 * rates.mean())})
        return trial.model_copy(update={"engine": engine, "server": server})

    return _sentence(timed, [with_seconds(trial) for trial in trials_of(record, a_trial().but(window=12.0))])


def _sentence(record: ExperimentRecord, trials: list[TrialRecord]) -> str:
    (claim,) = judge(record, trials, interrupted=False).claims
    assert claim.verdict == "undecided", claim.sentence
    return claim.sentence


@pytest.mark.parametrize("kind", CLAIMS)
def test_where_starts_differ_longer_windows_will_not_help(kind: str, snapshot: object) -> None:
    sentence = undecided(kind, starts=0.05, seconds=0.01)
    assert sentence == snapshot


def test_where_seconds_scatter_longer_windows_would_do_as_much(snapshot: object) -> None:
    sentence = undecided("ratio", starts=0.0, seconds=0.05, at_least=0.983)
    assert sentence == snapshot


def test_of_a_figure_that_has_no_seconds_nothing_is_said() -> None:
    assert "windows" not in undecided("ratio", starts=0.05, seconds=0.01, metric="peak_rss")
