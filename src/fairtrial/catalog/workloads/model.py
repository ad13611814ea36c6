"""A workload: requests to a server, or a job for a program."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

import httpx

from fairtrial.base.strict import Strict
from fairtrial.catalog.contract.clause import ClauseTest
from fairtrial.catalog.contract.every_stack import EVERY_STACK
from fairtrial.catalog.tables import Data, Table
from fairtrial.engine.nonce import nonce_of
from fairtrial.engine.plan import GivenRows, Request, SetupRequest
from fairtrial.experiment.model import DatasetOptions
from fairtrial.experiment.ready import HEALTH, Ready
from fairtrial.experiment.workload_file.normalisation import Normalisation
from fairtrial.experiment.workload_file.rows import RowTable
from fairtrial.experiment.workload_file.state import AuditEntry, Reset
from fairtrial.experiment.workload_file.texts import Cookies
from fairtrial.experiment.workload_file.websocket import WebSocket
from fairtrial.record.identity import WorkloadIdentity
from fairtrial.record.proof import WriteFault


class NoOptions(Strict):
    """The options of a workload that has none."""


def no_tables(_dataset: DatasetOptions, _options: object) -> Data:
    """The data of a workload that needs none."""
    return Data()


@dataclass(frozen=True)
class Work:
    """The least work that one verified answer implies, by the names of `record.proof.Ledger`.

    A stack may do more, and is slower by its own choice. A stack that does less has not done the work.
    """

    reads: float = 0.0
    rows_read: float = 0.0
    writes: float = 0.0
    rows_written: float = 0.0
    commits: float = 0.0
    writing_commits: float = 0.0
    bytes_sent: float = 0.0
    computations: float = 0.0
    """which nobody counts: figures of such a workload say that its work is not proven"""
    calls: float = 0.0
    tasks: float = 0.0
    steps: float = 0.0
    background_commits: float = 0.0
    statement_milliseconds: float = 0.0


class StoredRows(Protocol):
    """An audit's view of a service: a part of `services.model.RunningService`."""

    def rows(self, table: str) -> Any:
        """All rows of a table, as dictionaries by column name."""


@dataclass(frozen=True)
class Acknowledged:
    """The numbered requests that were answered correctly: docs/engine-protocol.md, "writes".

    Of the request `name`, the numbers from 1 to `last_numbers[name]` were sent; those in `not_acknowledged[name]` got
    no correct answer.
    """

    last_numbers: Mapping[str, int]
    not_acknowledged: Mapping[str, frozenset[int]]
    nonce_key: str = field(default="", repr=False)

    def nonce(self, label: str, number: int) -> str:
        """The number that the engine sent for `{{nonce LABEL 1}}` in the request of this number."""
        return nonce_of(self.nonce_key, label, number)

    @property
    def count(self) -> int:
        """How many requests were acknowledged."""
        return sum(last - len(self.not_acknowledged[name]) for name, last in self.last_numbers.items())


def write_faults(examples: Mapping[str, Sequence[str]]) -> list[WriteFault]:
    """One fault for each kind that has examples: their count, and the first of them."""
    return [WriteFault(kind=kind, count=len(texts), example=texts[0]) for kind, texts in examples.items() if texts]


@dataclass(frozen=True)
class DatabaseState:
    """A database's state before a trial, and the one demanded after it: docs/workload-file.md, "State"."""

    folder: Path = Path()
    """in which commands are run: that of the workload file"""
    data: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    """by service, the files that it is loaded from"""
    reset: Reset | None = None
    reset_file: Path | None = None
    """the SQL of the reset, where it is SQL"""
    audits: Mapping[str, AuditEntry] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparable:
    """The requests of a workload file, as they are put to the reference and to other contenders."""

    file: Path
    table: str
    """of the file, in which the normalisation stands"""
    normalisation: Normalisation
    requests: Sequence[Request]
    """all of them, each with the weight 1"""
    rows: Mapping[str, GivenRows]
    most_in_turn: int | None
    """so many instances of each can be sent before rows that are taken once run out; None: as many as one likes"""
    under_load: Sequence[str]
    """names of those that can be sent again and again: their answers are compared during the load, too"""
    has_varying: bool
    """whether one of these is not always the same request"""
    row_files: Mapping[str, RowTable]
    """by the names of `[rows.NAME]`"""


