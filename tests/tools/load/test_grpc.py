"""Calls by gRPC of a workload file, against grpcio's server and against servers that break gRPC."""

import json
import struct
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest
from h2.connection import H2Connection

from fairtrial.experiment.workload_file.read import read_workload_file
from tests.command_line import Finished
from tests.tools.load.grpc_servers import DONE, HEAD, ITEM, PROTO, Answer, frame, peer, serving, shop

Call = Callable[..., Finished]
FILE = """
[requests.look]
grpc = { proto = "shop.proto", method = "shop.Shop/Look", message = { id = 7 } }
expect.grpc.message = { id = 7, name = "teapot" }
"""
ONCE = ("--http2", "-c", "1", "-n", "1", "--warmup", "0s")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.proto").write_text(PROTO)


def load(call: Call, url: str, text: str, *options: str) -> tuple[Finished, dict[str, Any]]:
    """Of one request, unless the options say otherwise."""
    Path("shop.workload.toml").write_text(text)
    finished = call("load", "-f", "shop.workload.toml", url, *(options or ONCE), "--json", "load.json", "--plain")
    written = Path("load.json")
    return finished, json.loads(written.read_text()) if written.exists() else {}


def of_call(message: str, expected: str) -> str:
    return f"""
[requests.look]
grpc = {{ proto = "shop.proto", method = "shop.Shop/Look", {message} }}
expect.grpc = {{ {expected} }}
"""


@pytest.mark.parametrize(
    "options", [("-c", "2", "--streams", "3", "-n", "60"), ("-r", "100", "-d", "500ms")], ids=["closed", "open"]
)
def test_calls_are_verified_by_fields(call: Call, options: Sequence[str]) -> None:
    expected = """message = { id = 7, codes = [1, 300], size = { width = -3, weight = 1.5 }, stock = { a = "5" },
        state = "SOLD", made = "1970-01-02T00:00:00Z", picture = "/wA=", on = true, below = "-1",
        mask = "a", extra = { b = true }, list = [true] }"""
    with shop() as url:
        finished, measured = load(
            call, url, of_call("message = { id = 7 }", " ".join(expected.split())), "--http2", *options
        )
    assert finished.status == 0, finished.out + finished.err
    assert measured["verified"] >= 30
    assert not any(measured["errors"].values())


@pytest.mark.parametrize(
    ("expected", "reason"),
    [
        ("id = 8", "id is 7, not 8"),
        ("id = 0", "id is 7, not 0"),
        ('name = ""', 'name is "teapot", not ""'),
        ("codes = [1]", "codes has 2 values, not 1"),
        ("size = { width = 3 }", "size.width is -3, not 3"),
        ("size = { weight = 2.5 }", "size.weight is 1.5, not 2.5"),
        ("stock = { c = 1 }", "stock has no such key as is expected"),
        ("stock = { a = 6 }", "stock.value is 5, not 6"),
        ("below = -2", "below is -1, not -2"),
        ("on = false", "on is true, not false"),
        ('made = "1970-01-01T00:00:00Z"', "made.seconds is 86400, not 0"),
        ('taken = "0s"', "taken.seconds is 5, not 0"),
        ("rate = 0", "rate.value is 1.5, not 0"),
        ("sizes = { a = { width = 0 } }", "sizes.value.width is -3, not 0"),
        ('mask = ""', "mask.paths has 1 values, not 0"),
        ("list = []", "list.values has 1 values, not 0"),
        ("extra = { b = false }", "extra.fields.value.bool_value is true, not false"),
        ('made = "1970-01-02T00:00:00.5Z"', "made.nanos is 0, not 500000000"),
    ],
)
def test_another_value_is_named(call: Call, expected: str, reason: str) -> None:
    with peer(answer_with(HEAD, frame(ITEM), DONE)) as url:
        finished, measured = load(call, url, of_call("message = { id = 7 }", f"message = {{ {expected} }}"))
    assert measured["errors"]["wrong_body"] == 1, finished.out + finished.err
    assert reason in measured["examples"][0]["reason"]


def test_statuses_are_counted_by_their_code(call: Call) -> None:
    with shop() as url:
        finished, measured = load(call, url, FILE.replace("id = 7 }", "id = 1 }", 1))
        assert measured["errors"]["status_grpc"] == 1, finished.out + finished.err
        assert measured["statuses"]["5"] == {
            "count": 1,
            "headers": {},
            "excerpt": "NOT_FOUND: no such item: 100 %, ü",
        }
        out = " ".join(finished.out.split())
        assert "NOT_FOUND: nothing is there: check ids; if this is the right answer, write expect.grpc.status" in out
        assert "--expect-status" not in out, "it does not go with a file"
        finished, measured = load(call, url, of_call("message = { id = 1 }", 'status = ["OK", "NOT_FOUND"]'))
    assert (finished.status, measured["verified"]) == (0, 1)


