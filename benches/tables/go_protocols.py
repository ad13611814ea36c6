"""WebSocket and HTTP/3, at benches/server."""

from pathlib import Path

from benches import go_server
from benches.bench import Bench
from benches.go_server import GoServer
from benches.load import Command, Load
from benches.nginx import CERTIFICATES
from benches.tables.contest import Contest, ours, table_of, theirs
from benches.tools import k6, locust, oha

SOURCE = Path(__file__).resolve().parents[1] / "server"
MESSAGE = "1234567890123"
"""As long as those of k6."""
ECHO = {"path": "/", "body": MESSAGE, "expect": {"body": {"kind": "echo"}}}
WEBSOCKET = {"requests": [ECHO], "websocket": {"in_flight": 1}}


def _server(bench: Bench, _: Path) -> GoServer:
    arguments = [str(CERTIFICATES / "server.pem"), str(CERTIFICATES / "server.key")]
    return GoServer(SOURCE, bench.target_cpu, arguments)


def _messages(load: Load) -> Command:
    return k6.running(load, k6.messages_script(load))


MESSAGES = Contest(
    name="Messages that come back by WebSocket",
    server=_server,
    ways=[
        ours(WEBSOCKET),
        theirs(
            k6.TOOL,
            _messages,
            lambda finished: k6.count(finished, "messages"),
            lambda finished: k6.percentiles(finished, "message_time"),
        ),
        theirs(locust.TOOL, lambda load: locust.messages(load, MESSAGE), locust.answered, locust.percentiles),
    ],
    connections=16,
    rate_per_second=500.0,
    lack=go_server.lack,
)
STREAMS = 10
HTTP3 = Contest(
    name="HTTP/3",
    server=_server,
    ways=[
        ours({"http2": None, "http3": {"streams": STREAMS}}, name="fairtrial (epoll)", driver="epoll"),
        theirs(oha.TOOL, oha.http3, oha.answered, oha.percentiles),
    ],
    connections=4,
    streams=STREAMS,
    rate_per_second=500.0,
    tls=True,
    lack=go_server.lack,
)
WEBSOCKET_TABLE = table_of("websocket", "Go with gorilla on one processor; 16 connections", [MESSAGES])
HTTP3_TABLE = table_of("http3", f"quic-go on one processor; 4 connections with {STREAMS} streams each", [HTTP3])
