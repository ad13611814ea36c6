"""Claims and figures of journeys: on records whose trials hold two kinds of them, or one."""

from typing import Any

import pytest

from fairtrial.judge.claims import SentNames, validate_claim
from fairtrial.judge.judging import judge
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.model import ClaimResult, Result
from fairtrial.record.engine_summary import JourneyAccount, JourneyStepAccount
from fairtrial.record.model import TrialRecord
from fairtrial.report.columns import request_rows
from tests.builders import a_trial, an_experiment, trials_of
from tests.builders.figures import times
from tests.judge.claims.scene import WOBBLE


def account(name: str, median_seconds: float, broken_off: int = 0) -> JourneyAccount:
    return JourneyAccount(
        name=name,
        count=3000,
        completed=3000 - broken_off,
        broken_off=broken_off,
        unfinished=0,
        journey_time=times(3000 - broken_off, median_seconds),
        steps=[JourneyStepAccount(name="pay", broken_off=broken_off)],
    )


def walked(trial: TrialRecord, *journeys: JourneyAccount) -> TrialRecord:
    assert trial.engine is not None
    return trial.model_copy(update={"engine": trial.engine.model_copy(update={"journeys": list(journeys)})})


def judged(*journeys: tuple[str, float], **keys: Any) -> Result:
    """A budget on trials of these journeys, by name and median time."""
    record = an_experiment("loop").stating("budget", of="loop", **keys).record()
    trials = [
        walked(trial, *(account(name, seconds * WOBBLE[trial.block % 5], 30) for name, seconds in journeys))
        for trial in trials_of(record, lambda _name, _block: a_trial())
    ]
    return judge(record, trials, interrupted=False)


def claim(*journeys: tuple[str, float], **keys: Any) -> ClaimResult:
    return judged(*journeys, **keys).claims[0]


def test_a_claim_is_of_the_journey_that_it_names_or_of_the_only_one() -> None:
    both = (("buy", 0.2), ("browse", 0.01))
    assert claim(*both, metric="journey_time_p50", request="buy", at_most="100 ms").verdict == "refuted"
    browsed = claim(*both, metric="journey_time_p50", request="browse", at_most="100 ms")
    assert (browsed.verdict, browsed.request) == ("upheld", "browse")
    assert "`browse`" in browsed.sentence
    assert claim(both[0], metric="journey_time_p90", at_most="100 ms").verdict == "refuted"
    assert claim(both[0], metric="journeys", at_least="900/s").estimate == pytest.approx(2970 / 3)
    assert claim(both[0], metric="broken_journeys", at_most="2%").estimate == pytest.approx(0.01)


def test_what_a_record_does_not_hold_is_said() -> None:
    several = claim(("buy", 0.2), ("browse", 0.01), metric="journey_time_p50", at_most="1 s")
    assert several.verdict == "undecided" and "its journeys: buy, browse" in str(several.reason)
    none = claim(metric="journey_time_p50", request="buy", at_most="1 s")
    assert none.verdict == "undecided" and "its journeys: none" in str(none.reason)


def test_each_journey_is_a_row_of_the_table_by_request() -> None:
    result = judged(("buy", 0.2), ("browse", 0.01), metric="journeys", request="buy", at_least="1/s")
    rows = [row for _, row in request_rows(result)]
    assert [row.name for row in rows] == ["journey buy", "journey browse"]
    medians = [row.figures["response_time_p50_seconds"] for row in rows]
    assert [round(each.estimate, 3) for each in medians if each is not None] == [0.2, 0.01]
    assert rows[0].figures["response_time_max_seconds"] is None


@pytest.mark.parametrize(
    ("keys", "names", "message"),
    [
        ({"metric": "journeys"}, SentNames(["look"]), "has no journeys, which journeys is of"),
        (
            {"metric": "journeys"},
            SentNames(["look"], ["buy", "sell"]),
            "journeys is of one journey: name one: buy, sell",
        ),
        ({"metric": "journeys", "request": "by"}, SentNames(["by"], ["buy"]), "has no journey 'by' .did you mean buy"),
        ({"metric": "goodput", "request": "buy"}, SentNames(["look"], ["buy"]), "sends no 'buy'"),
    ],
)
def test_a_claim_of_a_journey_that_there_is_not_is_refused(
    keys: dict[str, Any], names: SentNames, message: str
) -> None:
    experiment = an_experiment("a").stating("budget", of="a", at_least="1/s", **keys).record().experiment
    with pytest.raises(ValueError, match=message):
        validate_claim(experiment.claims[0], experiment, lambda _value: names)


def test_one_that_there_is_is_taken() -> None:
    for request in (None, "buy"):
        keys = {} if request is None else {"request": request}
        experiment = an_experiment("a").stating("budget", of="a", metric="journeys", at_least="1/s", **keys).record()
        validate_claim(
            experiment.experiment.claims[0], experiment.experiment, lambda _value: SentNames(["look"], ["buy"])
        )


def test_a_journey_is_one_metric_s_alone() -> None:
    assert find_metric("journeys", "buy").key == "journeys_per_second"
    with pytest.raises(ValueError, match="not measured by request"):
        find_metric("peak_rss", "buy")


@pytest.mark.parametrize("name", ["journeys", "broken_journeys", "journey_time_p99"])
def test_a_trial_that_was_not_measured_has_none(name: str) -> None:
    assert find_metric(name, "buy").read(a_trial().failing("start", "it did not").record()) is None
