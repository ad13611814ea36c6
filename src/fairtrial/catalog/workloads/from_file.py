"""A workload file as the engine's requests, and as a workload that servers can be tried on."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairtrial.catalog.contract.answer import client_of
from fairtrial.catalog.contract.every_stack import ANY_SERVER
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.as_expected import clause
from fairtrial.catalog.workloads.comparable import comparable_parts
from fairtrial.catalog.workloads.expected import expects_nothing
from fairtrial.catalog.workloads.file_request import connection_setup, engine_request
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.catalog.workloads.setup_requests import secrets_among, send_setup
from fairtrial.catalog.workloads.state import state_of
from fairtrial.catalog.workloads.written import Scalar, TemplateWriter
from fairtrial.engine.plan import GivenRows, Pick, Request, SetupRequest
from fairtrial.experiment.workload_file.model import RequestEntry, Rows, rows_in
from fairtrial.experiment.workload_file.placeholders import Placeholder, placeholders_in
from fairtrial.experiment.workload_file.read import WorkloadSource
from fairtrial.experiment.workload_file.rows import RowTable
from fairtrial.record.identity import WorkloadIdentity

CHECK_EVERY = 16
"""In trials, as of the answers to the lab's own workloads: docs/engine-protocol.md."""

UNKNOWN = "unknown"
"""In place of a variable before the setup requests were sent. Requests that hold it are never sent to a stack."""


@dataclass(frozen=True)
class SentRequests:
    """The requests of a workload file as the engine sends them, with the values of environment variables in them."""

    requests: Sequence[Request]
    rows: Mapping[str, GivenRows]
    secrets: Mapping[str, str]
    """those values, by name"""
    setup: Sequence[SetupRequest] = ()
    """what each connection sends first"""


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
    values = dict.fromkeys(source.variables, UNKNOWN) if variables is None else variables
    fixed = {Placeholder("var", (name,)): value for name, value in values.items()}
    writer = TemplateWriter(source.prefix, os.environ if environment is None else environment, numbers_taken, fixed)
    entries = source.model.entries()
    requests = [
        engine_request(source, f"requests.{name}", name, entry, check_every, writer) for name, entry in entries.items()
    ]
    given_rows = {
        name: _without_first(_engine_rows(rows, source.rows[name]), source.rows_of_setup(name))
        for name, rows in source.model.rows.items()
        if name in source.model.rows_of_requests() | source.model.rows_of_connections()
    }
    setup = connection_setup(source, writer)
    return SentRequests(requests, given_rows, {**writer.used, **(secrets_among(variables or {}))}, setup)


def workload_from_file(
    source: WorkloadSource,
    environment: Mapping[str, str] | None = None,
    variables: Mapping[str, Scalar] | None = None,
) -> ServerWorkload:
    """The workload that a file describes.

    Its clauses send each request once. What they take is not given again to the load: the first number of a sequence,
    and of rows that are taken once one for each request that takes one.

    Args:
        environment: variables by name; None: this process's own.
        variables: as for `sent_requests`.

    Raises:
        Problem: an environment variable that the file names is not set.
    """
    contract = sent_requests(source, check_every=1, environment=environment, variables=variables)
    load = sent_requests(source, check_every=CHECK_EVERY, environment=environment, numbers_taken=1, variables=variables)

    def set_up(url: str, host: str | None) -> ServerWorkload:
        return workload_from_file(source, environment, send_setup(source, client_of(url), host, environment))

    entries = source.model.entries()
    used_rows: dict[str, int] = dict.fromkeys(contract.rows, 0)
    clauses = []
    for request, entry in zip(contract.requests, entries.values(), strict=True):
        tables = {each.arguments[0] for _, each in rows_in(entry.sent_texts())}
        tables_of_request = tables | source.model.rows_of_connections()
        rows = {
            name: _without_first(given_rows, used_rows[name])
            for name, given_rows in contract.rows.items()
            if name in tables_of_request
        }
        requirement = f"{entry.method} {entry.path} is answered as the workload file expects"
        clauses.append(clause(request, rows, contract.secrets, requirement, contract.setup))
        for name in tables:
            used_rows[name] += 1
    requests = [
        request.model_copy(update={"acknowledge": _has_sequence(entry)})
        for request, entry in zip(load.requests, entries.values(), strict=True)
    ]
    return ServerWorkload(
        name=source.name,
        title=source.model.title or source.name,
        data=lambda _dataset, _options: Data(files=source.data),
        requests=lambda _data, _options: requests,
        clauses=clauses,
        writes=True,  # what requests change is not known
        ready=source.model.ready,
        stack_clauses=ANY_SERVER,
        identity=_identity(source, contract.requests),
        given_rows={name: _without_first(given_rows, used_rows[name]) for name, given_rows in load.rows.items()},
        secrets=load.secrets,
        state=state_of(source),
        set_up=set_up if source.model.load_entries() else None,
        setup=load.setup,
        thinking=[name for name, entry in entries.items() if entry.think is not None],
        comparable=comparable_parts(source, contract.requests, contract.rows),
    )


def _engine_rows(rows: Rows, table: RowTable) -> GivenRows:
    exponent = rows.zipf_exponent
    pick = Pick.model_validate({"kind": rows.pick if exponent is None else "zipf", "exponent": exponent})
    file = str(table.file) if table.lines is None else None
    return GivenRows(pick=pick, file=file, lines=None if table.lines is None else list(table.lines))


def _without_first(rows: GivenRows, number: int) -> GivenRows:
    """The rows that are left: all, unless each is taken once."""
    return rows.model_copy(update={"skip": rows.skip + number}) if rows.pick.kind == "once" else rows


def _has_sequence(entry: RequestEntry) -> bool | None:
    """Whether its numbers are kept, so that several loads of one trial send none of them twice."""
    texts = (text for _, text in entry.sent_texts())
    return True if any(each.name == "sequence" for text in texts for each in placeholders_in(text)) else None


def _identity(source: WorkloadSource, requests: Sequence[Request]) -> WorkloadIdentity:
    return WorkloadIdentity(
        name=source.name,
        title=source.model.title,
        sha256=source.sha256,
        requests={name: f"{entry.method} {entry.path}" for name, entry in source.model.requests.items()},
        audits={name: audit.proven for name, audit in source.model.audit.items()},
        accepts_anything=[
            name for name, check in source.checks.items() if check.schema and check.schema.accepts_anything
        ],
        expects_nothing=[request.name for request in requests if expects_nothing(request)],
    )