@dataclass(frozen=True)
class InBodies:
    """How rows stand in the bodies that are expected byte for byte."""

    rows: Callable[[Data, Sequence[str]], Sequence[Mapping[str, Any]]]
    """from the paths that are requested, the rows that their answers hold"""
    spelling: Callable[[str], str]
    """how the body spells a row's text, with so much around it that nothing else in the body looks like it"""


@dataclass(frozen=True)
class FreshnessProbe:
    """A row that the lab changes while the stack serves, and the path whose answer has to show the new value."""

    table: str
    column: str
    path: Callable[[Data, int], str]
    """what to GET for a key; the changed text must be in the answer's body or in its Location header"""
    spot_check: Callable[[Data, int], Request] | None = None
    """asks for the row with a key, and expects what the dataset says; None: the load asks for these paths anyway"""
    in_bodies: InBodies | None = None
    """where the engine expects exact bodies; None: it finds a row's text by the row's id"""


@dataclass(frozen=True, kw_only=True)
class BaseWorkload:
    """The two kinds of workload share this. What an experiment decides is a function of the workload's options.

    What is said of requests and connections is empty for a program.
    """

    kind: ClassVar[Literal["server", "program"]]
    """of the stacks that can be tried on it"""
    name: str
    title: str
    services: Sequence[str] = ()
    """names of the services that the workload can run on; "none" is no database. Empty: any service and any stack"""
    data: Callable[[DatasetOptions, Any], Data]
    """the tables that each trial begins with"""
    rows: int = 0
    """default size of the dataset; 0: it has none, or one of fixed size"""
    check_rows: int | None = None
    """size of the dataset for `fairtrial check`, where as many as usual would cost much and show nothing more"""
    options: type[Strict] = NoOptions
    """the model of the experiment's `[options]`"""
    work: Callable[[Any], Work] = lambda _options: Work()
    """the least work that one answer, or one operation of a program, implies"""
    work_in_tables: Callable[[Any], Mapping[str, float]] = lambda _options: {}
    """the same by table, where the database counts by table: `rows_read.TABLE` and `rows_written.TABLE`, or statements
    alone, `reads.TABLE` and `writes.TABLE`; `table_reads`, `table_transactions`: statements and transactions
    that look at any"""
    writes: bool = False
    """whether tables are changed, so that each trial begins with new ones"""
    audit: Callable[[Data, Any, Acknowledged, StoredRows], tuple[int, list[WriteFault]]] | None = None
    """returns how many rows are stored, and what is wrong with them; None: nothing is stored"""
    upstream: Callable[[Any], Sequence[str]] | None = None
    """arguments of the engine's target that serves as upstream; None: the workload calls none"""
    environment: Callable[[Any], Mapping[str, str]] = lambda _options: {}
    """environment variables that stacks get in addition to those of docs/stack-contract.md"""
    identity: WorkloadIdentity | None = None
    """the workload file, as the record has it; None: the workload is shipped"""
    secrets: Mapping[str, str] = field(default_factory=dict)
    """by the name of an environment variable, its value in the requests, which nobody may see"""
    state: DatabaseState = field(default_factory=DatabaseState)
    """what is loaded and reset before a trial, and asked after it, beside `data` and `audit`"""
    only_waits: Callable[[Any], bool] = lambda _options: False
    """whether each request, or operation, is a wait for a delay or a sleep and nothing else"""
    given_rows: Mapping[str, GivenRows] = field(default_factory=dict)
    """the rows of which requests take cells, by the name of their placeholder"""
    setup: Sequence[SetupRequest] = ()
    """what each connection sends before any other request"""
    cookies: Cookies | None = None
    """who keeps those that answers set; None: nobody"""
    websocket: WebSocket | None = None
    """how answers find their messages; None: requests are HTTP's"""
    calls_grpc: bool = False
    """whether requests are calls by gRPC, so that nothing need be answered over HTTP/1.1"""
    thinking: Sequence[str] = ()
    """names of the requests that have a think time of their own, and that no step of a journey follows"""
    journeys: Sequence[str] = ()
    """names of the journeys of which some requests are steps, in their order"""
    set_up: "Callable[[httpx.Client, str | None], ServerWorkload] | None" = None
    """sends the setup requests of the load by a client, with this Host header, and gives the workload with
    what they answered; raises Problem if an answer is not as expected. None: there are none"""
    part: "Callable[[str], ServerWorkload] | None" = None
    """the workload with a part of its mix, which `requests` of the experiment names; raises Problem if there is no such
    part. None: the mix is as it is"""
    comparable: Comparable | None = None
    """what of it can be compared with the answers of another server; None: the workload itself says what is right"""
    least_answer_seconds: Callable[[Any], Mapping[str, float]] = lambda _options: {}
    """by the name of a request, the delays and sleeps that its answer contains; one without any may be missing"""
    sleeping_seconds: Callable[[Any], Mapping[str, float]] = lambda _options: {}
    """by the name of a request, how long the database sleeps, or works at least, for its answer, within statements"""
    work_by_request: Callable[[Any], Mapping[str, Mapping[str, float]]] = lambda _options: {}
    """by the name of a request, what its answer implies in tables beside `work_in_tables`, by the same names"""
    cache: Sequence[str] = ()
    """services of which one runs beside the database as a cache; empty: the workload needs none"""
    least_seconds: Callable[[Any], float] = lambda _options: 0.0
    """how long waiting alone takes a program at least, with as many waits at once as the options allow"""
    check_options: Sequence[Mapping[str, Any]] = ({},)
    """the options under which `fairtrial check` tries it, one after the other"""


