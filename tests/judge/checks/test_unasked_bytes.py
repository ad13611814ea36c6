"""Bytes on connections on which nothing was asked: on records."""

import pytest

from fairtrial.record.engine_summary import EngineSummary
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities
from tests.tools.load.measurements import measurement


def summary(unasked: int | None) -> EngineSummary:
    """Of 12,000 answers; None: an older record, in which nobody counted."""
    engine = a_trial().record().engine
    assert engine
    return engine.model_copy(update={"unasked": unasked})


@pytest.mark.parametrize(("unasked", "expected"), [(None, []), (0, []), (1, ["refusal"]), (12_000, ["refusal"])])
def test_a_single_one_is_refused(unasked: int | None, expected: list[str]) -> None:
    trial = a_trial().record().model_copy(update={"engine": summary(unasked)})
    findings = found("unasked-bytes", an_experiment("a").record(), [trial])
    assert severities(findings) == expected
    assert all(each.evidence.startswith(f"{unasked:,} connections or streams") for each in findings)


def test_a_load_by_itself_tells_of_them() -> None:
    assert [each.check for each in measurement(unasked=7).findings] == ["unasked-bytes"]
