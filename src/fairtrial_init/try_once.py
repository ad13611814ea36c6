"""The service tried once, as `fairtrial run` would try it, for two seconds: built, started, asked, loaded, stopped."""

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
from rich.console import Console

from fairtrial.base.exit_status import INTERRUPTED, NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.timed_step import timed_step
from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.every_stack import LISTENS_ON_HOST
from fairtrial.catalog.stacks.build import NO_NETWORK, SEE_TO_NETWORK
from fairtrial.catalog.stacks.contenders import with_contenders
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.kinds import make_ready
from fairtrial.catalog.stacks.requests import BuildRequest
from fairtrial.engine.plan import Request
from fairtrial.experiment.files import load_experiment
from fairtrial.lab.placement import local_placement
from fairtrial.lab.private_network import network_of
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.environment import trial_environment
from fairtrial.lab.trial.flow import new_record
from fairtrial.lab.trial.up import NotUp, UpContender, up
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan, PlannedCondition, PlannedTrial
from fairtrial.record.model import Clause
from fairtrial.tools.load.measure import Measurement, measure
from fairtrial.tools.load.request.options import LoadOptions
from fairtrial.tools.load.request.translate import to_engine_plan
from fairtrial_init.database import database_remedy
from fairtrial_init.error_page import page_in_words
from fairtrial_init.port_watch import PortWatch

LOAD_SECONDS = 2.0
FIRST_FREE_PORT = 32_768
"""From here on Linux chooses the ports that programs get by PORT; what a source writes is below."""
NO_MODULE = re.compile(r"No module named '?([\w.\-]+)|Cannot find (?:module|package) '([^']+)'")
"""Of Python, and of Node.js."""
NOT_WRITTEN = re.compile(
    r"unable to open database file|readonly database|[Rr]ead-only file system|[Pp]ermission denied|\b(?:EACCES|EROFS)\b"
)
"""Of SQLite, of system calls (strerror(3)), and of Node.js."""


