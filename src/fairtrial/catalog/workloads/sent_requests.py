"""The requests of a workload file as the engine sends them."""

import os
from collections.abc import Mapping, Sequence
from typing import Literal

from fairtrial.catalog.workloads.grpc_messages import engine_call
from fairtrial.catalog.workloads.grpc_rows import drawn_rows, with_columns
from fairtrial.engine.plan import (
    AnyBody,
    BaseRequest,
    BodyRange,
    DigestBody,
    EchoBody,
    EventsBody,
    ExactBody,
    Expectation,
    GivenRows,
    JsonBody,
    Pick,
    Request,
    SetupRequest,
    Take,
)
from fairtrial.engine.sent_requests import SentRequests
from fairtrial.experiment.workload_file.events import MEDIA_TYPE
from fairtrial.experiment.workload_file.expect import Expect
from fairtrial.experiment.workload_file.journeys import by_user
from fairtrial.experiment.workload_file.model import RequestEntry, WorkloadFile
from fairtrial.experiment.workload_file.multipart import boundary_of, parts_of_body
from fairtrial.experiment.workload_file.placeholders import Placeholder, Scalar, TemplateWriter, spelled
from fairtrial.experiment.workload_file.read import WorkloadSource
from fairtrial.experiment.workload_file.rows import RowTable
from fairtrial.experiment.workload_file.rows_entry import Rows
from fairtrial.experiment.workload_file.secrets import FEWEST_OF_A_CUT
from fairtrial.experiment.workload_file.variables import parse_taken
from fairtrial.experiment.workload_file.websocket import WebSocket

UNKNOWN = "unknown"
"""In place of a variable before the setup requests were sent. Requests that hold it are never sent to a stack."""


def sent_requests(
    source: WorkloadSource,
    *,
    check_every: int,
    environment: Mapping[str, str] | None = None,
    numbers_taken: int = 0,
    variables: Mapping[str, Scalar] | None = None,
) -> SentRequests:
    """The requests as the engine sends them.

    Args:
        check_every: of so many answers, the body of one is compared as a whole.
        environment: variables by name; None: this process's own.
        numbers_taken: how many numbers of each `{{sequence …}}` are not given again.
        variables: what `setup_requests.send_setup` took; None: not known yet, and texts of no meaning take their place.

    Raises:
        Problem: an environment variable that the file names is not set.
    """
    values = variables
    if values is None:
        values = dict.fromkeys((name for entry in source.setup.values() for name in entry.take), UNKNOWN)
    fixed = {Placeholder("var", (name,)): value for name, value in values.items()}
    writer = TemplateWriter(source.prefix, os.environ if environment is None else environment, numbers_taken, fixed)
    requests = [
        engine_request(source, f"requests.{name}", name, entry, check_every, writer)
        for name, entry in source.requests.items()
    ]
    entries = [*source.requests.values(), *source.connection_setup.values()]
    given_rows = {
        name: without_first(
            _engine_rows(rows, source.rows[name], writer.columns.get(name, {})), _taken_once(source, name)
        )
        for name, rows in source.model.rows.items()
        if any(name in entry.row_tables for entry in entries)
    }
    given_rows |= drawn_rows(source, writer)
    setup = _connection_setup(source, writer)
    used = {**writer.used, **secrets_among(variables or {})}
    return SentRequests(requests, given_rows, used, setup, source.model.cookies, _websocket(source.model))


def _websocket(model: WorkloadFile) -> WebSocket | None:
    return (model.websocket or WebSocket()) if model.sends_messages else None


def thinking_last(requests: Sequence[Request]) -> list[str]:
    """Names of the requests behind whose answers users think, and then begin anew: no step of a journey follows."""
    last = [steps[-1] for steps in by_user(requests, lambda each: each.journey)]
    return [request.name for request in last if request.think_seconds is not None]


def _taken_once(source: WorkloadSource, table: str) -> int:
    """How many of a table's rows go to setup requests that are sent once."""
    return sum(table in entry.row_tables for entry in source.setup.values())


def _engine_rows(rows: Rows, table: RowTable, columns: Mapping[str, Sequence[str]]) -> GivenRows:
    """A table of a file, with further columns."""
    exponent = rows.zipf_exponent
    pick = Pick.model_validate({"kind": rows.pick if exponent is None else "zipf", "exponent": exponent})
    if columns:
        return GivenRows(pick=pick, lines=with_columns(table.every_line(), columns))
    file = str(table.file) if table.lines is None else None
    return GivenRows(pick=pick, file=file, lines=None if table.lines is None else list(table.lines))


def without_first(rows: GivenRows, number: int) -> GivenRows:
    """The rows that are left: all, unless each is taken once."""
    return rows.model_copy(update={"skip": rows.skip + number}) if rows.pick.kind == "once" else rows


