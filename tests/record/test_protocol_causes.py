"""Causes of protocol errors: the engine's names, and a remedy for each."""

import re
from pathlib import Path

from fairtrial.record.protocol_causes import PROTOCOL_REMEDIES

ROOT = Path(__file__).parents[2]
ENGINE = (ROOT / "engine/src/http1/response/malformed.rs", ROOT / "engine/src/http2/failure.rs")


def test_each_cause_that_the_engine_tells_has_a_remedy_and_a_line_in_its_protocol() -> None:
    told = [cause for source in ENGINE for cause in re.findall(r'=> "(\w+)"', source.read_text())]
    assert sorted(told) == sorted(PROTOCOL_REMEDIES)
    page = (ROOT / "docs/engine-protocol.md").read_text()
    assert [cause for cause in told if f"`{cause}`" not in page] == []
