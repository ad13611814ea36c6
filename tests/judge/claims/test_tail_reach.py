"""Percentiles of answers that were slow together rest on fewer samples than there are answers."""

import math
from typing import Any

import pytest

from fairtrial.judge.claims.tail_reach import tail_reach
from fairtrial.judge.judging import judge
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.record.engine_summary import Share
from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment, trials_of
from tests.record.test_histogram import encoded, zigzag

ANSWERS = 10_000
"""Ten of each of 1 to 1,000 ns: a hundred lie above p99."""


def together(trial: TrialRecord, **dispersion: float) -> TrialRecord:
    """A trial with these times, of which so many above a percentile came together: `p99=20`."""
    assert trial.engine is not None
    times = trial.engine.response_time.model_copy(
        update={
            "count": ANSWERS,
            "percentiles": {"50": 500.5e-9, "99": 990.1e-9},
            "hdr_base64": encoded(zigzag(-1, *[10] * 1000)),
        }
    )
    by_percentile = {name.removeprefix("p"): index for name, index in dispersion.items()}
    update = {"response_time": times, "tail_dispersion": by_percentile, "answers": ANSWERS}
    return trial.model_copy(update={"engine": trial.engine.model_copy(update=update)})


def a_trial_of(**dispersion: float) -> TrialRecord:
    record = an_experiment("a").record()
    return together(trials_of(record, a_trial())[0], **dispersion)


def test_answers_that_came_together_are_fewer_samples() -> None:
    p99 = find_metric("response_time_p99")
    assert tail_reach(p99, a_trial_of(p99=1.0)) == tail_reach(p99, a_trial_of()) == 0
    # Position 9,900 + 20 · 1.99 / 3 is the 992nd value, and 9,900 + 0.66 one of the 990th and the 991st.
    assert tail_reach(p99, a_trial_of(p99=20.0)) == pytest.approx(992 / 990.66 - 1, rel=0.02)
    assert tail_reach(p99, a_trial_of(p99=49.0)) < math.inf
    assert tail_reach(p99, a_trial_of(p99=51.0)) == math.inf


def test_a_percentile_goes_by_the_next_lower_one_and_other_metrics_by_none() -> None:
    trial = a_trial_of(p50=1.0, p99=20.0)
    at = {
        name: tail_reach(find_metric(name), trial) for name in ("response_time_p99.5", "response_time_p90", "goodput")
    }
    assert at["response_time_p99.5"] > 0
    assert at["response_time_p90"] == at["goodput"] == 0


def test_of_one_request_of_many_few_are_in_a_group() -> None:
    trial = a_trial_of(p99=20.0)
    assert trial.engine is not None
    times = trial.engine.response_time
    share = Share(
        name="b", sent=ANSWERS, answers=ANSWERS, verified=ANSWERS, failures=0, service_time=times, response_time=times
    )
    mix = [share, share.model_copy(update={"name": "c"})]
    alone = trial.engine.model_copy(update={"mix": mix, "answers": 100 * ANSWERS})
    of_request = find_metric("response_time_p99", "b")
    few, all_ = (
        tail_reach(of_request, trial.model_copy(update={"engine": engine}))
        for engine in (alone, alone.model_copy(update={"answers": ANSWERS}))
    )
    assert 0 < few < all_


def verdict(p99: float, **claim: Any) -> ClaimResult:
    record = an_experiment("a", blocks=10).stating("budget", of="a", metric="response_time_p99", **claim).record()
    trials = [together(trial, p99=p99) for trial in trials_of(record, a_trial())]
    return judge(record, trials, interrupted=False).claims[0]


def test_a_budget_holds_only_where_so_few_samples_carry_it() -> None:
    assert verdict(1.0, at_most="0.000991 ms").verdict == "upheld"
    assert verdict(20.0, at_most="0.000991 ms").verdict == "undecided"
    assert verdict(20.0, at_most="0.000999 ms").verdict == "upheld"
    assert verdict(20.0, at_least="0.000980 ms").verdict == "upheld"
    withheld = verdict(60.0, at_most="0.01 ms")
    assert withheld.verdict == "undecided"
    assert "slow together" in (withheld.reason or "") + withheld.sentence