def engine_request(
    source: WorkloadSource, key: str, name: str, entry: RequestEntry, check_every: int, writer: TemplateWriter
) -> Request:
    """A request of a workload file as the engine's.

    Args:
        key: the entry's own in the file, which messages name.
        check_every: of so many answers, the body of one is compared as a whole.

    Raises:
        Problem: an environment variable that it names is not set.
    """
    headers = {header: writer.text(value, f"{key}.headers.{header}") for header, value in entry.headers.items()}
    if entry.grpc is not None:
        fixed = Request(
            name=name, path=entry.path, template=True, weight=entry.weight, think_seconds=entry.think_seconds,
            journey=entry.journey,
        )  # fmt: skip
        return engine_call(fixed, source, entry, headers, key, check_every, writer)
    is_message = entry.websocket is not None
    if entry.json_body is not None and not is_message and "content-type" not in map(str.lower, headers):
        headers["content-type"] = "application/json"
    body = None
    if entry.json_body is not None:
        body = writer.json(entry.json_body, f"{key}.json")
    elif entry.body is not None:
        body = writer.text(entry.body, f"{key}.body")
    parts: list[dict[Literal["text", "file"], str]] = []
    if entry.multipart is not None:
        boundary = boundary_of(entry.multipart)
        headers["content-type"] = f"multipart/form-data; boundary={boundary}"
        for part in parts_of_body(entry.multipart, boundary):
            if isinstance(part, str):
                parts.append({"text": writer.text(part, f"{key}.multipart")})
            else:
                parts.append({"file": str(source.part_file(part))})
    body_file = source.body_file(entry)
    check = source.checks.get(name) if key == f"requests.{name}" else None
    return Request(
        name=name,
        method="GET" if is_message else entry.method,
        path=writer.path(entry.path, f"{key}.{entry.method.lower()}"),
        headers=list(headers.items()),
        body=body,
        body_file=None if body_file is None else str(body_file),
        body_parts=parts or None,
        chunked=entry.chunked or None,
        template=True,
        follow_redirects=entry.follow_redirects or None,
        renew=entry.renew,
        weight=entry.weight,
        think_seconds=entry.think_seconds,
        journey=entry.journey,
        take={variable: _take(text) for variable, text in entry.take.items()} or None,
        expect=_expectation(
            entry.expect,
            f"{key}.expect",
            check_every,
            writer,
            keeps_bodies=check is not None,
        ),
        body_check=check,
    )


def _connection_setup(source: WorkloadSource, writer: TemplateWriter) -> list[SetupRequest]:
    """The setup requests that each connection sends for itself, as the engine's, in the order of the file.

    Raises:
        Problem: an environment variable that they name is not set.
    """
    requests = []
    for name, entry in source.connection_setup.items():
        request = engine_request(source, f"setup.{name}", name, entry, 1, writer)
        common = {field: getattr(request, field) for field in BaseRequest.model_fields}
        requests.append(SetupRequest(**common, take=request.take or {}))
    return requests


def _take(text: str) -> Take:
    where = parse_taken(text)
    return Take(
        pointer=where.pointer,
        header=None if where.pointer is not None else where.header,
        pattern=None if where.pattern is None else where.pattern.pattern,
    )


def _expectation(
    expect: Expect, key: str, check_every: int, writer: TemplateWriter, *, keeps_bodies: bool
) -> Expectation:
    body: AnyBody | ExactBody | JsonBody | DigestBody | EventsBody | EchoBody = AnyBody()
    if expect.text is not None:
        body = ExactBody(text=writer.plain(expect.text, f"{key}.text"))
    elif expect.json_values:
        values = {at: writer.json(value, f"{key}.json {at}") for at, value in expect.json_values.items()}
        body = JsonBody(values=values)
    elif expect.sha256 is not None:
        body = DigestBody(sha256=expect.sha256)
    elif expect.echo:
        body = EchoBody()
    elif expect.events is not None:
        body = EventsBody.of(expect.events)
    length = expect.byte_range
    return Expectation(
        status=expect.statuses or None,
        content_type=expect.type or (MEDIA_TYPE if expect.events is not None else None),
        trailer=expect.trailer,
        body_bytes=None if length is None else BodyRange(min=length[0], max=length[1]),
        body=body,
        check_every=check_every,
        keep_bodies=True if keeps_bodies else None,
    )


def secrets_among(variables: Mapping[str, Scalar]) -> dict[str, str]:
    """The secrets among variables, by placeholder. No credential is shorter than four characters, and to hide
    each `1` would make messages unreadable."""
    texts = {name: spelled(value) for name, value in variables.items() if not isinstance(value, bool)}
    return long_enough({f"var {name}": text for name, text in texts.items()})


def long_enough(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if len(value) >= FEWEST_OF_A_CUT}
