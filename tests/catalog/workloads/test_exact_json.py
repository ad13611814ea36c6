"""Bodies that are compared byte by byte: an honest server is told what to change."""

import gzip

import httpx
import pytest

from fairtrial.catalog.contract.answer import Answer
from fairtrial.catalog.workloads.exact_json import exact_difference
from fairtrial.catalog.workloads.openapi import mismatch

EXPECTED = '{"id":7,"name":"café & Co"}'


def difference(body: str) -> str | None:
    return exact_difference(Answer(200, httpx.Headers(), body.encode()), EXPECTED)


def test_the_expected_bytes_differ_in_nothing() -> None:
    assert difference(EXPECTED) is None


@pytest.mark.parametrize(
    "body",
    [
        '{"id": 7, "name": "café & Co"}',
        '{"id":7,"name":"café & Co"}\n',
        '{"id":7,"name":"caf\\u00e9 \\u0026 Co"}',
    ],
    ids=["spaces", "Go's encoder", "escapes"],
)
def test_white_space_and_escapes_are_named(body: str, snapshot: object) -> None:
    said = difference(body)
    assert said is not None
    assert said == snapshot
    assert "not " + EXPECTED in said


def test_another_order_of_keys_is_named() -> None:
    assert "its keys in another order" in (difference('{"name":"café & Co","id":7}') or "")


@pytest.mark.parametrize("body", ['{"id":8,"name":"café & Co"}', "Error", ""])
def test_another_value_is_shown_beside_the_right_one(body: str) -> None:
    assert difference(body) == f"{body}, not {EXPECTED}"


@pytest.mark.parametrize(("encoding", "fits"), [("gzip", False), ("br", False), ("identity", True)])
def test_a_body_that_is_compressed_unasked_is_told_so(encoding: str, fits: bool, snapshot: object) -> None:
    body = b'{"value":1}' if fits else gzip.compress(b'{"value":1}')
    headers = httpx.Headers({"content-type": "application/json", "content-encoding": encoding})
    said = mismatch("/queries/short", Answer(200, headers, body))
    if fits:
        assert said is None
    else:
        assert said is not None
        assert said == snapshot
