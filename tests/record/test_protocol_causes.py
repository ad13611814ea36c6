"""Causes of protocol errors: the engine's names, and a remedy for each."""

import re
from pathlib import Path

import pytest

from fairtrial.record.engine_summary import Example
from fairtrial.record.protocol_causes import (
    HTTP3_REMEDIES,
    PROTOCOL_REMEDIES,
    TLS_REMEDIES,
    WEBSOCKET_REMEDIES,
    cause_remedy,
)
from tests.builders import a_trial

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "engine/src"
SOURCES = [
    (("http1/response/malformed.rs", "http2/failure.rs"), PROTOCOL_REMEDIES),
    (("http3/failure.rs",), HTTP3_REMEDIES),
    (("tls/cause.rs",), TLS_REMEDIES),
    (("websocket/failure.rs",), WEBSOCKET_REMEDIES),
]


@pytest.mark.parametrize(("files", "remedies"), SOURCES)
def test_each_cause_that_the_engine_tells_has_a_remedy_and_a_line_in_its_protocol(
    files: tuple[str, ...], remedies: dict[str, str]
) -> None:
    causes = [cause for file in files for cause in re.findall(r'=> "(\w+)"', (ENGINE / file).read_text())]
    assert sorted(causes) == sorted(remedies)
    page = (ROOT / "docs/engine-protocol.md").read_text()
    assert [cause for cause in causes if f"`{cause}`" not in page] == []


def test_no_cause_has_two_meanings() -> None:
    assert not PROTOCOL_REMEDIES.keys() & TLS_REMEDIES.keys()


def test_one_body_that_begins_does_not_explain_all_timeouts(snapshot: object) -> None:
    engine = a_trial().record().engine
    assert engine is not None
    half = Example(kind="timeout", status=200, excerpt="", cause="body_unfinished")
    summary = engine.model_copy(update={"examples": [half]})
    remedy = cause_remedy(summary, "timeout", "a lower load")
    assert remedy == snapshot
    assert cause_remedy(summary, "timeout", "").startswith("some answers had begun")
    assert cause_remedy(summary, "closed", "look for a crash") == "look for a crash"