def test_a_deadline_is_the_servers_and_the_clients(call: Call) -> None:
    text = of_call('message = { id = 8 }, timeout = "100 ms"', 'status = "OK"')
    with shop() as url:
        _, measured = load(call, url, text)
    assert measured["errors"]["status_grpc"] == 1 and list(measured["statuses"]) == ["4"]

    def late(http2: H2Connection, stream: int) -> None:
        time.sleep(0.3)
        answer_with(HEAD, frame(ITEM), DONE)(http2, stream)

    with peer(late) as url:
        _, measured = load(call, url, text)
    assert "the answer came after it" in measured["statuses"]["4"]["excerpt"]


BY_ROW = """
rows.items = { file = "items.jsonl", pick = "sequential" }
[requests.look]
grpc = { proto = "shop.proto", method = "shop.Shop/Look", message = { id = "{{row items id}}" } }
[requests.look.expect.grpc.message]
id = "{{row items id}}"
name = "{{row items name}}"
on = "{{row items on}}"
below = "-{{row items id}}"
sizes.a.width = "-{{row items id}}"
codes = [1, 300]
"""
ITEMS = """
{"id": 1, "name": "", "on": false}
{"id": 300, "name": "ü {{", "on": true}

{"id": 70000, "name": "teapot", "on": false}
"""


def varint(number: int) -> bytes:
    more, rest = number >> 7, number & 0x7F
    return bytes([rest | 0x80]) + varint(more) if more else bytes([rest])


def look_by_id(asked: list[bytes], names: dict[int, str]) -> grpc.RpcMethodHandler:
    """Answers with the item of these names whose id is asked for, and notes what was asked."""
    by_request = {b"\x08" + varint(id): id for id in names}

    def look(request: bytes, _context: grpc.ServicerContext) -> bytes:
        asked.append(request)
        id = by_request[request]
        name, size = names[id].encode(), b"\x08" + varint(2 * id - 1)
        size = b"\x0a\x01a\x12" + varint(len(size)) + size
        fields = [request, b"\x12" + varint(len(name)) + name, b"\x1a\x03\x01\xac\x02\x48", varint(id == 300)]
        return b"".join([*fields, b"\x50", varint((1 << 64) - id), b"\x6a", varint(len(size)), size])

    return grpc.unary_unary_rpc_method_handler(look)


def test_messages_and_what_is_expected_differ_by_row(call: Call) -> None:
    Path("items.jsonl").write_text(ITEMS)
    asked: list[bytes] = []
    with serving(Look=look_by_id(asked, {1: "", 300: "ü {{", 70000: "teapot"})) as url:
        finished, measured = load(
            call, url, BY_ROW, "--http2", "-c", "2", "--streams", "2", "-n", "30", "--warmup", "0s"
        )
    assert (finished.status, measured["verified"]) == (0, 30), finished.out + finished.err
    assert {asked.count(b"\x08" + varint(id)) for id in (1, 300, 70000)} == {10}


def test_the_row_s_value_is_what_an_answer_is_held_against(call: Call) -> None:
    Path("items.jsonl").write_text(ITEMS)
    with serving(Look=look_by_id([], {1: "", 300: "ü {{", 70000: "cup"})) as url:
        _, measured = load(call, url, BY_ROW, "--http2", "-c", "1", "-n", "3", "--warmup", "0s")
    assert (measured["verified"], measured["errors"]["wrong_body"]) == (2, 1)
    assert measured["examples"][0]["reason"] == 'name is "cup", not "teapot"'


@pytest.mark.parametrize(("draw", "first_of"), [("{{uniform 1 200}}", 30), ("{{zipf 200 1.1}}", 300)])
def test_a_message_draws_its_number(call: Call, draw: str, first_of: int) -> None:
    text = FILE.replace("id = 7 }", f'id = "{draw}" }}', 1).replace("expect.", "#")
    asked: list[bytes] = []
    with serving(Look=look_by_id(asked, dict.fromkeys(range(1, 201), "x"))) as url:
        finished, measured = load(call, url, text, "--http2", "-c", "1", "-n", "2000", "--warmup", "0s")
    assert (finished.status, measured["verified"]) == (0, 2000), finished.out + finished.err
    assert len(set(asked)) > 100
    assert asked.count(b"\x08\x01") < 30 if first_of == 30 else asked.count(b"\x08\x01") > 200


