"""Answers that are compressed, as a request asks for: unpacked and verified, also of servers that send bombs."""

import gzip
import json
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line import Finished
from tests.fixtures.hostile import head, hostile_server, says
from tests.lines import passage

TEXT = b'{"id": 7, "name": "' + b"as it is " * 100 + b'"}'
LOAD = ("-c", "2", "-n", "20", "--warmup", "0s", "--plain")
WORKLOAD = """
[requests.look]
get = "/"
headers = {{ accept-encoding = "{codings}" }}
expect = {expect}
"""
SCHEMA = {"type": "object", "properties": {"id": {"const": 7}}, "required": ["id"]}

Call = Callable[..., Finished]


def zstd(text: bytes) -> bytes:
    """A frame of one block that is as it is (RFC 8878, section 3.1)."""
    return b"\x28\xb5\x2f\xfd\x00\x38" + (len(text) << 3 | 1).to_bytes(3, "little") + text


def answer(body: bytes, *lines: str) -> bytes:
    return head(f"Content-Length: {len(body)}", "Content-Type: application/json", *lines) + body


def loaded(call: Call, sent: bytes, expect: str, codings: str = "gzip, deflate, zstd, br") -> Finished:
    """A load from a workload file against a server that always sends these bytes."""
    Path("schema.json").write_text(json.dumps(SCHEMA))
    Path("look.workload.toml").write_text(WORKLOAD.format(codings=codings, expect=expect))
    with hostile_server(says(sent)) as url:
        return call("load", "-f", "look.workload.toml", url, *LOAD, "--json", "load.json")


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("zstd", zstd(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
    ],
    ids=["gzip", "deflate", "zstd", "x-gzip"],  # what a worker packs holds the time
)
@pytest.mark.parametrize(
    "expect",
    [
        '{ json = { "/id" = 7 } }',
        '{ schema = "schema.json" }',
        f"{{ bytes = {len(TEXT)} }}",
        f"{{ text = '{TEXT.decode()}' }}",
    ],
    ids=["json", "schema", "bytes", "text"],
)
def test_a_compressed_answer_is_judged_unpacked(call: Call, coding: str, body: bytes, expect: str) -> None:
    finished = loaded(call, answer(body, f"Content-Encoding: {coding}"), expect)
    assert finished.status == 0, finished.out
    summary = json.loads(Path("load.json").read_text())
    unpacking = summary["unpacking"]
    assert (unpacking["answers"], unpacking["packed_bytes"], unpacking["unpacked_bytes"]) == (
        20,
        20 * len(body),
        20 * len(TEXT),
    )
    assert summary["body_bytes"]["max"] == len(TEXT)
    assert "20 answers" in finished.out and "unpacked to" in finished.out, finished.out


@pytest.mark.parametrize("expect", ['{ json = { "/id" = 8 } }', "{ bytes = 5 }"])
def test_a_compressed_answer_that_is_wrong_is_found(call: Call, expect: str) -> None:
    finished = loaded(call, answer(gzip.compress(TEXT), "Content-Encoding: gzip"), expect)
    assert finished.status == 4 and "wrong_" in finished.out and "wrong_coding" not in finished.out, finished.out


def test_an_answer_that_is_not_compressed_is_right_as_it_is(call: Call) -> None:
    finished = loaded(call, answer(TEXT), '{ json = { "/id" = 7 } }')
    assert finished.status == 0, finished.out
    assert json.loads(Path("load.json").read_text())["unpacking"]["answers"] == 0


PACKED = gzip.compress(TEXT, mtime=0)
"""By another time in its head, it may be the begin of a stream of another coding."""
HOSTILE = [
    ("a bomb", gzip.compress(bytes(40 << 20)), ["gzip"], "longer than 16 MiB"),
    ("a bomb of deflate", zlib.compress(bytes(40 << 20)), ["deflate"], "longer than 16 MiB"),
    ("a bomb of zstd", zstd(b"")[:-3] + b"\x02\x00\x10\x00" * 320 + zstd(b"")[-3:], ["zstd"], "longer than 16 MiB"),
    ("a cut stream", PACKED[:-9], ["gzip"], "ends before its gzip does"),
    ("a name that is none", TEXT, ["gzipped"], "coded in a way of unknown name"),
    ("another name", PACKED, ["br"], "is no br, or a broken one"),
    ("not packed at all", TEXT, ["gzip"], "is no gzip, or a broken one"),
    ("bytes behind the end", PACKED + b"garbage", ["gzip"], "goes on behind the end of its gzip"),
    ("two codings", gzip.compress(PACKED), ["gzip, gzip"], "coded more than once"),
    ("two headers", gzip.compress(PACKED), ["gzip", "gzip"], "coded more than once"),
    ("a flipped bit", PACKED[:-6] + bytes([PACKED[-6] ^ 1]) + PACKED[-5:], ["gzip"], "is no gzip, or a broken one"),
    ("raw deflate", zlib.compress(TEXT)[2:-4], ["deflate"], "without zlib's frame"),
]


@pytest.mark.parametrize(("body", "codings", "words"), [pytest.param(*each[1:], id=each[0]) for each in HOSTILE])
def test_what_cannot_be_unpacked_is_an_error_of_its_own(
    call: Call, body: bytes, codings: list[str], words: str
) -> None:
    finished = loaded(call, answer(body, *(f"Content-Encoding: {each}" for each in codings)), "{ status = 200 }")
    assert finished.status == 4 and "wrong_coding" in finished.out, finished.out
    assert words in " ".join(finished.out.split()), finished.out


def test_a_coding_that_was_not_asked_for_is_wrong(call: Call, snapshot: object) -> None:
    finished = loaded(call, answer(PACKED, "Content-Encoding: gzip"), "{ status = 200 }", codings="br;q=1, gzip;q=0")
    assert finished.status == 4
    assert passage(" ".join(finished.out.split()), "which the request", "ask for") == snapshot


def test_a_header_of_the_command_asks_as_well(call: Call) -> None:
    with hostile_server(says(answer(PACKED, "Content-Encoding: gzip"))) as url:
        expected = ("--expect-body", TEXT.decode())
        asked = call("load", url, *LOAD, "-H", "Accept-Encoding: gzip", *expected)
        unasked = call("load", url, *LOAD, *expected)
    assert asked.status == 0, asked.out
    assert unasked.status == 4 and "the body is gzip" in unasked.out, unasked.out
