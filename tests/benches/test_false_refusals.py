"""The count of false refusals, on a result with every severity in it."""

import json

from benches.false_refusals import Tally, report
from tests.report.scene import judged


def test_every_finding_is_counted_once_a_trial() -> None:
    tally = Tally()
    tally.add(json.loads(judged()[0].model_dump_json()))
    assert tally.outcomes == {"valid": 18, "refused": 2, "not run": 5}
    assert tally.trials == 20
    assert tally.findings["errors", "refusal"] == 2
    assert tally.findings["generator-saturated", "warning"] == 5
    text = report(tally)
    assert "refused: 2 of 20 (10.0%)" in text
    assert text.index("refusal  errors") < text.index("warning  generator-saturated")


def test_none_seen_is_not_none() -> None:
    tally = Tally()
    tally.outcomes.update({"valid": 60})
    assert "below 5.0% at 95% confidence" in report(tally)
    assert report(Tally()) == "no trial"
