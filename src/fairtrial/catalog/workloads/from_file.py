"""A workload file as a workload that servers can be tried on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import httpx

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest
from fairtrial.catalog.contract.every_stack import ANY_SERVER, LISTENS_ON_HOST
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.grpc_rows import drawn_table
from fairtrial.catalog.workloads.model import Comparable, DatabaseState, ServerWorkload
from fairtrial.catalog.workloads.sent_requests import sent_requests, thinking_last, without_first
from fairtrial.catalog.workloads.setup_requests import send_setup
from fairtrial.engine.grpc_plan import GrpcEnd, MessageBody
from fairtrial.engine.plan import (
    AnyBody,
    BodyRange,
    DigestBody,
    EchoBody,
    EventsBody,
    ExactBody,
    Expectation,
    GivenRows,
    JsonBody,
    Request,
)
from fairtrial.engine.run import run_engine
from fairtrial.engine.sent_requests import SentRequests
from fairtrial.experiment.ready import SPEAKS_HTTP2
from fairtrial.experiment.workload_file.grpc_call import STATUSES
from fairtrial.experiment.workload_file.journeys import by_user
from fairtrial.experiment.workload_file.mix import part_of_mix
from fairtrial.experiment.workload_file.model import RequestEntry
from fairtrial.experiment.workload_file.placeholders import Scalar
from fairtrial.experiment.workload_file.read import WorkloadSource
from fairtrial.experiment.workload_file.websocket import is_broadcast
from fairtrial.load.engine_terms import Closed
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.identity import WorkloadIdentity
from fairtrial.record.protocol_causes import cause_remedy
from fairtrial.record.status_causes import CLASS_REMEDIES, statuses_remedy

CHECK_EVERY = 16
"""In trials, as of the answers to the lab's own workloads: docs/engine-protocol.md."""

SAFE_METHODS = ("GET", "HEAD")
"""Of requests that change no state (RFC 9110, section 9.2.1): they can be sent again."""

ANY_ANSWER = "any answer with 2xx (gRPC: OK) is right"
VARYING = ("row", "uniform", "zipf")


def workload_from_file(
    source: WorkloadSource,
    environment: Mapping[str, str] | None = None,
    variables: Mapping[str, Scalar] | None = None,
) -> ServerWorkload:
    """The workload that a file describes.

    Its clauses send each request once, the steps of a journey as one user does. What they take is not given again to
    the load: the first number of a sequence, and of rows that are taken once one for each request that takes one.

    Args:
        environment: variables by name; None: this process's own.
        variables: as for `sent_requests`.

    Raises:
        Problem: an environment variable that the file names is not set.
    """
    contract = sent_requests(source, check_every=1, environment=environment, variables=variables)
    load = sent_requests(source, check_every=CHECK_EVERY, environment=environment, numbers_taken=1, variables=variables)

    def set_up(client: httpx.Client, host: str | None) -> ServerWorkload:
        return workload_from_file(source, environment, send_setup(source, client, host, environment))

    def part(name: str) -> ServerWorkload:
        requests = part_of_mix(source.requests, name, source.name)
        return workload_from_file(replace(source, requests=requests), environment, variables)

    entries = source.requests
    calls_grpc = any(entry.grpc is not None for entry in entries.values())
    says_when_ready = "ready" in source.model.model_fields_set
    of_connections = {table for entry in source.connection_setup.values() for table in entry.row_tables}
    used_rows: dict[str, int] = dict.fromkeys(contract.rows, 0)
    clauses = []
    for steps in by_user(contract.requests, lambda each: each.journey):
        step_entries = [entries[request.name] for request in steps]
        draws = [drawn_table(f"requests.{request.name}") for request in steps]
        rows = {
            name: without_first(given_rows, used_rows[name])
            for name, given_rows in contract.rows.items()
            if name in of_connections.union(draws, *(entry.row_tables for entry in step_entries))
        }
        clauses.append(_clause(steps, replace(contract, rows=rows), _requirement(step_entries)))
        for name in (name for entry in step_entries for name in entry.row_tables):
            used_rows[name] += 1
    # The numbers of a sequence are kept, so that several loads of one trial send none of them twice.
    requests = [
        request.model_copy(update={"acknowledge": True if entry.sends("sequence") else None})
        for request, entry in zip(load.requests, entries.values(), strict=True)
    ]
    return ServerWorkload(
        name=source.name,
        title=source.model.title or source.name,
        data=lambda _dataset, _options: Data(files=source.data),
        requests=lambda _data, _options: requests,
        clauses=clauses,
        writes=True,  # what requests change is not known
        ready=SPEAKS_HTTP2 if calls_grpc and not says_when_ready else source.model.ready,
        stack_clauses=(LISTENS_ON_HOST,) if calls_grpc else ANY_SERVER,
        identity=_identity(source, contract.requests),
        given_rows={name: without_first(given_rows, used_rows[name]) for name, given_rows in load.rows.items()},
        secrets=load.secrets,
        state=_state(source),
        set_up=set_up if source.setup else None,
        part=part,
        setup=load.setup,
        cookies=load.cookies,
        websocket=load.websocket,
        calls_grpc=calls_grpc,
        thinking=thinking_last(requests),
        journeys=_journeys(entries),
        comparable=_comparable(source, contract.requests, contract.rows),
    )


