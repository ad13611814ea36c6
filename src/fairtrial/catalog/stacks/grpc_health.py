"""Asking a server of gRPC for its health: https://grpc.io/docs/guides/health-checking/.

What asks, grpcio, is an optional part (`fairtrial[grpc]`), imported when a stack is ready by its health. The two
messages of grpc.health.v1 are so small that they are written and read as bytes.
"""

import importlib
import ssl
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

METHOD = "/grpc.health.v1.Health/Check"
ANSWER_WITHIN_SECONDS = 2.0
STATUSES = (b"", b"\x08\x01", b"\x08\x02", b"\x08\x03")
NAMES = ("UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN")
INSTALL = "pip install 'fairtrial[grpc]'; in a checkout: make set-up"


def instead_of_serving(service: str, secure: bool, address: str, ca_file: str | None = None) -> str | None:
    """The status that the server gave in place of SERVING; None: it is serving.

    Args:
        service: its name; empty: the server as a whole.
        address: host and port.
        ca_file: PEM of the authorities that are trusted; None: the roots of this machine.

    Raises:
        Problem: grpcio is not installed.
    """
    try:
        grpc = importlib.import_module("grpc")
    except ImportError as error:
        raise Problem("ready.grpc_health: needs grpcio, which is not installed", INSTALL) from error
    name = service.encode()
    request = b"\x0a" + bytes([len(name)]) + name if name else b""
    options = [("grpc.enable_http_proxy", 0)]
    if secure:
        trusted = ca_file or ssl.get_default_verify_paths().cafile
        roots = None if trusted is None else Path(trusted).read_bytes()
        channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(roots), options)
    else:
        channel = grpc.insecure_channel(address, options)
    with channel:
        try:
            answer = channel.unary_unary(METHOD)(request, timeout=ANSWER_WITHIN_SECONDS)
        except grpc.RpcError as error:
            return f"its health by gRPC: {error.code().name}: {printable(error.details() or '', 200)}"
    if answer not in STATUSES:
        return "its health by gRPC is none of grpc.health.v1"
    status = NAMES[STATUSES.index(answer)]
    return None if status == "SERVING" else f"its health by gRPC is {status}"
