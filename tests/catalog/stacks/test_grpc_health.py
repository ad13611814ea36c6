"""A server of gRPC that is ready by its health."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import grpc
import pytest
from pydantic import ValidationError

from fairtrial.base.loopback import free_port
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.url import find_running
from fairtrial.experiment.ready import Ready

Check = Callable[[bytes, grpc.ServicerContext], bytes]


@contextmanager
def health(check: Check | None) -> Iterator[str]:
    """The URL of a server whose health service, if it has one, answers so."""
    server = grpc.server(ThreadPoolExecutor(2))
    if check is not None:
        handlers = {"Check": grpc.unary_unary_rpc_method_handler(check)}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("grpc.health.v1.Health", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop(0).wait()


def of_shop(request: bytes, context: grpc.ServicerContext) -> bytes:
    """As health services answer: the whole serves, `shop` serves not, and others are not known."""
    if request not in (b"", b"\x0a\x04shop"):
        context.abort(grpc.StatusCode.NOT_FOUND, "unknown\x1b[31m service")
    return b"\x08\x02" if request else b"\x08\x01"


def test_a_server_that_serves_is_ready() -> None:
    with health(of_shop) as url:
        find_running(url, Ready(grpc_health=""), 5.0)


@pytest.mark.parametrize(
    ("check", "service", "seen"),
    [
        (of_shop, "shop", "its health by gRPC is NOT_SERVING"),
        (of_shop, "till", "its health by gRPC: NOT_FOUND: unknown"),
        (None, "", "its health by gRPC: UNIMPLEMENTED"),
        (lambda _request, _context: b"", "", "its health by gRPC is UNKNOWN"),
        (lambda _request, _context: b"\xff" * 100, "", "its health by gRPC is none of grpc.health.v1"),
    ],
)
def test_a_server_that_does_not_is_not(check: Check | None, service: str, seen: str) -> None:
    with health(check) as url, pytest.raises(Problem) as problem:
        find_running(url, Ready(grpc_health=service), 0.0)
    assert f"was not ready within 0 s ({seen}" in problem.value.reason
    assert "\x1b" not in problem.value.reason
    wanted = "its health by gRPC (shop) is SERVING" if service == "shop" else "is SERVING"
    assert wanted in problem.value.remedy


def test_nothing_that_listens_is_told() -> None:
    with pytest.raises(Problem, match="UNAVAILABLE"):
        find_running(f"http://127.0.0.1:{free_port()}", Ready(grpc_health=""), 0.0)


def test_it_asks_for_nothing_else() -> None:
    with pytest.raises(ValidationError, match="leave the others out"):
        Ready(grpc_health="", http2=True)