def _journeys(entries: Mapping[str, RequestEntry]) -> list[str]:
    return list(dict.fromkeys(entry.journey for entry in entries.values() if entry.journey is not None))


def _requirement(steps: Sequence[RequestEntry]) -> str:
    """The requirement of a clause: that a request is answered as expected, or each step of a journey."""
    requests = [entry.in_words for entry in steps]
    if steps[0].journey is None:
        return f"{requests[0]} is answered as the workload file expects"
    return f"{', then '.join(requests)}: one user is answered as the workload file expects"


def _state(source: WorkloadSource) -> DatabaseState:
    """The state that a workload file describes."""
    model = source.model
    return DatabaseState(source.file.parent.absolute(), source.data, model.reset, source.reset_file, model.audit)


def _comparable(
    source: WorkloadSource, requests: Sequence[Request], rows: Mapping[str, GivenRows]
) -> Comparable | None:
    """The comparable parts of a workload file: not steps of journeys, which send what each user was given, nor requests
    of which several answers make one. None: there are no other requests, users keep cookies, or requests are messages.

    Args:
        requests, rows: as the engine sends them.
    """
    entries = {
        name: entry
        for name, entry in source.requests.items()
        if entry.journey is None and not entry.follow_redirects and entry.renew is None
    }
    if not entries or source.model.cookies is not None or source.model.sends_messages:
        return None
    under_load = [name for name, entry in entries.items() if _can_be_sent_again(entry, rows)]
    takers: dict[str, int] = {}
    for entry in entries.values():
        for table in entry.row_tables:
            takers[table] = takers.get(table, 0) + 1
    most = [
        (source.rows[name].count - given_rows.skip) // takers[name]
        for name, given_rows in rows.items()
        if given_rows.pick.kind == "once"
    ]
    return Comparable(
        file=source.file,
        table=source.reference_table,
        normalisation=source.model.reference,
        requests=[
            request.model_copy(update={"weight": 1, "compared": True})
            for request in requests
            if request.name in entries
        ],
        rows=rows,
        most_in_turn=min(most, default=None),
        under_load=under_load,
        has_varying=any(entries[name].sends(*VARYING) for name in under_load),
        row_files=source.rows,
    )


def _can_be_sent_again(entry: RequestEntry, rows: Mapping[str, GivenRows]) -> bool:
    takes_once = any(rows[table].pick.kind == "once" for table in entry.row_tables)
    return entry.method in SAFE_METHODS and not takes_once and not entry.sends("sequence")


def _identity(source: WorkloadSource, requests: Sequence[Request]) -> WorkloadIdentity:
    return WorkloadIdentity(
        name=source.name,
        title=source.model.title,
        sha256=source.sha256,
        requests={name: entry.in_words for name, entry in source.requests.items()},
        journeys=_journeys(source.requests),
        audits={name: audit.proven for name, audit in source.model.audit.items()},
        accepts_anything=[
            name for name, check in source.checks.items() if check.schema and check.schema.accepts_anything
        ],
        expects_nothing=[request.name for request in requests if expects_nothing(request)],
    )


def _clause(steps: Sequence[Request], contract: SentRequests, requirement: str) -> ClauseTest:
    """The clause that one request is answered as expected, or each step of a journey, named after the request or the
    journey.

    The engine itself sends them and verifies the answers: the load is then judged in the same way.

    Args:
        contract: the requests of the workload file, with those tables alone that these steps take rows of.
        requirement: what the clause says.
    """

    def violation(stack: StackUnderTest) -> str | None:
        more: dict[str, object] = {
            "setup": list(contract.setup),
            "rows": dict(contract.rows),
            "secrets": dict(contract.secrets),
            "cookies": contract.cookies,
            "websocket": contract.websocket,
        }
        if is_broadcast(contract.websocket):
            more["load"] = Closed(connections=2)  # a message goes from one to the other
        at_once = [step.model_copy(update={"think_seconds": None}) for step in steps]
        summary = run_engine(stack.plan_of(*at_once).model_copy(update=more), lambda _event: None)
        stack.on_summary(summary)
        if summary.verified == len(steps):
            return None
        verified = {share.name for share in summary.mix if share.verified}
        wrong = next(step for step in steps if step.name not in verified)
        where = "" if journey is None else f"{wrong.name}: "
        host = stack.client.base_url.netloc.decode()
        raise Problem(f"{where}{_what_came(summary, wrong.expect)}", _what_helps(summary, host))

    journey, are_messages = steps[0].journey, contract.websocket is not None
    if journey is None:
        return ClauseTest(steps[0].name, requirement, violation, expected=_in_words(steps[0], are_messages))
    expected = ". ".join(f"{step.name}: {_in_words(step, are_messages)}" for step in steps)
    return ClauseTest(journey, requirement, violation, expected=expected)


