"""The engine beside ghz: calls by gRPC."""

from base64 import b64encode

from benches import go_server
from benches.go_server import GoServer
from benches.tables.contest import Contest, ours, table_of, theirs
from benches.tools import ghz

FRAME = b"\0\0\0\0\x02\x08\x07"
"""ghz's message as it is sent."""
NAME = {"name": "name", "number": 2, "kind": "string", "values": [b64encode(b"spoon 7").decode()]}
HEADERS = {"te": "trailers", "content-type": "application/grpc+proto", "grpc-accept-encoding": "identity"}
REQUEST = {
    "path": f"/{ghz.CALL}",
    "method": "POST",
    "headers": list(HEADERS.items()),
    "body_base64": b64encode(FRAME).decode(),
    "expect": {"status": [200], "grpc": {}, "body": {"kind": "message", "fields": [NAME]}, "check_every": 16},
}
CALLS = Contest(
    name="Calls",
    server=lambda bench, _: GoServer(ghz.EXAMPLE / "go", bench.target_cpu),
    ways=[
        ours({"requests": [REQUEST]}),
        theirs(ghz.TOOL, ghz.command, ghz.answered, ghz.percentiles),
    ],
    connections=4,
    rate_per_second=500.0,
    streams=10,
    lack=go_server.lack,
)
TABLE = table_of("grpc", "grpc-go on one processor; 4 connections with 10 calls each", [CALLS])
