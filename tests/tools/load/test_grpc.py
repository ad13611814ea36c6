"""Calls by gRPC of a workload file, against grpcio's server."""

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import grpc
import pytest
from h2.connection import H2Connection
from hyperframe.frame import DataFrame, HeadersFrame

from fairtrial.experiment.workload_file.read import read_workload_file
from tests.lines import passage
from tests.tools.load.grpc_load import FILE, Call, load
from tests.tools.load.grpc_servers import DONE, HEAD, ITEM, PROTO, answer_with, frame, peer, serving, shop


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.proto").write_text(PROTO)


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
        ('mask = ""', "mask.paths has 1 value, not 0"),
        ("list = []", "list.values has 1 value, not 0"),
        ("extra = { b = false }", "extra.fields.value.bool_value is true, not false"),
        ('made = "1970-01-02T00:00:00.5Z"', "made.nanos is 0, not 500000000"),
    ],
)
def test_another_value_is_named(call: Call, expected: str, reason: str) -> None:
    with peer(answer_with(HEAD, frame(ITEM), DONE)) as url:
        finished, measured = load(call, url, of_call("message = { id = 7 }", f"message = {{ {expected} }}"))
    assert measured["errors"]["wrong_body"] == 1, finished.out + finished.err
    assert reason in measured["examples"][0]["reason"]


def test_statuses_are_counted_by_their_code(call: Call, snapshot: object) -> None:
    with shop() as url:
        finished, measured = load(call, url, FILE.replace("id = 7 }", "id = 1 }", 1))
        assert measured["errors"]["status_grpc"] == 1, finished.out + finished.err
        assert measured["statuses"]["5"] == {
            "count": 1,
            "headers": {},
            "excerpt": "NOT_FOUND: no such item: 100 %, ü",
        }
        out = " ".join(finished.out.split())
        assert passage(out, "NOT_FOUND:", "expect.grpc.status") == snapshot
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
    assert "the answer was not whole before it" in measured["statuses"]["4"]["excerpt"]


def test_a_call_that_passes_its_deadline_ends_the_servers_work(call: Call) -> None:
    """The server was told of a later deadline: what ends its calls is the client's reset."""
    working, ended = threading.Semaphore(0), threading.Semaphore(0)

    def watch(_request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        working.release()
        context.add_callback(ended.release)
        while context.is_active():
            time.sleep(0.01)
            yield ITEM

    text = """
[requests.watch]
grpc = { proto = "shop.proto", method = "shop.Shop/Watch", message = { id = 7 }, timeout = "200 ms" }
headers.grpc-timeout = "60S"
expect.grpc.status = "DEADLINE_EXCEEDED"
"""
    with serving(Watch=grpc.unary_stream_rpc_method_handler(watch)) as url:
        options = ("--http2", "-c", "1", "--streams", "2", "-n", "6", "--warmup", "0s")
        finished, measured = load(call, url, text, *options)
        assert (finished.status, measured["verified"], measured["connects"]) == (0, 6, 1), finished.out + finished.err
        for counted in (working, ended):
            assert all(counted.acquire(timeout=10) for _ in range(6))
    assert measured["response_time"]["min_seconds"] >= 0.199


@pytest.mark.parametrize("begins", [True, False])
def test_a_server_that_goes_on_after_the_reset_is_no_burden(call: Call, begins: bool) -> None:
    resets: list[int] = []
    reset = threading.Semaphore(0)

    def hostile(http2: H2Connection, stream: int) -> None:
        if begins:
            http2.send_headers(stream, HEAD)
            http2.send_data(stream, frame(ITEM)[:9])

    def goes_on(http2: H2Connection, stream: int, code: int) -> bytes:
        """Frames for the stream that was reset, and no end."""
        resets.append(code)
        reset.release()
        heads = b"" if begins else HeadersFrame(stream, http2.encoder.encode(HEAD), flags=["END_HEADERS"]).serialize()
        return heads + 20 * DataFrame(stream, bytes(1000)).serialize()

    text = of_call('message = { id = 7 }, timeout = "100 ms"', 'status = "DEADLINE_EXCEEDED"')
    with peer(hostile, goes_on) as url:
        options = ("--http2", "-c", "1", "--streams", "2", "-n", "20", "--warmup", "0s")
        finished, measured = load(call, url, text, *options)
        assert (finished.status, measured["verified"], measured["connects"]) == (0, 20, 1), finished.out + finished.err
        assert not any(measured["errors"].values())
        assert all(reset.acquire(timeout=10) for _ in range(18))
    assert set(resets) == {8}, "CANCEL"


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


def test_rows_whose_messages_have_other_fields_are_refused(call: Call, snapshot: object) -> None:
    Path("items.jsonl").write_text('{"id": 1, "mask": "a"}\n{"id": 2, "mask": "a,b"}\n')
    sent = BY_ROW.partition("[requests.look.expect")[0]
    finished, _ = load(call, "http://127.0.0.1:1", f'{sent}expect.grpc.message.mask = "{{{{row items mask}}}}"')
    assert finished.status == 2
    assert passage(finished.err, "requests.look.expect.grpc.message: rows", "has") == snapshot


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (FILE.replace("shop.Shop/Look", "shop.Shop/Lok"), "shop.Shop has no method Lok"),
        (FILE.replace("shop.Shop/Look", "Shop/Look"), "shop.proto describes no service Shop"),
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
        (
            f'{FILE}headers = {{ Grpc-Accept-Encoding = "gzip" }}',
            "headers.Grpc-Accept-Encoding: messages are sent and read",
        ),
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
