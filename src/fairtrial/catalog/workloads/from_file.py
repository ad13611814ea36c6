"""A workload file as a workload that servers can be tried on."""

from collections.abc import Mapping, Sequence

from fairtrial.catalog.contract.answer import client_of
from fairtrial.catalog.contract.every_stack import ANY_SERVER
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.as_expected import clause, expects_nothing
from fairtrial.catalog.workloads.model import Comparable, DatabaseState, ServerWorkload
from fairtrial.catalog.workloads.sent_requests import Scalar, sent_requests, without_first
from fairtrial.catalog.workloads.setup_requests import send_setup
from fairtrial.engine.plan import GivenRows, Request
from fairtrial.experiment.workload_file.model import RequestEntry
from fairtrial.experiment.workload_file.read import WorkloadSource
from fairtrial.record.identity import WorkloadIdentity

CHECK_EVERY = 16
"""In trials, as of the answers to the lab's own workloads: docs/engine-protocol.md."""

SAFE_METHODS = ("GET", "HEAD")
"""Of requests that change no state (RFC 9110, section 9.2.1): they can be sent again."""

VARYING = ("row", "uniform", "zipf")


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

    entries = source.requests
    of_connections = {table for entry in source.connection_setup.values() for table in entry.row_tables}
    used_rows: dict[str, int] = dict.fromkeys(contract.rows, 0)
    clauses = []
    for request, entry in zip(contract.requests, entries.values(), strict=True):
        rows = {
            name: without_first(given_rows, used_rows[name])
            for name, given_rows in contract.rows.items()
            if name in entry.row_tables | of_connections
        }
        requirement = f"{entry.method} {entry.path} is answered as the workload file expects"
        clauses.append(clause(request, rows, contract.secrets, requirement, contract.setup))
        for name in entry.row_tables:
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
        ready=source.model.ready,
        stack_clauses=ANY_SERVER,
        identity=_identity(source, contract.requests),
        given_rows={name: without_first(given_rows, used_rows[name]) for name, given_rows in load.rows.items()},
        secrets=load.secrets,
        state=_state(source),
        set_up=set_up if source.setup else None,
        setup=load.setup,
        thinking=[name for name, entry in entries.items() if entry.think is not None],
        comparable=_comparable(source, contract.requests, contract.rows),
    )


def _state(source: WorkloadSource) -> DatabaseState:
    """The state that a workload file describes."""
    model = source.model
    return DatabaseState(source.file.parent.absolute(), source.data, model.reset, source.reset_file, model.audit)


def _comparable(source: WorkloadSource, requests: Sequence[Request], rows: Mapping[str, GivenRows]) -> Comparable:
    """The comparable parts of a workload file.

    Args:
        requests, rows: as the engine sends them.
    """
    entries = source.requests
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
        requests=[request.model_copy(update={"weight": 1, "compared": True}) for request in requests],
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
        requests={name: f"{entry.method} {entry.path}" for name, entry in source.model.requests.items()},
        audits={name: audit.proven for name, audit in source.model.audit.items()},
        accepts_anything=[
            name for name, check in source.checks.items() if check.schema and check.schema.accepts_anything
        ],
        expects_nothing=[request.name for request in requests if expects_nothing(request)],
    )
