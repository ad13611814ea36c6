"""Messages of WebSockets, as `fairtrial load` sends them, against a server that keeps to a plan and against hostile
ones."""

import json
import socket
import subprocess
import sys
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha1
from pathlib import Path

import pytest

from tests.command_line import Finished
from tests.lines import passage
from tests.tools.load.conftest import CERTIFICATES

EXAMPLE = Path(__file__).parents[3] / "examples" / "websocket"
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
ONE = ("-c", "1", "-n", "1", "--warmup", "0s", "--timeout", "500ms", "--plain", "--json", "load.json")


@pytest.fixture
def server() -> Iterator[str]:
    """The example's server, of which every tenth answer of /ask stalls for 400 ms."""
    command = [sys.executable, str(EXAMPLE / "server.py"), "0", "10"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().strip()
        process.terminate()


def changed_ask(old: str, new: str) -> None:
    """Write the example's questions here, with one change."""
    text = (EXAMPLE / "ask.workload.toml").read_text()
    assert old in text
    Path("ask.workload.toml").write_text(text.replace(old, new))


def test_each_message_comes_back(call: Callable[..., Finished], server: str) -> None:
    load = ("load", "-f", EXAMPLE / "echo.workload.toml", server, "-c", "2", "-n", "200", "--warmup", "0s")
    finished = call(*load, "--json", "load.json", "--plain")
    assert finished.status == 0, finished.out + finished.err
    summary = json.loads(Path("load.json").read_text())
    assert (summary["verified"], summary["answers"], summary["connects"]) == (200, 200, 2)
    assert "load: closed, 2 connections, WebSocket, 200 requests" in finished.out


def test_answers_that_overtake_each_other_find_their_messages(call: Callable[..., Finished], server: str) -> None:
    load = ("load", "-f", EXAMPLE / "ask.workload.toml", server, "-c", "2", "-n", "100", "--warmup", "0s")
    finished = call(*load, "--json", "load.json", "--plain")
    assert finished.status == 0, finished.out + finished.err
    summary = json.loads(Path("load.json").read_text())
    assert (summary["verified"], summary["unasked"], summary["connects"]) == (100, 0, 2)
    assert "load: closed, 2 connections × 8 messages, WebSocket, 100 requests" in finished.out
    response = summary["response_time"]
    assert response["min_seconds"] < 0.015 and response["percentiles"]["50"] < 0.1
    assert response["max_seconds"] >= 0.399


def test_an_open_load_counts_from_when_messages_were_due(call: Callable[..., Finished], server: str) -> None:
    changed_ask("in_flight = 8", "in_flight = 1")  # what is due behind an answer that stalls waits for it
    load = ("load", "-f", "ask.workload.toml", server, "-c", "1", "-r", "20", "-d", "2s", "--warmup", "0s")
    finished = call(*load, "--json", "load.json", "--plain")
    assert finished.status == 0, finished.out + finished.err
    summary = json.loads(Path("load.json").read_text())
    assert 0 < summary["verified"] <= 40 and not any(summary["errors"].values())
    assert summary["response_time"]["max_seconds"] >= 0.399
    assert summary["response_time"]["percentiles"]["50"] > 0.1 > summary["service_time"]["percentiles"]["75"]


CHAT = ("load", "-f", EXAMPLE / "chat.workload.toml")
FAULTY_CHAT = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
import server

how = sys.argv[2]

class Faulty(server.Chat):
    def on_message(self, message):
        receivers = sorted(self.everyone, key=id)
        for place, each in enumerate(receivers):
            is_last = place == len(receivers) - 1
            if not (is_last and how == "loses"):
                each.write_message(message.replace("hello", "HELLO") if is_last and how == "alters" else message)
            if is_last and how == "doubles":
                each.write_message(message)
            if is_last and how == "ends":
                each.close(1011, "full")

server.Chat = Faulty
sys.argv[1:] = ["0"]
asyncio.run(server.main())
"""


def test_each_connection_gets_each_message_of_a_broadcast(call: Callable[..., Finished], server: str) -> None:
    finished = call(*CHAT, server, "-c", "5", "-n", "100", "--warmup", "0s", "--json", "load.json", "--plain")
    assert finished.status == 0, finished.out + finished.err
    summary = json.loads(Path("load.json").read_text())
    assert (summary["verified"], summary["unasked"], summary["connects"]) == (100, 0, 5)
    assert 500 <= summary["copy_time"]["count"] <= 525, "five copies of each, and of those that were under way"
    assert summary["copy_time"]["max_seconds"] <= summary["response_time"]["max_seconds"]
    assert "copy time" in finished.out


@pytest.mark.parametrize(
    ("how", "kind", "causes"),
    [
        ("loses", "timeout", {"websocket_no_copy"}),
        ("alters", "protocol", {"websocket_copies_differ"}),
        # Behind the last copy of all, there is no message any more that it could be the second one of.
        ("doubles", None, {"websocket_second_copy", "websocket_unknown_id"}),
        ("ends", "closed", {"websocket_close_1011"}),
    ],
)
def test_a_chat_that_does_not_serve_everyone_is_told(
    call: Callable[..., Finished], how: str, kind: str | None, causes: set[str]
) -> None:
    command = [sys.executable, "-c", FAULTY_CHAT, str(EXAMPLE), how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = process.stdout.readline().strip()
        options = ("-c", "3", "-n", "12", "--warmup", "0s", "--timeout", "500ms", "--plain", "--json", "load.json")
        finished = call(*CHAT, url, *options)
        process.terminate()
    summary = json.loads(Path("load.json").read_text())
    assert causes & {each["cause"] for each in summary["examples"]}, finished.out + finished.err
    assert (summary["errors"][kind] if kind else summary["unasked"]) > 0


def test_a_message_waits_for_connections_that_send_none(call: Callable[..., Finished], server: str) -> None:
    finished = call(*CHAT, server, "-c", "4", "-n", "1", "--warmup", "0s", "--json", "load.json", "--plain")
    assert finished.status == 0, finished.out + finished.err
    summary = json.loads(Path("load.json").read_text())
    assert (summary["verified"], summary["connects"], summary["copy_time"]["count"]) == (1, 4, 4)


@pytest.mark.parametrize(
    ("options", "said"),
    [(("-c", "1"), "a broadcast needs two connections"), (("-c", "2", "--threads", "2"), "of one thread")],
)
def test_a_broadcast_has_its_connections_in_one_thread(
    call: Callable[..., Finished], options: Sequence[str], said: str
) -> None:
    finished = call(*CHAT, "ws://127.0.0.1:1/", *options)
    assert finished.status == 2 and said in finished.err, finished.out + finished.err


def test_a_code_that_ends_a_connection_is_told_with_its_reason(
    call: Callable[..., Finished], server: str, snapshot: object
) -> None:
    changed_ask("number = 21", "number = 0")
    finished = call("load", "-f", "ask.workload.toml", server, *ONE)
    assert finished.status == 4
    assert passage(finished.out, "the server closed", "no question") == snapshot
    assert passage(finished.out + finished.err, "the code is", "own") == snapshot


@contextmanager
def hostile(behave: Callable[[socket.socket], None], accept: str | None = None) -> Iterator[str]:
    """A server that switches protocols, with this Sec-WebSocket-Accept or the right one, and behaves so. Its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    head = b""
                    while b"\r\n\r\n" not in head:
                        piece = connection.recv(65_536)
                        if not piece:
                            break
                        head += piece
                    if b"Sec-WebSocket-Key" not in head:
                        continue  # whether anybody listens was looked at
                    key = head.decode().split("Sec-WebSocket-Key: ")[1].split("\r\n")[0]
                    right = b64encode(sha1(f"{key}{GUID}".encode(), usedforsecurity=False).digest()).decode()
                    lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
                    lines.append(f"Sec-WebSocket-Accept: {right if accept is None else accept}")
                    try:
                        connection.sendall("\r\n".join([*lines, "", ""]).encode())
                        connection.recv(65_536)
                        behave(connection)
                        connection.settimeout(2)
                        while connection.recv(65_536):
                            pass
                    except OSError:
                        pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"ws://127.0.0.1:{listener.getsockname()[1]}/"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def _endlessly(frame: bytes) -> Callable[[socket.socket], None]:
    def send(connection: socket.socket) -> None:
        connection.settimeout(2)
        while True:
            connection.sendall(frame * 1000)

    return send


def _once(frame: bytes) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(frame)


HOSTILE = {
    "masked frames": (_once(b"\x81\x82\x00\x00\x00\x00ok"), None, "protocol", "websocket_masked"),
    "reserved bits": (_once(b"\xc1\x02ok"), None, "protocol", "websocket_reserved"),
    "a huge length": (_once(b"\x82\x7f" + b"\x7f" + b"\xff" * 7), None, "protocol", "websocket_too_long"),
    "endless fragments": (_endlessly(b"\x00\x10" + b"x" * 16), None, "protocol", "websocket_continuation"),
    "a message without end": (
        lambda connection: (_once(b"\x01\x01x")(connection), _endlessly(b"\x00\x10" + b"x" * 16)(connection))[1],
        None,
        "protocol",
        "websocket_too_long",
    ),
    "pings without end": (_endlessly(b"\x89\x00"), None, "protocol", "websocket_flood"),
    "no UTF-8": (_once(b"\x81\x02\xff\xfe"), None, "protocol", "websocket_utf8"),
    "half a frame, then silence": (_once(b"\x81\x05he"), None, "timeout", "websocket_unfinished"),
    "a close without code": (_once(b"\x88\x00"), None, "closed", "websocket_close_1005"),
    "no close": (lambda connection: connection.shutdown(socket.SHUT_RDWR), None, "closed", "websocket_no_close"),
    "a wrong accept": (_once(b""), "AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "protocol", "websocket_accept"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_server_gets_an_error_that_names_what_it_did(call: Callable[..., Finished], name: str) -> None:
    behave, accept, kind, cause = HOSTILE[name]
    with hostile(behave, accept) as url:
        finished = call("load", "-f", EXAMPLE / "echo.workload.toml", url, *ONE)
    assert finished.status == 4, finished.out + finished.err
    summary = json.loads(Path("load.json").read_text())
    assert {each: count for each, count in summary["errors"].items() if count} == {kind: 1}
    assert [each["cause"] for each in summary["examples"] if each["kind"] == kind] == [cause]


def test_an_id_that_nobody_asked_for_is_no_answer(call: Callable[..., Finished]) -> None:
    answer = b'{"id":999,"double":42}'
    with hostile(_once(bytes([0x81, len(answer)]) + answer)) as url:
        finished = call("load", "-f", EXAMPLE / "ask.workload.toml", url, *ONE)
    assert finished.status == 4, finished.out + finished.err
    summary = json.loads(Path("load.json").read_text())
    assert (summary["errors"]["timeout"], summary["unasked"]) == (1, 1)
    assert "websocket_unknown_id" in [each["cause"] for each in summary["examples"]]


def test_idle_connections_stay_open_beside_the_load(call: Callable[..., Finished], server: str) -> None:
    load = ("load", "-f", EXAMPLE / "chat.workload.toml", server, "-c", "2", "-d", "500ms", "--warmup", "0s")
    finished = call(*load, "--idle-connections", "300", "--json", "load.json", "--plain")
    assert finished.status == 0, finished.out + finished.err
    assert "300 opened in" in " ".join(finished.out.split())
    summary = json.loads(Path("load.json").read_text())
    idle = summary["idle_connections"]
    assert [idle[key] for key in ("number", "opened", "open_at_begin", "open_at_end")] == 4 * [300]
    # The chat sends each message on to them as well.
    assert idle["messages"] > 0 and idle["losses"] == {}
    assert not any("idle-connections" in warning for warning in summary["warnings"])


def test_idle_connections_are_websockets_alone(call: Callable[..., Finished]) -> None:
    finished = call("load", "--idle-connections", "3", "http://127.0.0.1:1/")
    assert finished.status == 2 and "no request is a message" in finished.err


def test_options_that_messages_cannot_follow_are_refused(call: Callable[..., Finished]) -> None:
    for option in ("--http2", "--no-keepalive", "--pipeline=2", "--trace-share=0.5"):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            url = f"ws://127.0.0.1:{listener.getsockname()[1]}/"
            finished = call("load", "-f", EXAMPLE / "echo.workload.toml", url, option)
        assert finished.status == 2 and "messages of a WebSocket" in finished.err, option
    finished = call("load", "ws://127.0.0.1:1/")
    assert finished.status == 2 and "no message is given" in finished.err


def test_a_message_that_always_lacks_its_id_is_the_files_fault(call: Callable[..., Finished], server: str) -> None:
    changed_ask('{ id = "{{sequence 1}}", number = 21 }', "{ number = 21 }")
    finished = call("load", "-f", "ask.workload.toml", server, *ONE)
    assert finished.status == 2 and "nothing stands at websocket.id" in finished.err


def test_messages_that_share_an_id_are_the_files_fault(
    call: Callable[..., Finished], server: str, snapshot: object
) -> None:
    changed_ask('id = "{{sequence 1}}"', "id = 2")
    finished = call("load", "-f", "ask.workload.toml", server, *ONE[:2], "-n", "8", *ONE[4:])
    assert finished.status == 3 and "two messages have the id 2" in finished.out, finished.out
    assert passage(finished.out + finished.err, "give each message", "its own") == snapshot


SECURE_ECHO = """
import asyncio, ssl, sys
sys.path.insert(0, sys.argv[1])
from server import Application, Echo, HTTPServer, bind_sockets

async def main():
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*sys.argv[2:])
    sockets = bind_sockets(0, "127.0.0.1")
    HTTPServer(Application([("/echo", Echo)]), ssl_options=context).add_sockets(sockets)
    print(f"wss://localhost:{sockets[0].getsockname()[1]}/", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def test_messages_go_over_tls(call: Callable[..., Finished]) -> None:
    files = (EXAMPLE, CERTIFICATES / "server.pem", CERTIFICATES / "server.key")
    command = [sys.executable, "-c", SECURE_ECHO, *map(str, files)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            url = process.stdout.readline().strip()
            load = ("load", "-f", EXAMPLE / "echo.workload.toml", url, "-c", "2", "-n", "100", "--warmup", "0s")
            trusted = ("--cacert", CERTIFICATES / "authority.pem")
            finished = call(*load, *trusted, "--json", "load.json", "--plain", "--idle-connections", "20")
        finally:
            process.terminate()
    assert finished.status == 0, finished.out + finished.err
    summary = json.loads(Path("load.json").read_text())
    assert (summary["verified"], summary["connects"]) == (100, 2)
    assert summary["tls"]["version"] in ("1.2", "1.3")
    assert "20 idle connections: 20 opened" in finished.out and "20 when it closed" in finished.out
