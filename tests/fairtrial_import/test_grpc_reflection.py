"""`fairtrial import grpc://…`, against grpcio's server with its reflection, and servers that answer otherwise."""

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha import reflection, reflection_pb2

from fairtrial.catalog.workloads.grpc_descriptors import descriptors_of
from fairtrial.experiment.workload_file.read import read_workload_file
from tests.command_line import Finished
from tests.lines import line_with
from tests.tools.load.grpc_servers import ITEM, PROTO

Call = Callable[..., Finished]
OUT = "shop.workload.toml"
Answer = Callable[[Any], Any]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@contextmanager
def reflecting(answers: Callable[[Iterable[Any], Any], Iterator[Any]], version: str = "v1") -> Iterator[str]:
    """The URL of a server of the shop's `Look`, whose reflection of this version answers so."""
    server = grpc.server(ThreadPoolExecutor(8))
    handler = grpc.stream_stream_rpc_method_handler(
        answers,
        reflection_pb2.ServerReflectionRequest.FromString,
        reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    look = grpc.unary_unary_rpc_method_handler(lambda _request, _context: ITEM)
    server.add_generic_rpc_handlers(
        (
            grpc.method_handlers_generic_handler(
                f"grpc.reflection.{version}.ServerReflection", {"ServerReflectionInfo": handler}
            ),
            grpc.method_handlers_generic_handler("shop.Shop", {"Look": look}),
        )
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"grpc://127.0.0.1:{port}"
    finally:
        server.stop(0).wait()


def by(answer: Answer) -> Callable[[Iterable[Any], Any], Iterator[Any]]:
    return lambda requests, _context: map(answer, requests)


def listing(*names: str, then: Answer) -> Answer:
    """Names these services, and answers other questions so."""

    def answer(request: Any) -> Any:
        if request.WhichOneof("message_request") != "list_services":
            return then(request)
        services = [reflection_pb2.ServiceResponse(name=name) for name in names]
        return reflection_pb2.ServerReflectionResponse(
            list_services_response=reflection_pb2.ListServiceResponse(service=services)
        )

    return answer


def files(*contents: bytes) -> Any:
    response = reflection_pb2.FileDescriptorResponse(file_descriptor_proto=contents)
    return reflection_pb2.ServerReflectionResponse(file_descriptor_response=response)


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_a_server_says_which_calls_it_takes(call: Call, version: str) -> None:
    Path("shop.proto").write_text(PROTO)
    pool = descriptors_of(Path("shop.proto").absolute(), "shop.proto")
    names = ["shop.Shop", "grpc.reflection.v1.ServerReflection"]
    servicer = reflection.ReflectionServicer(names, pool=pool)
    with reflecting(servicer.ServerReflectionInfo, version) as url:
        finished = call("import", url, "-o", OUT)
        assert finished.status == 0, finished.err
        assert "4 calls; descriptors: shop.protoset" in " ".join(finished.err.split())
        source = read_workload_file(Path(OUT))
        assert list(source.requests) == ["look", "watch", "count", "echo"]
        look, count = source.requests["look"].grpc, source.requests["count"].grpc
        assert look is not None and count is not None
        assert (look.method, look.message, count.messages) == ("shop.Shop/Look", {"id": 0}, [{"id": 0}])
        text = Path(OUT).read_text().partition("# Its answer is a stream.")[0]
        Path(OUT).write_text(f'{text}expect.grpc.message = {{ name = "teapot", state = "SOLD" }}\n')
        address = url.replace("grpc://", "http://")
        loaded = call("load", "-f", OUT, address, "--http2", "-c", "1", "-n", "3", "--warmup", "0s", "--json", "x.json")
    assert loaded.status == 0, loaded.out + loaded.err
    assert json.loads(Path("x.json").read_text())["verified"] == 3
    assert "is there already" in call("import", url, "-o", OUT).err


NO_FILE = FileDescriptorProto(name="a.proto", package="shop", dependency=["b.proto"]).SerializeToString()
RING = [FileDescriptorProto(name=f"{a}.proto", dependency=[f"{b}.proto"]).SerializeToString() for a, b in ("ab", "ba")]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (by(listing(then=lambda _: files())), "its reflection names no service"),
        (by(listing("grpc.health.v1.Health", then=lambda _: files())), "its reflection names no service"),
        (by(listing("shop.Shop", then=lambda _: files())), "do not fit together"),
        (by(listing("shop.Shop", then=lambda _: files(b"\xff\xff"))), "answers with what is no descriptor"),
        (by(listing("shop.Shop", then=lambda _: files(NO_FILE))), "does not know b.proto, which its files import"),
        (by(listing("shop.Shop", then=lambda _: files(*RING))), "do not fit together"),
        (
            by(listing("shop.Shop", then=lambda _: files(*(b"\x0a\x04%04d" % n for n in range(1001))))),
            "describes itself in more than 1,000 files",
        ),
        (
            by(listing("shop.Shop", then=lambda _: files(b"\x0a\x01a\x12\xff\xff\xff\x01" + b"x" * 4194303))),
            "cannot be",
        ),
        (
            by(
                lambda _: reflection_pb2.ServerReflectionResponse(
                    error_response=reflection_pb2.ErrorResponse(error_message="not\x1b[31m today")
                )
            ),
            "its reflection says: not",
        ),
        (lambda _requests, _context: iter(()), "ends without an answer"),
    ],
)
def test_what_a_server_says_wrongly_is_told(call: Call, answer: Any, reason: str) -> None:
    with reflecting(answer) as url:
        finished = call("import", url, "-o", OUT)
    assert (finished.status, reason in " ".join(finished.err.split())) == (2, True), finished.err
    assert "\x1b[31m" not in finished.err and not Path(OUT).exists()


def test_servers_without_reflection_and_no_servers_are_told(call: Call, snapshot: object) -> None:
    with reflecting(by(files), "v2") as url:
        assert "has no reflection" in call("import", url, "-o", OUT).err
        assert "give -o FILE" in call("import", url).err
    assert "cannot be asked: UNAVAILABLE" in " ".join(call("import", url, "-o", OUT).err.split())
    assert line_with(call("import", "grpc://127.0.0.1:80/x", "-o", OUT).err, "is no address") == snapshot


def test_a_set_of_descriptors_that_is_none_is_told(call: Call) -> None:
    Path("shop.protoset").write_bytes(b"\xff\xff")
    Path(OUT).write_text('[requests.look]\ngrpc = { proto = "shop.protoset", method = "shop.Shop/Look" }\n')
    finished = call("load", "-f", OUT, "http://127.0.0.1:1", "--http2", "-n", "1")
    assert finished.status == 2 and "no descriptors" in finished.err