@dataclass
class Attempt:
    """The observations of one try."""

    start_up_seconds: float
    clauses: Sequence[Clause]
    """clauses of any server first, then one for each request"""
    requests: frozenset[str]
    """the names of the requests: the clauses of these names are theirs"""
    measurement: Measurement | None = None
    """None: no request was answered as it should be, and no load was offered"""
    pages: dict[str, str] = field(default_factory=dict)
    """by request, what a page of HTML says that came instead of the answer"""
    log: Path | None = None
    """its output, kept where a request failed"""
    exit_status: int | None = None
    """None: it still ran when all was asked"""

    @property
    def broken(self) -> list[Clause]:
        """The clauses that do not hold."""
        return [clause for clause in self.clauses if not clause.passed]

    @property
    def answered(self) -> int:
        """How many requests were answered as they should be."""
        return sum(clause.passed for clause in self.clauses if clause.name in self.requests)

    @property
    def failed_requests(self) -> list[str]:
        """The names of the requests that were not."""
        return [clause.name for clause in self.broken if clause.name in self.requests]

    @property
    def listens_elsewhere(self) -> bool:
        """Whether others than this machine could reach it, which refuses a trial."""
        return any(clause.name == LISTENS_ON_HOST.name for clause in self.broken)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the load."""
        return self.measurement is not None and self.measurement.exit_status == INTERRUPTED


def try_once(
    file: Path, workload: Path, console: Console | None, on_start: Callable[[str, Console], None] | None = None
) -> Attempt:
    """Try the first contender of an experiment once. Nothing of it runs on afterwards.

    Args:
        file: the experiment.
        workload: its workload file.
        console: on which its steps are told; None: standard output.
        on_start: is called with its URL when it has started, and may write the workload file anew.

    Raises:
        Problem: the files do not fit, a variable that they name is not set, or the service could not be built or
            started; the reason holds the last lines of its output.
    """
    console = console or Console(highlight=False)
    plan = _planned(file)
    condition = plan.conditions[0]
    logs, is_of_use = Path(tempfile.mkdtemp(prefix="fairtrial-init-")), False
    try:
        folder = _built(condition, logs / "build.log", file, console)
        with network_of(plan, [condition.stack]), trial_environment(plan, local_placement()) as services:
            trial, log, service = PlannedTrial(1, 1, condition), logs / "run.log", services.service(condition)
            context = TrialContext(plan, trial, folder, services, service, new_record(trial), log)
            with _started(context, file, console) as contender:
                if on_start is not None:
                    on_start(contender.deployment.url, console)
                    plan = _planned(file)
                    contender.context = replace(context, plan=plan, trial=PlannedTrial(1, 1, plan.conditions[0]))
                with timed_step(console, "asking each request once"):
                    attempt = _try_requests(contender)
                if attempt.answered:
                    attempt.measurement = _loaded(contender.deployment.url, workload, console)
        if attempt.failed_requests:
            attempt.log, is_of_use = logs / "run.log", True
    except Problem:
        is_of_use = any(logs.iterdir())
        raise
    finally:
        if not is_of_use:
            shutil.rmtree(logs)
    return attempt


def _planned(file: Path) -> Plan:
    experiment = load_experiment(file)
    return make_plan(experiment, with_contenders(find_stacks(), experiment, file.parent, {}), file)


def _built(condition: PlannedCondition, log: Path, file: Path, console: Console) -> Path:
    commands = " && ".join(" ".join(command) for command in condition.stack.build)

    def on_building() -> None:
        if commands:
            telling.enter_context(timed_step(console, f"building (once for each content): {commands}"))

    try:
        with ExitStack() as telling:
            return make_ready(BuildRequest(condition.stack, log, on_building)).folder
    except Problem as problem:
        raise Problem(
            f"it could not be built: {problem.reason}",
            f"{_of_build(problem, file)}, then: fairtrial run {file} --quick; the whole output: {log}",
            NOTHING_RAN,
        ) from problem


@contextmanager
def _started(context: TrialContext, file: Path, console: Console) -> Iterator[UpContender]:
    """The service, up as in a trial."""
    with ExitStack() as running:
        with timed_step(console, "starting it"), PortWatch() as watch:
            try:
                contender = running.enter_context(up(context))
            except NotUp as error:
                remedy = _remedy(error, context.condition.stack.origin.port, watch.ports, file)
                raise Problem(
                    f"it did not start: {error.reason}", f"{remedy}; its whole log: {context.log}", NOTHING_RAN
                ) from error
            except OSError as error:
                raise Problem(f"it did not start: {error}", f"mend `command` in {file}", NOTHING_RAN) from error
        yield contender


def _remedy(problem: Problem, port: int | None, ports: set[int], file: Path) -> str:
    """The remedy for a service that is not ready."""
    in_source = {each for each in ports if each < FIRST_FREE_PORT} if port is None else ports - {port}
    elsewhere = sorted(in_source)
    if "is held by" in problem.reason:
        return problem.remedy
    if "was not ready" in problem.reason and elsewhere:
        return (
            f"it listened on port {', '.join(map(str, elsewhere))}: write `port = {elsewhere[0]}` in {file}, or "
            "let it take its port from the variable PORT"
        )
    again = f"mend `command`, `port` or `ready` in {file}, then: fairtrial run {file} --quick"
    if "was not ready" in problem.reason:
        again = f"give it more time by `ready_within_seconds`, or {again}"
    lacking = _of_modules(problem)
    if advice := f"{lacking}{again}" if lacking else database_remedy(problem.reason):
        return advice
    if NOT_WRITTEN.search(problem.reason):
        return f"it may write below TMPDIR and HOME, not beside its code: let it make its files there; or {again}"
    if "ended with status" in problem.reason:
        return f"it may lack a variable, which `env` or `env_from` gives it; or {again}"
    return again


def _of_build(problem: Problem, file: Path) -> str:
    """The beginning of a remedy for a build that failed."""
    if NO_NETWORK.search(problem.reason):
        return SEE_TO_NETWORK
    return f"{_of_modules(problem)}mend `build` in {file}"


def _of_modules(problem: Problem) -> str:
    """The beginning of a remedy for a program that lacks a module; empty for another one."""
    lacking = NO_MODULE.search(problem.reason)
    if lacking is None:
        return ""
    name = printable(lacking[1] or lacking[2], 80)
    return f"name {name} in its requirements.txt, pyproject.toml or package.json, from which a build installs it; or "


def _try_requests(contender: UpContender) -> Attempt:
    """Each request asked once, as a trial asks it before the load."""
    clauses, deployment = list(contender.contract()), contender.deployment
    workload, point = contender.context.server_workload, contender.context.point
    assert deployment.start_up_seconds is not None
    names = frozenset(clause.name for clause in workload.clauses)
    attempt = Attempt(deployment.start_up_seconds, clauses, names)
    requests = {each.name: each for each in workload.requests(point.data, point.options)}
    with deployment.client() as client:
        for name in attempt.failed_requests:
            attempt.pages[name] = _page(client, requests[name])
    attempt.exit_status = deployment.status()
    return attempt


def _page(client: httpx.Client, request: Request) -> str:
    """The message of a page of HTML that answers a request, the same each time; empty: there is none."""
    if request.method != "GET" or "{{" in request.path:
        return ""
    try:
        return page_in_words(ask(client, "GET", request.path, headers=dict(request.headers)).body)
    except (Problem, httpx.HTTPError):
        return ""


def _loaded(url: str, workload: Path, console: Console) -> Measurement:
    options = LoadOptions(url=url, file=workload, seconds=LOAD_SECONDS)
    with timed_step(console, f"loading it for {LOAD_SECONDS:g} s"):
        return measure(Console(quiet=True), url, *to_engine_plan(options))