def test_rows_whose_messages_have_other_fields_are_refused(call: Call) -> None:
    Path("items.jsonl").write_text('{"id": 1, "mask": "a"}\n{"id": 2, "mask": "a,b"}\n')
    sent = BY_ROW.partition("[requests.look.expect")[0]
    finished, _ = load(call, "http://127.0.0.1:1", f'{sent}expect.grpc.message.mask = "{{{{row items mask}}}}"')
    assert finished.status == 2
    assert "requests.look.expect.grpc.message: rows differ in which fields it has" in finished.err, finished.err


def answer_with(head: Sequence[tuple[str, str]], body: bytes, trailer: Sequence[tuple[str, str]] | None) -> Answer:
    def answer(http2: H2Connection, stream: int) -> None:
        http2.send_headers(stream, head)
        http2.send_data(stream, body, end_stream=trailer is None)
        if trailer is not None:
            http2.send_headers(stream, trailer, end_stream=True)

    return answer


def only_head(head: Sequence[tuple[str, str]]) -> Answer:
    return lambda http2, stream: http2.send_headers(stream, head, end_stream=True)


def reset(code: int) -> Answer:
    def answer(http2: H2Connection, stream: int) -> None:
        http2.send_headers(stream, HEAD)
        http2.reset_stream(stream, code)

    return answer


def goes_away(http2: H2Connection, stream: int) -> None:
    http2.send_headers(stream, HEAD)
    http2.send_data(stream, frame(ITEM)[:9])
    http2.close_connection(error_code=2)