def _what_came(summary: EngineSummary, expect: Expectation) -> str:
    """The answer in place of the expected one: `status 404, not 200: Not Found`."""
    kind = next((kind for kind, number in summary.errors.items() if number), "no answer")
    if not summary.examples:
        return kind.replace("_", " ")
    example = summary.examples[0]
    if summary.setup_requests is not None and any(summary.setup_requests.failures.values()):
        return example.what
    what = example.what
    if kind == "status_grpc" and expect.grpc is not None:
        return f"not {_statuses_of(expect.grpc)}, but {printable(example.reason or '', 120)}"
    if kind.startswith("status_"):
        statuses = " or ".join(map(str, expect.status or [])) or "a 2xx"
        what = f"status {example.status}, not {statuses}"
    elif kind == "wrong_header":
        what = f"status {example.status}, and {printable(example.reason or '', 200)}"
    elif kind == "wrong_length" and summary.answers == 1 and summary.body_bytes and expect.body_bytes is not None:
        length = f"{expect.body_bytes.min:,} to {expect.body_bytes.max:,}"
        what = f"status {example.status}, and the body has {count(summary.body_bytes.min, 'byte')}, not {length}"
    return f"{what}: {printable(example.excerpt, 120)}"


def _what_helps(summary: EngineSummary, host: str) -> str:
    """The remedy for an unexpected status, or for what broke the connection; empty where the answer tells."""
    kind = next((kind for kind, number in summary.errors.items() if number), "")
    if kind in CLASS_REMEDIES:
        return statuses_remedy(kind, summary, host)
    return cause_remedy(summary, kind, "")


def expects_nothing(request: Request) -> bool:
    """Whether any answer with 2xx is right, and to a call any that ends with OK, whatever its body."""
    expect = request.expect
    if expect.grpc is not None:
        is_ok = expect.grpc.status == [STATUSES.index("OK")] and expect.trailer is None
        return is_ok and not _looks_into_messages(expect.body)
    expectations = (expect.status, expect.content_type, expect.trailer, expect.body_bytes, request.body_check)
    return all(each is None for each in expectations) and isinstance(expect.body, AnyBody)


def _looks_into_messages(body: object) -> bool:
    """Whether something is expected of a call's message, or of their stream."""
    if isinstance(body, EventsBody):
        what = (*(body.messages or ()), body.min, body.sequence, body.tokens)
        return any(what) or body.max is not None
    return isinstance(body, MessageBody) and bool(body.fields)


def _in_words(request: Request, is_message: bool) -> str:
    """`status 200; application/json; 500 to 4,000 bytes; /id, /kind; its schema`, or that any 2xx is right.

    Messages of a WebSocket have no status, and that of a call is 200 whatever it ends with.
    """
    if expects_nothing(request):
        return "any message is right" if is_message else ANY_ANSWER
    has_status = not is_message and request.expect.grpc is None
    return "; ".join([*([_status(request.expect)] if has_status else []), *_parts(request)])


def _status(expect: Expectation) -> str:
    return f"status {' or '.join(map(str, expect.status))}" if expect.status else "any 2xx"


def _parts(request: Request) -> Iterator[str]:
    expect, check = request.expect, request.body_check
    if expect.content_type is not None:
        yield expect.content_type
    if expect.trailer is not None:
        yield f"a trailer with {', '.join(expect.trailer)}"
    if expect.body_bytes is not None:
        yield _length(expect.body_bytes)
    if isinstance(expect.body, ExactBody | DigestBody):
        yield "the whole body"
    if isinstance(expect.body, EchoBody):
        yield "the message itself"
    if isinstance(expect.body, JsonBody):
        yield _places(expect.body.values)
    if expect.grpc is not None:
        yield _statuses_of(expect.grpc)
    if isinstance(expect.body, MessageBody) and expect.body.fields:
        yield ", ".join(field.name for field in expect.body.fields)
    if isinstance(expect.body, EventsBody):
        yield from _stream(expect.body)
    if check is not None and check.schema is not None:
        yield "a schema that accepts any answer" if check.schema.accepts_anything else "its schema"
    if check is not None and check.matches:
        yield f"patterns at {_places(check.matches)}"


def _statuses_of(end: GrpcEnd) -> str:
    return " or ".join(STATUSES[status] for status in end.status)


def _length(allowed: BodyRange) -> str:
    return count(allowed.min, "byte") if allowed.min == allowed.max else f"{allowed.min:,} to {allowed.max:,} bytes"


def _events(body: EventsBody, noun: str = "event") -> str:
    if body.max is None:
        return f"at least {count(body.min, noun)}"
    return count(body.min, noun) if body.min == body.max else f"{body.min:,} to {body.max:,} {noun}s"


def _stream(body: EventsBody) -> Iterator[str]:
    if body.messages is None:
        yield _events(body)
    elif body.min or body.max is not None:
        yield _events(body, "message")
    names = dict.fromkeys(field.name for message in body.messages or () for field in message)
    if names:
        yield f"{', '.join(names)} of each message"


def _places(pointers: Mapping[str, object]) -> str:
    return ", ".join(pointer or "the whole body" for pointer in pointers)
