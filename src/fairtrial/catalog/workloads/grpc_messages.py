"""Calls by gRPC: messages from JSON to bytes, and to the fields that are expected, as `.proto` files describe them.

What reads and writes messages, protobuf, is an optional part (`fairtrial[grpc]`), imported when a workload file has
calls.
"""

import base64
import importlib
import struct
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.registry import did_you_mean
from fairtrial.catalog.workloads.grpc_descriptors import descriptors_of
from fairtrial.catalog.workloads.grpc_rows import Variation, column, fields_by_row, variation, with_cells
from fairtrial.engine.grpc_plan import FieldPlan, GrpcEnd, MessageBody
from fairtrial.engine.plan import EventsBody, Expectation, Request
from fairtrial.experiment.workload_file.events import Events
from fairtrial.experiment.workload_file.grpc_call import GrpcCall, GrpcExpect
from fairtrial.experiment.workload_file.model import RequestEntry
from fairtrial.experiment.workload_file.placeholders import TemplateWriter
from fairtrial.experiment.workload_file.read import WorkloadSource
from fairtrial.experiment.workload_file.secrets import Secrets

WELL_KNOWN = "google.protobuf."
"""Messages of this package have a JSON of their own, such as a text for a time."""


class GrpcMethod:
    """A method as a `.proto` file describes it.

    Args:
        descriptor: google.protobuf's of the method.
        pool: the descriptors that it belongs to.
        secrets: values of environment variables by name, which no message shows; it may grow.
    """

    def __init__(self, descriptor: Any, pool: Any, secrets: Mapping[str, str]) -> None:
        self._descriptor, self._pool, self._secrets = descriptor, pool, secrets

    def encoded(self, message: Mapping[str, Any], key: str) -> bytes:
        """The request's message in a frame of gRPC.

        Raises:
            Problem: it does not fit the method.
        """
        content: bytes = self._parsed(self._descriptor.input_type, message, key).SerializeToString(deterministic=True)
        return struct.pack(">BI", 0, len(content)) + content

    def expected_fields(self, message: Mapping[str, Any], key: str) -> list[FieldPlan]:
        """The fields that the answer's message must have.

        Raises:
            Problem: it does not fit the method.
        """
        parsed = self._parsed(self._descriptor.output_type, message, key)
        return _expected(parsed, message)

    @property
    def answers_stream(self) -> bool:
        """Whether its answer is a stream of messages."""
        return bool(self._descriptor.server_streaming)

    @property
    def takes_stream(self) -> bool:
        """Whether it is sent a stream of messages."""
        return bool(self._descriptor.client_streaming)

    def numbers_at(self, pointer: str, key: str, is_number: bool) -> str:
        """A JSON pointer in messages of the answer, by the numbers of its fields.

        Args:
            is_number: a whole number that is not below zero stands there.

        Raises:
            Problem: no such field is there.
        """
        descriptor, numbers = self._descriptor.output_type, []
        names = pointer.split("/")[1:]
        for place, name in enumerate(names, 1):
            fields = {} if descriptor is None else {each.json_name: each for each in descriptor.fields}
            field = fields.get(name) or (descriptor and descriptor.fields_by_name.get(name))
            is_last = place == len(names)
            fits = field is not None and not field.is_repeated
            if not fits or (is_last and is_number and KINDS.get(field.type) not in WHOLE_NUMBERS):
                what = "whole number" if is_number else "field"
                of = self._descriptor.output_type.full_name
                raise Problem(
                    f"{key}: {printable(pointer, 100)}: no {what} that occurs once in {of}",
                    'name one, such as "/number", or "/item/id" within a message',
                )
            numbers.append(str(field.number))
            descriptor = field.message_type
        return "".join(f"/{number}" for number in numbers)

    def _parsed(self, descriptor: Any, message: Mapping[str, Any], key: str) -> Any:
        json_format = importlib.import_module("google.protobuf.json_format")
        factory = importlib.import_module("google.protobuf.message_factory")
        parsed = factory.GetMessageClass(descriptor)()
        try:
            json_format.ParseDict(message, parsed, descriptor_pool=self._pool)
        except (json_format.ParseError, ValueError, TypeError) as error:
            reason = printable(Secrets(self._secrets).hidden(str(error)), 300)
            raise Problem(
                f"{key}: {reason}", f"write it as JSON of {descriptor.full_name}: names, and their values"
            ) from error
        return parsed


