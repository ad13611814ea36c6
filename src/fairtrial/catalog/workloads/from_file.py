"""A workload file as the engine's requests, and as a workload that servers can be tried on."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairtrial.catalog.workloads.as_expected import clause
from fairtrial.catalog.workloads.comparable import comparable
from fairtrial.catalog.workloads.model import OwnWorkload, ServerWorkload, no_tables
from fairtrial.catalog.workloads.written import TemplateWriter
from fairtrial.engine.plan import AnyBody, BodyRange, ExactBody, Expectation, GivenRows, JsonBody, Pick, Request
from fairtrial.experiment.workload_file.model import Expect, RequestEntry, Rows, rows_in
from fairtrial.experiment.workload_file.placeholders import placeholders_in
from fairtrial.experiment.workload_file.read import WorkloadSource
from fairtrial.experiment.workload_file.rows import RowTable
from fairtrial.record.model import WorkloadIdentity

CHECK_EVERY = 16
"""In trials, as of the answers to the lab's own workloads: docs/engine-protocol.md."""


@dataclass(frozen=True)
class SentRequests:
    """The requests of a workload file as the engine sends them, with the values of environment variables in them."""

    requests: Sequence[Request]
    rows: Mapping[str, GivenRows]
    secrets: Mapping[str, str]
    """those values, by name"""


def sent_requests(
    source: WorkloadSource,
    *,
    check_every: int,
    environment: Mapping[str, str] | None = None,
    numbers_taken: int = 0,
) -> SentRequests:
    """The requests as the engine sends them.

    Args:
        check_every: of so many answers, the body of one is compared as a whole.
        environment: variables by name; None: this process's own.
        numbers_taken: how many numbers of each `{{sequence …}}` are not given again.

    Raises:
        Problem: a variable that the file names is not set.
    """
    writer = TemplateWriter(source.file, os.environ if environment is None else environment, numbers_taken)
    requests = [_request(source, name, entry, check_every, writer) for name, entry in source.model.entries().items()]
    rows = {name: _given(rows, source.rows[name]) for name, rows in source.model.rows.items()}
    return SentRequests(requests, rows, writer.used)


def workload_from_file(source: WorkloadSource, environment: Mapping[str, str] | None = None) -> ServerWorkload:
    """The workload that a file describes.

    Its clauses send each request once. What they take is not given again to the load: the first number of a sequence,
    and of rows that are taken once one for each request that takes one.

    Args:
        environment: variables by name; None: this process's own.

    Raises:
        Problem: a variable that the file names is not set.
    """
    asked = sent_requests(source, check_every=1, environment=environment)
    loaded = sent_requests(source, check_every=CHECK_EVERY, environment=environment, numbers_taken=1)
    entries = source.model.entries()
    taken: dict[str, int] = dict.fromkeys(asked.rows, 0)
    clauses = []
    for request, entry in zip(asked.requests, entries.values(), strict=True):
        tables = {each.arguments[0] for _, each in rows_in(entry.sent_texts())}
        rows = {name: _without_first(given, taken[name]) for name, given in asked.rows.items() if name in tables}
        requirement = f"{entry.method} {entry.path} is answered as the workload file expects"
        clauses.append(clause(request, rows, asked.secrets, requirement))
        for name in tables:
            taken[name] += 1
    requests = [
        request.model_copy(update={"acknowledge": _has_sequence(entry)})
        for request, entry in zip(loaded.requests, entries.values(), strict=True)
    ]
    return ServerWorkload(
        name=source.name,
        title=source.model.title or source.name,
        services=(),
        data=no_tables,
        requests=lambda _data, _options: requests,
        clauses=clauses,
        writes=True,  # what requests change is not known
        ready=source.model.ready,
        own=OwnWorkload(
            identity=_identity(source),
            rows={name: _without_first(given, taken[name]) for name, given in loaded.rows.items()},
            secrets=loaded.secrets,
            comparable=comparable(source, asked.requests, asked.rows),
        ),
    )


def _request(
    source: WorkloadSource, name: str, entry: RequestEntry, check_every: int, writer: TemplateWriter
) -> Request:
    key = f"requests.{name}"
    headers = {header: writer.text(value, f"{key}.headers.{header}") for header, value in entry.headers.items()}
    if entry.json_body is not None and "content-type" not in map(str.lower, headers):
        headers["content-type"] = "application/json"
    body = None
    if entry.json_body is not None:
        body = writer.json(entry.json_body, f"{key}.json")
    elif entry.body is not None:
        body = writer.text(entry.body, f"{key}.body")
    body_file = source.body_file(entry)
    return Request(
        name=name,
        method=entry.method,
        path=writer.path(entry.path, f"{key}.{entry.method.lower()}"),
        headers=list(headers.items()),
        body=body,
        body_file=None if body_file is None else str(body_file),
        template=True,
        weight=entry.weight,
        expect=_expectation(entry.expect, f"{key}.expect", check_every, writer),
    )


def _expectation(expect: Expect, key: str, check_every: int, writer: TemplateWriter) -> Expectation:
    body: AnyBody | ExactBody | JsonBody = AnyBody()
    if expect.text is not None:
        body = ExactBody(text=writer.plain(expect.text, f"{key}.text"))
    elif expect.json_values:
        values = {at: writer.json(value, f"{key}.json {at}") for at, value in expect.json_values.items()}
        body = JsonBody(values=values)
    length = expect.byte_range
    return Expectation(
        status=expect.statuses or None,
        content_type=expect.type,
        body_bytes=None if length is None else BodyRange(min=length[0], max=length[1]),
        body=body,
        check_every=check_every,
    )


def _given(rows: Rows, table: RowTable) -> GivenRows:
    exponent = rows.zipf_exponent
    pick = Pick.model_validate({"kind": rows.pick if exponent is None else "zipf", "exponent": exponent})
    file = str(table.file) if table.lines is None else None
    return GivenRows(pick=pick, file=file, lines=None if table.lines is None else list(table.lines))


def _without_first(given: GivenRows, taken: int) -> GivenRows:
    """The rows that are left: all, unless each is taken once."""
    return given.model_copy(update={"skip": given.skip + taken}) if given.pick.kind == "once" else given


def _has_sequence(entry: RequestEntry) -> bool | None:
    """Whether its numbers are kept, so that several loads of one trial send none of them twice."""
    texts = (text for _, text in entry.sent_texts())
    return True if any(each.name == "sequence" for text in texts for each in placeholders_in(text)) else None


def _identity(source: WorkloadSource) -> WorkloadIdentity:
    return WorkloadIdentity(
        name=source.name,
        title=source.model.title,
        sha256=source.sha256,
        requests={name: f"{entry.method} {entry.path}" for name, entry in source.model.requests.items()},
    )
