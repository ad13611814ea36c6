"""One request of a workload file in the engine's terms."""

from fairtrial.catalog.workloads.written import TemplateWriter
from fairtrial.engine.plan import AnyBody, BodyRange, ExactBody, Expectation, JsonBody, Request, SetupRequest, Take
from fairtrial.experiment.workload_file.model import Expect, RequestEntry
from fairtrial.experiment.workload_file.read import WorkloadSource
from fairtrial.experiment.workload_file.variables import parse_taken


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
    if entry.json_body is not None and "content-type" not in map(str.lower, headers):
        headers["content-type"] = "application/json"
    body = None
    if entry.json_body is not None:
        body = writer.json(entry.json_body, f"{key}.json")
    elif entry.body is not None:
        body = writer.text(entry.body, f"{key}.body")
    body_file = source.body_file(entry)
    check = source.checks.get(name) if key == f"requests.{name}" else None
    return Request(
        name=name,
        method=entry.method,
        path=writer.path(entry.path, f"{key}.{entry.method.lower()}"),
        headers=list(headers.items()),
        body=body,
        body_file=None if body_file is None else str(body_file),
        template=True,
        weight=entry.weight,
        think_seconds=entry.think_seconds,
        expect=_expectation(
            entry.expect,
            f"{key}.expect",
            check_every,
            writer,
            keeps_bodies=check is not None,
        ),
        body_check=check,
    )


def connection_setup(source: WorkloadSource, writer: TemplateWriter) -> list[SetupRequest]:
    """The setup requests that each connection sends for itself, as the engine's, in the order of the file.

    Raises:
        Problem: an environment variable that they name is not set.
    """
    requests = []
    for name, entry in source.model.connection_entries().items():
        request = engine_request(source, f"setup.{name}", name, entry, 1, writer)
        sources = {variable: parse_taken(text) for variable, text in entry.take.items()}
        requests.append(
            SetupRequest(
                name=name,
                method=request.method,
                path=request.path,
                headers=request.headers,
                body=request.body,
                body_file=request.body_file,
                template=True,
                expect=request.expect,
                take={
                    variable: Take(
                        pointer=where.pointer,
                        header=None if where.pointer is not None else where.header,
                        pattern=None if where.pattern is None else where.pattern.pattern,
                    )
                    for variable, where in sources.items()
                },
            )
        )
    return requests


def _expectation(
    expect: Expect, key: str, check_every: int, writer: TemplateWriter, *, keeps_bodies: bool
) -> Expectation:
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
        keep_bodies=True if keeps_bodies else None,
    )