def engine_call(
    request: Request,
    source: WorkloadSource,
    entry: RequestEntry,
    headers: Mapping[str, str],
    key: str,
    check_every: int,
    writer: TemplateWriter,
) -> Request:
    """A call of a workload file as the engine sends it.

    Args:
        request: the parts that it has in common with other requests.
        headers: its own, which gRPC calls metadata.
        key: the entry's own in the file, which messages name.
        check_every: of so many answers, the fields of one are looked at.

    Raises:
        Problem: grpcio-tools is not installed; its `.proto` cannot be read, or does not describe the method and these
            messages; an environment variable that it names is not set.
    """
    call, expect = entry.grpc, entry.expect.grpc or GrpcExpect()
    assert call is not None
    method = _method(source.proto_file(call), call, f"{source.prefix}{key}.grpc", writer.used)
    of_grpc = {"te": "trailers", "content-type": "application/grpc+proto", "grpc-accept-encoding": "identity"}
    if call.timeout_header is not None:
        of_grpc["grpc-timeout"] = call.timeout_header
    own = {name.lower() for name in headers}
    added = {name: value for name, value in of_grpc.items() if name not in own}
    sent_key, expected_key = f"{key}.grpc.message", f"{key}.expect.grpc.message"
    _assert_streams(method, entry, f"{source.prefix}{key}")
    varying = variation(source, key, [*call.every_message, *expect.expected])
    every_cells = [{}] if varying is None else varying.cells
    bodies = [
        b"".join(method.encoded(with_cells(each, cells, sent_key, writer), sent_key) for each in call.every_message)
        for cells in every_cells
    ]

    def fields(message: Mapping[str, Any], at: str) -> Sequence[FieldPlan]:
        of_rows = [method.expected_fields(with_cells(message, cells, at, writer), at) for cells in every_cells]
        return _fields(of_rows, varying, at, writer)

    if expect.messages is None:
        expected = [list(fields(each, expected_key)) for each in expect.expected]
    else:
        expected = [list(fields(each, f"{expected_key}s.{place}")) for place, each in enumerate(expect.messages)]
    body: MessageBody | EventsBody = MessageBody(fields=expected[0] if expected else [])
    if method.answers_stream:
        body = _stream(method, entry, f"{source.prefix}{key}", expected)
    return request.model_copy(
        update={
            "method": "POST",
            "headers": [*headers.items(), *added.items()],
            **_body(bodies, varying, sent_key, writer),
            "chunked": True,
            "expect": Expectation(
                status=[200],
                trailer=entry.expect.trailer,
                grpc=GrpcEnd(status=expect.statuses, deadline_seconds=call.timeout_seconds),
                body=body,
                check_every=check_every,
            ),
        }
    )


def _body(messages: Sequence[bytes], varying: Variation | None, key: str, writer: TemplateWriter) -> Mapping[str, str]:
    """The keys of the engine's request that say what its body is."""
    if varying is None:
        return {"body_base64": base64.b64encode(messages[0]).decode()}
    return {"body": column(writer, varying.table, key, messages)}


def _assert_streams(method: GrpcMethod, entry: RequestEntry, where: str) -> None:
    """Raise a Problem if an entry speaks of a stream where the method has none."""
    expect = entry.expect.grpc or GrpcExpect()
    assert entry.grpc is not None
    of_answer = (("expect.grpc.messages", expect.messages), ("expect.events", entry.expect.events))
    for key, value, is_stream, which, instead in (
        ("grpc.messages", entry.grpc.messages, method.takes_stream, "takes", "`message`"),
        *((key, value, method.answers_stream, "answers with", "`expect.grpc.message`") for key, value in of_answer),
    ):
        if value is not None and not is_stream:
            raise Problem(f"{where}.{key}: {entry.grpc.method} {which} one message", f"write {instead} in its place")


def _stream(method: GrpcMethod, entry: RequestEntry, where: str, expected: list[list[FieldPlan]]) -> EventsBody:
    """The check of the messages of an answer. `expected`: the fields of each, or of all."""
    events = entry.expect.events or Events()
    where = f"{where}.expect.events"
    if events.last is not None or events.sequence == "id":
        key, why = ("last", "ends with its status") if events.last is not None else ("sequence", "has no ids")
        raise Problem(f"{where}.{key}: a stream of messages {why}", "leave it out, or name a field of the messages")
    body = EventsBody.of(events)
    if entry.expect.grpc is not None and entry.expect.grpc.messages is not None:
        if events.count is not None:
            raise Problem(f"{where}.count: `expect.grpc.messages` says already how many come", "leave one of them out")
        body = body.model_copy(update={"min": len(expected), "max": len(expected)})
    places = {
        key: method.numbers_at(pointer, f"{where}.{key}", key != "content")
        for key in ("sequence", "content", "tokens")
        if (pointer := getattr(events, key)) is not None
    }
    return body.model_copy(update={"messages": expected, **places})


def _fields(
    of_rows: Sequence[Sequence[FieldPlan]], varying: Variation | None, key: str, writer: TemplateWriter
) -> Sequence[FieldPlan]:
    if varying is None:
        return of_rows[0]
    try:
        return fields_by_row(of_rows, partial(column, writer, varying.table), key)
    except ValueError as error:
        raise Problem(f"{key}: {error}", "expect the same fields of each, with other values") from error


