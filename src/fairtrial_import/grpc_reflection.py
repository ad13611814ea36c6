"""`grpc://host:port`: what a server of gRPC says of itself by reflection, as a workload file and a FileDescriptorSet.

https://grpc.io/docs/guides/reflection/. What asks, grpcio-reflection, is an optional part (`fairtrial[grpc]`), imported
here alone. Versions v1 and v1alpha of the service have the same messages.
"""

import importlib
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.workloads.grpc_descriptors import INSTALL, LARGEST_SET_BYTES
from fairtrial_import.assemble import slug, unused_name
from fairtrial_import.toml_text import comments, string, table_lines

SCHEME = "grpc://"
SERVICES = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")
"""In the order in which they are tried."""
OF_GRPC = "grpc."
"""Services of this package are about the server: reflection, health, channelz."""
MOST_SECONDS = 10.0
"""For all answers together."""
MOST_FILES = 1_000
"""Of descriptors."""


class Reflection:
    """Asks one server.

    Args:
        url: `grpc://host:port`.

    Raises:
        Problem: the optional part is not installed, or it is no such URL.
    """

    def __init__(self, url: str) -> None:
        self._label = printable(url, 200)
        try:
            self._grpc = importlib.import_module("grpc")
            self._messages = importlib.import_module("grpc_reflection.v1alpha.reflection_pb2")
            self._descriptors = importlib.import_module("google.protobuf.descriptor_pb2")
        except ImportError as error:
            raise Problem(f"{self._label}: needs grpcio-reflection, which is not installed", INSTALL) from error
        parts = urlsplit(url)
        if not parts.netloc or parts.path.strip("/") or parts.query:
            raise Problem(f"{self._label}: is no address of a server", "write one such as grpc://127.0.0.1:8080")
        self._address = parts.netloc
        self._ends = time.monotonic() + MOST_SECONDS
        self._service = SERVICES[0]

    def described(self) -> tuple[list[str], Any]:
        """The names of the server's services, without those about the server itself, and their FileDescriptorSet.

        Raises:
            Problem: the server does not answer by reflection, or says too much.
        """
        with self._grpc.insecure_channel(self._address, options=[("grpc.enable_http_proxy", 0)]) as self._channel:
            listing = self._first_answer(self._messages.ServerReflectionRequest(list_services=""))
            names = [each.name for each in listing.list_services_response.service if not each.name.startswith(OF_GRPC)]
            if not names:
                raise Problem(f"{self._label}: its reflection names no service", "register the services with it")
            files: dict[str, bytes] = {}
            for name in names:
                self._take(files, file_containing_symbol=name)
            return names, self._with_imports(files)

    def _with_imports(self, files: dict[str, bytes]) -> Any:
        """Every file behind those that it imports, as a pool takes them."""
        parsed: dict[str, Any] = {}
        under_way: set[str] = set()

        def add(name: str) -> None:
            if name in parsed or name in under_way:
                return
            under_way.add(name)
            if name not in files:
                self._take(files, file_by_filename=name)
            file = self._descriptors.FileDescriptorProto.FromString(files[name]) if name in files else None
            if file is None:
                raise Problem(f"{self._label}: does not know {printable(name, 200)}, which its files import", TO_FILE)
            for imported in file.dependency:
                add(imported)
            parsed[name] = file

        try:
            for name in list(files):
                add(name)
        except RecursionError as error:
            raise Problem(f"{self._label}: its files import one another too deeply", TO_FILE) from error
        return self._descriptors.FileDescriptorSet(file=parsed.values())

    def _take(self, files: dict[str, bytes], **question: str) -> None:
        answer = self._answer(self._messages.ServerReflectionRequest(**question))
        for content in answer.file_descriptor_response.file_descriptor_proto:
            try:
                files[self._descriptors.FileDescriptorProto.FromString(content).name] = content
            except Exception as error:  # google.protobuf's DecodeError
                raise Problem(f"{self._label}: answers with what is no descriptor", TO_FILE) from error
        if len(files) > MOST_FILES or sum(map(len, files.values())) > LARGEST_SET_BYTES:
            bound = f"{MOST_FILES:,} files or {LARGEST_SET_BYTES:,} bytes"
            raise Problem(f"{self._label}: describes itself in more than {bound}", TO_FILE)

    def _first_answer(self, request: Any) -> Any:
        """The answer by the first version of the service that the server has."""
        for self._service in SERVICES[:-1]:
            try:
                return self._ask_once(request)
            except self._grpc.RpcError as error:
                if error.code() is not self._grpc.StatusCode.UNIMPLEMENTED:
                    raise self._problem(error) from error
        self._service = SERVICES[-1]
        return self._answer(request)

    def _answer(self, request: Any) -> Any:
        try:
            return self._ask_once(request)
        except self._grpc.RpcError as error:
            raise self._problem(error) from error

    def _ask_once(self, request: Any) -> Any:
        call = self._channel.stream_stream(
            f"/{self._service}/ServerReflectionInfo",
            request_serializer=self._messages.ServerReflectionRequest.SerializeToString,
            response_deserializer=self._messages.ServerReflectionResponse.FromString,
        )
        answers = call(iter([request]), timeout=max(self._ends - time.monotonic(), 0.001))
        answer = next(answers, None)
        answers.cancel()
        if answer is None:
            raise Problem(f"{self._label}: its reflection ends without an answer", TO_FILE)
        if answer.HasField("error_response"):
            reason = printable(answer.error_response.error_message, 200)
            raise Problem(f"{self._label}: its reflection says: {reason}", TO_FILE)
        return answer

    def _problem(self, error: Any) -> Problem:
        if error.code() is self._grpc.StatusCode.UNIMPLEMENTED:
            return Problem(f"{self._label}: has no reflection", TO_FILE)
        reason = f"{error.code().name}: {printable(error.details() or '', 200)}"
        return Problem(
            f"{self._label}: cannot be asked: {reason}", "see that it runs there, and speaks gRPC without TLS"
        )