@dataclass(frozen=True, kw_only=True)
class ServerWorkload(BaseWorkload):
    """A workload of requests that servers answer."""

    kind = "server"
    requests: Callable[[Data, Any], list[Request]]
    """what the engine sends, and what it expects of each answer"""
    clauses: Sequence[ClauseTest]
    """what the workload asks of a stack, tried before the load"""
    stack_clauses: Sequence[ClauseTest] = EVERY_STACK
    """what it asks before, whatever the requests"""
    freshness: FreshnessProbe | None = None
    """None: the workload reads nothing that could be stale"""
    keys_drawn_from: str = ""
    """the table of which the engine draws a key for each request, all equally likely; empty: there is none"""
    ready: Ready = HEALTH
    """when a server counts as ready, unless its stack says so itself"""


@dataclass(frozen=True, kw_only=True)
class ProgramWorkload(BaseWorkload):
    """A job that programs do from start to end, without serving requests."""

    kind = "program"
    operations: Callable[[Any], int]
    """how many operations the job consists of"""
    options_under: Callable[[Any, Mapping[str, int]], Any] = lambda options, _numbers: options
    """the options that describe the job as a program does it whose variables hold these numbers, by name"""
    background: Callable[[Any], Table | None] = lambda _options: None
    """the table in which the lab changes rows all the time while the program runs; None: it does not"""
    barrier_tasks: Callable[[Any], int] | None = None
    """how many tasks report to the lab's barrier, and wait there until all have; None: none do"""
    last_token: Callable[[Any, int], int] | None = None
    """from the options and the token that the lab gives to the first task, the token that the last task gives back; an
    operation is a step of the token from task to task. None: there is no token"""


Workload = ServerWorkload | ProgramWorkload