def _method(proto: Path, call: GrpcCall, where: str, secrets: Mapping[str, str]) -> GrpcMethod:
    """The method of a call.

    Args:
        where: the call's key, which messages name.
        secrets: as of `GrpcMethod`.
    """
    pool = descriptors_of(proto, f"{where}.proto: {printable(str(proto), 200)}")
    where = f"{where}.method: {call.method}"
    service_name, _, method_name = call.method.partition("/")
    try:
        service = pool.FindServiceByName(service_name)
    except KeyError as error:
        raise Problem(
            f"{where}: {proto.name} describes no service {service_name}",
            'write "package.Service/Method", with the package of the file',
        ) from error
    descriptor = service.methods_by_name.get(method_name)
    if descriptor is None:
        hint = did_you_mean(method_name, service.methods_by_name)
        raise Problem(
            f"{where}: {service_name} has no method {method_name}{hint}",
            f"there are: {', '.join(service.methods_by_name)}",
        )
    return GrpcMethod(descriptor, pool, secrets)


def _expected(message: Any, members: Mapping[str, Any] | None) -> list[FieldPlan]:
    """The fields of a message that must be as they are in it.

    Args:
        members: the JSON that it was parsed from, whose members are those that count, zeros among them; None: all that
            are set.
    """
    descriptor = message.DESCRIPTOR
    is_well_known = descriptor.full_name.startswith(WELL_KNOWN)
    if members is None or is_well_known:
        expected = {field.name: field for field, _ in message.ListFields()}
        if is_well_known:  # what its JSON says is all of it: its zeros and its empty lists are meant as well
            expected |= {field.name: field for field in descriptor.fields if _is_always_there(field)}
        return [_field(message, field, None) for field in expected.values()]
    by_json_name = {field.json_name: field for field in descriptor.fields}
    fields = [(descriptor.fields_by_name.get(name) or by_json_name[name], value) for name, value in members.items()]
    return [_field(message, field, value) for field, value in fields]


def _is_always_there(field: Any) -> bool:
    """Whether it holds a number, text or bytes, or any number of whatever, and cannot be without a value."""
    return field.is_repeated or (field.message_type is None and field.containing_oneof is None)


def _field(message: Any, field: Any, members: Any) -> FieldPlan:
    kind = KINDS[field.type]
    content = getattr(message, field.name)
    common: dict[str, Any] = {"name": field.name, "number": field.number, "kind": kind}
    is_message = field.message_type is not None
    if is_message and field.message_type.GetOptions().map_entry:
        key_field, value_field = (field.message_type.fields_by_name[name] for name in ("key", "value"))
        entries = []
        for key in content:
            value = content[key]
            pair = [FieldPlan(name="key", number=1, kind=KINDS[key_field.type], values=[_value(key_field, key)])]
            spelled = str(key).lower() if isinstance(key, bool) else str(key)
            inner = _value(value_field, value, members.get(spelled) if isinstance(members, dict) else None)
            pair.append(FieldPlan(name="value", number=2, kind=KINDS[value_field.type], values=[inner]))
            entries.append(pair)
        return FieldPlan(**common, occurs="map", values=entries)
    if field.is_repeated:
        items = members if isinstance(members, list) else [None] * len(content)
        values = [_value(field, each, item) for each, item in zip(content, items, strict=True)]
        return FieldPlan(**common, occurs="repeated", values=values)
    return FieldPlan(**common, values=[_value(field, content, members)])


def _value(field: Any, value: Any, members: Any = None) -> Any:
    """As the engine takes it: a number's bits before they are packed, base64 of bytes, or the fields of a message."""
    kind = KINDS[field.type]
    if kind == "message":
        return _expected(value, members if isinstance(members, dict) else None)
    if kind in ("string", "bytes"):
        return base64.b64encode(value.encode() if isinstance(value, str) else value).decode()
    if kind in ("float", "double"):
        form = {"float": ("<f", "<I"), "double": ("<d", "<Q")}[kind]
        return struct.unpack(form[1], struct.pack(form[0], value))[0]
    if kind in ("sint32", "sint64"):
        return ((value << 1) ^ (value >> 63)) & 0xFFFF_FFFF_FFFF_FFFF
    return int(value) & (0xFFFF_FFFF if kind == "sfixed32" else 0xFFFF_FFFF_FFFF_FFFF)


KINDS: Mapping[int, str] = {
    1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 6: "fixed64", 7: "fixed32", 8: "bool", 9: "string",
    11: "message", 12: "bytes", 13: "uint32", 14: "int32", 15: "sfixed32", 16: "sfixed64", 17: "sint32", 18: "sint64",
}  # fmt: skip
"""The engine's names by FieldDescriptorProto.Type; an enum is an int32."""

WHOLE_NUMBERS = ("int32", "int64", "uint32", "uint64", "fixed32", "fixed64")
"""Of these, the bits of a number that is not below zero are the number."""