TO_FILE = "write a workload file that names its .proto file (docs/workload-file.md#calls-by-grpc)"


def workload_of(url: str, protoset: Path) -> tuple[str, bytes, int]:
    """The text of a workload file with a call of each method, the FileDescriptorSet, and the number of calls.

    Args:
        protoset: the file that the set will be in.

    Raises:
        Problem: the server cannot be asked, or its descriptors do not fit together.
    """
    names, described = Reflection(url).described()
    pool = importlib.import_module("google.protobuf.descriptor_pool").DescriptorPool()
    blocks = [
        comments(
            [
                f"What the server at {printable(url, 200)} says of itself by reflection. Numbers and texts are zero "
                "and empty: write what is to be asked, and what must be answered (expect.grpc). Then:",
                f"  fairtrial load --http2 -f WORKLOAD {printable(url.replace(SCHEME, 'http://', 1), 200)}",
                "Aim it only at servers that are yours. docs/workload-file.md explains every key.",
            ]
        ),
        [f"title = {string('calls by gRPC')}"],
    ]
    try:
        for file in described.file:
            pool.Add(file)
        methods = [method for name in names for method in pool.FindServiceByName(name).methods]
    except Exception as error:  # KeyError, and TypeError of google.protobuf
        reason = printable(str(error), 200)
        raise Problem(f"{printable(url, 200)}: its descriptors do not fit together: {reason}", TO_FILE) from error
    request_names: set[str] = set()
    for method in methods:
        request = unused_name(slug(method.name) or "call", request_names)
        request_names.add(request)
        message = dict(_zeros(method.input_type))
        call: dict[str, Any] = {
            "proto": protoset.name,
            "method": f"{method.containing_service.full_name}/{method.name}",
            **({"messages": [message]} if method.client_streaming else {"message": message}),
        }
        remarks = ["Its answer is a stream."] if method.server_streaming else []
        blocks.append(comments(remarks) + table_lines(["requests", request], {"grpc": call}))
    text = "\n\n".join("\n".join(block) for block in blocks) + "\n"
    return text, described.SerializeToString(deterministic=True), len(request_names)


def _zeros(descriptor: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a message that hold one number or text, with none in it."""
    for field in descriptor.fields:
        if field.is_repeated or field.message_type is not None or field.containing_oneof is not None:
            continue
        if field.enum_type is not None:
            yield field.name, field.enum_type.values[0].name
        else:
            yield field.name, ZEROS.get(field.cpp_type, 0)


ZEROS: Mapping[int, object] = {5: 0.0, 6: 0.0, 7: False, 9: ""}
"""By FieldDescriptor.CPPTYPE_…: double, float, bool and string; others are whole numbers."""