HOSTILE: dict[str, tuple[Answer, str, str]] = {
    "a page": (
        answer_with([(":status", "200"), ("content-type", "text/html")], b"<html>", None),
        "wrong_header",
        'the content type is "text/html", not application/grpc',
    ),
    "gRPC-Web": (
        answer_with([(":status", "200"), ("content-type", "application/grpc-web")], frame(ITEM), DONE),
        "wrong_header",
        "not application/grpc",
    ),
    "no trailer": (answer_with(HEAD, frame(ITEM), None), "wrong_header", "there is no trailer with grpc-status"),
    "a trailer without a status": (
        answer_with(HEAD, frame(ITEM), [("x", "y")]),
        "wrong_header",
        "there is no trailer with grpc-status",
    ),
    "a status in the head alone": (
        answer_with([*HEAD, *DONE], frame(ITEM), None),
        "wrong_header",
        "grpc-status stands in the head, and behind the messages is no trailer",
    ),
    "a status that is no number": (
        answer_with(HEAD, frame(ITEM), [("grpc-status", "OK")]),
        "wrong_header",
        'grpc-status is "OK"',
    ),
    "only a head, that says OK": (only_head([*HEAD, *DONE]), "wrong_body", "no message came"),
    "a compressed flag": (answer_with(HEAD, b"\1" + frame(ITEM)[1:], DONE), "wrong_body", "a message is compressed"),
    "a flag that is none": (answer_with(HEAD, b"\7" + frame(ITEM)[1:], DONE), "wrong_body", "begins with 7"),
    "a length beyond the bound": (
        answer_with(HEAD, struct.pack(">BI", 0, 0xFFFF_FFFF), DONE),
        "wrong_body",
        "a message of 4294967295 bytes, above 4 MiB",
    ),
    "half a frame": (answer_with(HEAD, frame(ITEM)[:9], DONE), "wrong_body", "4 of a message's"),
    "half a prefix": (answer_with(HEAD, b"\0\0", DONE), "wrong_body", "2 bytes where the 5"),
    "two messages": (answer_with(HEAD, frame(ITEM) * 2, DONE), "wrong_body", "behind the one message of a unary"),
    "a field of another type": (
        answer_with(HEAD, frame(b"\x0a\x01x"), DONE),
        "wrong_body",
        "id has the wire type 2, not 0",
    ),
    "bytes that are no message": (answer_with(HEAD, frame(b"\xff" * 20), DONE), "wrong_body", "the message is cut"),
    "a message in percents": (
        only_head([*HEAD, ("grpc-status", "14"), ("grpc-message", "shop%20closed%0a%1b[31m%zz")]),
        "status_grpc",
        "UNAVAILABLE: shop closed\n\x1b[31m%zz",
    ),
    "a status that has no name": (answer_with(HEAD, b"", [("grpc-status", "77")]), "status_grpc", "status 77"),
    "HTTP's own status": (only_head([(":status", "503")]), "status_5xx", ""),
    "RST_STREAM": (reset(8), "reset", "RST_STREAM CANCEL"),
    "RST_STREAM, refused": (reset(7), "reset", "RST_STREAM REFUSED_STREAM"),
    "GOAWAY in the middle": (goes_away, "closed", "GOAWAY INTERNAL_ERROR"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_servers(call: Call, name: str) -> None:
    answer, kind, words = HOSTILE[name]
    with peer(answer) as url:
        finished, measured = load(call, url, FILE)
    assert measured["errors"].get(kind) == 1, (finished.out, finished.err, measured["examples"])
    example = measured["examples"][0]
    assert words in (example["reason"] or example["excerpt"])
    assert "\x1b[31m" not in finished.out


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (FILE.replace("shop.Shop/Look", "shop.Shop/Lok"), "shop.Shop has no method Lok"),
        (FILE.replace("shop.Shop/Look", "Shop/Look"), "shop.proto describes no service Shop"),
        (FILE.replace("shop.Shop/Look", "shop.Shop/Watch"), "its answers are a stream"),
        (FILE.replace("id = 7 }", "idd = 7 }", 1), 'no field named "idd"'),
        (FILE.replace('name = "teapot"', "name = 7"), "requests.look.expect.grpc.message"),
        (FILE.replace('"shop.proto"', '"none.proto"'), "No such file"),
        (FILE.replace("id = 7 }", 'id = "{{sequence 1}}" }', 1), "{{sequence 1}} cannot stand in this message: there"),
        (FILE.replace("id = 7,", 'id = "{{uniform 1 2}}",'), "{{uniform 1 2}} cannot stand in this message"),
        (FILE.replace("id = 7 }", 'id = "{{uniform 1 16385}}" }', 1), "16,385 messages would be encoded beforehand"),
        (FILE.replace("id = 7 }", 'id = "{{row items id}}" }', 1), "{{row items id}}: there is no [rows.items]"),
        (FILE.replace("id = 7 }", 'id = "{{uniform 1 2}}{{zipf 2 1}}" }', 1), "it differs by several draws or tables"),
        (
            FILE.replace("id = 7 }", 'id = "x{{uniform 1 2}}" }', 1),
            "Failed to parse id field: invalid literal for int() with base 10: 'x1'",
        ),
        (f"{FILE}post = '/'", "post and grpc are given: name one method with its path"),
        (f"{FILE}body = 'x'", "the body of a call is its `message`"),
        (f"{FILE}expect.status = 200", "expect.status: of a call"),
        (f"{FILE}follow_redirects = 2", "follow_redirects: a call is sent once"),
        (f"{FILE}renew = 'look'", "renew: a call is sent once"),
        (f"{FILE}expect.grpc.status = 'NOT_FOUND'", 'only calls that end with "OK" have one'),
        (f"{FILE}expect.grpc.status = []", "status: an empty list"),
        (f"defaults.expect.status = 200\n{FILE}", "defaults.expect.status: requests.look is a call"),
        (f"defaults.expect.json = {{ '/id' = 7 }}\n{FILE}", "defaults.expect.json: requests.look is a call"),
        (
            f"defaults.expect.grpc.status = 'OK'\n{FILE}\n[requests.page]\nget = '/'",
            "defaults.expect.grpc: requests.page is no call",
        ),
        (FILE.replace("expect.grpc.message", 'expect.grpc.status = "NOT_FOUNDD"\n#'), "did you mean NOT_FOUND"),
    ],
)
def test_what_does_not_fit_is_refused(call: Call, text: str, reason: str) -> None:
    finished, _ = load(call, "http://127.0.0.1:1", text)
    assert finished.status == 2, finished.out + finished.err
    assert reason in " ".join(finished.err.split())


def test_an_environment_variable_in_a_message_is_not_shown(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "tok-12345")
    finished, _ = load(call, "http://127.0.0.1:1", FILE.replace("id = 7 }", 'id = "{{env TOKEN}}" }', 1))
    assert finished.status == 2 and "{{env TOKEN}}" in finished.err
    assert "tok-12345" not in finished.out + finished.err


def test_imported_files_are_part_of_the_workload() -> None:
    file = Path("shop.workload.toml")
    file.write_text(FILE)
    Path("sizes.proto").write_text('syntax = "proto3";')
    Path("shop.proto").write_text(PROTO.replace("import", 'import "sizes.proto";\nimport', 1))
    first = read_workload_file(file).sha256
    Path("sizes.proto").write_text('syntax = "proto3"; message Other { int32 id = 1; }')
    assert read_workload_file(file).sha256 != first


def test_calls_need_http2(call: Call) -> None:
    with shop() as url:
        finished, _ = load(call, url, FILE, "-n", "1")
    assert "requests.look.grpc: calls go over HTTP/2" in finished.err
