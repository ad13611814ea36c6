"""Offer one load and measure it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rich.console import Console

from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, INTERRUPTED, NOTHING_RAN, REFUTED
from fairtrial.engine.idle import IdleProcess, idle_process
from fairtrial.engine.plan import EnginePlan
from fairtrial.engine.run import StopEarly, run_engine
from fairtrial.judge.checks import run_load_checks
from fairtrial.judge.checks.model import Finding
from fairtrial.lab.awake import processors_awake
from fairtrial.lab.crowded import crowded_warning
from fairtrial.lab.meters.network import NetworkWatch
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.histogram import Histogram, read_histogram
from fairtrial.record.machine import NetworkMeter
from fairtrial.record.model import TrialRecord
from fairtrial.tools.load.hosts import LoadSite, this_host
from fairtrial.tools.load.progress import load_progress_on
from fairtrial.tools.load.request.command_load import CommandLoad
from fairtrial.tools.load.request.expected_figure import ERRORS, ExpectedFigure

if TYPE_CHECKING:
    from fairtrial.judge.claims.one_run import RunRuling

CONDITION = "load"
SHORTEST_WINDOW_SECONDS = 0.5
"""Little's law is asked of windows from this length on: threads open and close theirs some milliseconds apart, as the
threshold of the check `littles-law` says."""
GRAVITY = ("refusal", "warning", "note")


@dataclass(frozen=True)
class Measurement:
    """A load on a URL, and what the engine measured."""

    url: str
    load: CommandLoad
    plan: EnginePlan
    trial: TrialRecord
    """as an experiment would record it: the engine's summary, what the kernel counted in the window if it was read, and
    the search whose last run this is, if it is one"""
    expected: Sequence[ExpectedFigure] = ()
    notes: Sequence[str] = ()
    """what else a reader has to know"""

    @property
    def summary(self) -> EngineSummary:
        """The engine's summary."""
        assert self.trial.engine is not None
        return self.trial.engine

    @cached_property
    def response_times(self) -> Histogram:
        """From a request's intended start to its answer's last byte."""
        return read_histogram(self.summary.response_time.hdr_base64)

    @cached_property
    def findings(self) -> list[Finding]:
        """The findings of those checks of `fairtrial run` that need nothing but a measured load, the gravest first."""
        summary, trial = self.summary, self.trial
        if not self.load.load.is_stationary:  # whatever a pipeline or a count makes of it for the checks
            trial = trial.model_copy(update={"engine": summary.model_copy(update={"series": []})})
        is_alike = self.load.is_of_experiments and summary.window_seconds >= SHORTEST_WINDOW_SECONDS
        loads = {trial.condition: self.load.load} if is_alike else {}
        findings = run_load_checks([trial], loads, len(self.plan.cpus))
        return sorted(findings, key=lambda finding: GRAVITY.index(finding.severity))

    @property
    def refusing(self) -> set[str]:
        """The checks that found what makes a figure indefensible."""
        return {finding.check for finding in self.findings if finding.refuses_trial}

    @cached_property
    def verdicts(self) -> "Sequence[tuple[ExpectedFigure, RunRuling]]":
        """Each expected figure with the verdict on it."""
        if not self.expected:
            return []
        from fairtrial.judge.claims.one_run import rule_on_run  # noqa: PLC0415 claims take a while to load

        return [
            (each, rule_on_run(each.metric, each.bounds, self.summary, self.findings, each.request))
            for each in self.expected
        ]

    @property
    def failed(self) -> dict[str, int]:
        """Errors by kind, without the kinds that did not occur."""
        return {kind: count for kind, count in self.summary.errors.items() if count}

    @property
    def answers_per_second(self) -> float:
        """Complete answers per second, right or wrong: what other tools call requests per second."""
        window = self.summary.window_seconds
        return self.summary.answers / window if window > 0 else 0.0

    @property
    def is_open(self) -> bool:
        """True if requests began by a schedule, however fast the answers came."""
        return self.load.load.is_open

    @property
    def has_send_waits(self) -> bool:
        """True if requests may wait before they are sent: for a free connection, or for a stream of HTTP/2."""
        streams = self.summary.streams
        return self.is_open or (streams is not None and streams.limits_load)

    @property
    def exit_status(self) -> int:
        """0: all as expected, 1: an expected figure is refuted, 3: in doubt, 4: no right answer, 130: interrupted.

        In doubt are a figure that is undecided, a capacity that was not found, a server that answers what nobody asked,
        and requests without the right answer, unless a figure says how many errors are expected.
        """
        if self.summary.interrupted:
            return INTERRUPTED
        if not self.summary.verified:
            return NOTHING_RAN
        words = {ruling.verdict for _, ruling in self.verdicts}
        if "refuted" in words:
            return REFUTED
        if "undecided" in words or not {"capacity-search", "unasked-bytes"}.isdisjoint(self.refusing):
            return IN_DOUBT
        errors_judged = any(figure.figure == ERRORS for figure in self.expected)
        return IN_DOUBT if self.failed and not errors_judged else ALL_WELL


def measure(
    console: Console,
    url: str,
    load: CommandLoad,
    plan: EnginePlan,
    *,
    plain: bool = False,
    one_line: str | None = None,
    at_most_seconds: float | None = None,
    hosts: LoadSite | None = None,
) -> Measurement:
    """Offer the load and show its progress on `console`. Ctrl-C ends it early; what was measured is returned.

    Args:
        plan: of the engine, for the load.
        plain: print lines, even on a terminal.
        one_line: print this one in place of a line a second.
        at_most_seconds: also ends a load of a fixed number of requests after this time, which is no interruption.
        hosts: that the load comes from; by default this machine. On other ones, the network is not watched.

    Raises:
        Problem: the engine refused the plan or ended without a summary.
    """
    hosts = hosts or this_host()
    time_is_up = False
    watch, opened = NetworkWatch(), False
    network: NetworkMeter | None = None

    with (
        _idle_connections(plan, load) as idle,
        load_progress_on(console, url, load, plain=plain, one_line=one_line) as show_progress,
        processors_awake() if hosts.is_here else nullcontext(),
    ):

        def on_event(event: dict[str, Any]) -> None:
            nonlocal time_is_up, opened, network
            if event["event"] == "crowded":
                console.print(crowded_warning(event), soft_wrap=True, highlight=False)
                return
            if hosts.is_here and event["event"] == "window" and event["state"] == "opened":
                watch.open()
                opened = True
                if idle is not None:
                    idle.begin_window()
            elif hosts.is_here and event["event"] == "window":
                network = watch.close()
                if idle is not None:
                    idle.end_window()
            show_progress(event)
            if at_most_seconds is not None and event.get("elapsed_seconds", 0.0) >= at_most_seconds:
                time_is_up = True
                raise StopEarly

        summary = run_engine(plan, on_event, report_when_interrupted=True, start=hosts.start)
    if opened and network is None:  # ended early: nobody said that the window closed
        network = watch.close()
    if time_is_up:
        summary = summary.model_copy(update={"interrupted": False})
    account = None if idle is None else idle.account
    trial = TrialRecord(
        index=1,
        block=1,
        condition=CONDITION,
        started_at="",
        engine=summary,
        network=network,
        idle_connections=account,
    )
    return Measurement(url, load, plan, trial, notes=hosts.notes())


@contextmanager
def _idle_connections(plan: EnginePlan, load: CommandLoad) -> Iterator[IdleProcess | None]:
    """Those that the load has beside it, open until the end."""
    number = load.load.idle_connections
    if not number:
        yield None
        return
    with idle_process(plan, number) as idle:
        idle.await_opened()
        yield idle
