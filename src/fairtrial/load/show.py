"""What a load came to, for people and for programs."""

import json
from pathlib import Path
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from fairtrial.claims.wording import figure
from fairtrial.engine.plan import EnginePlan, StopAfterRequests
from fairtrial.exit import ALL_WELL, IN_DOUBT, INTERRUPTED, NOTHING_RAN
from fairtrial.judge.metrics import supported_percentile
from fairtrial.plan.duration import minutes
from fairtrial.printable import printable
from fairtrial.problem import Problem
from fairtrial.record.model import Distribution, EngineSummary

SHOWN_PERCENTILES = ("50", "90", "99", "99.9")


def describe_load(plan: EnginePlan) -> str:
    """The load model, as it is printed beside its figures."""
    until = (
        f"{plan.stop.requests:,} requests" if isinstance(plan.stop, StopAfterRequests) else f"{plan.stop.seconds:g} s"
    )
    noun = "connection" if plan.load.connections == 1 else "connections"
    return f"closed, {plan.load.connections} {noun}, keep-alive, {until}"


class LoadProgress:
    """A line that tells elapsed time and current rate, on a terminal; nothing elsewhere. A context manager."""

    def __init__(self, console: Console, plan: EnginePlan) -> None:
        self._line = Text(f"{describe_load(plan)} …", style="dim")
        self._live = Live(get_renderable=lambda: self._line, console=console, transient=True, refresh_per_second=4)
        self._shown = console.is_terminal

    def engine_event(self, event: dict[str, Any]) -> None:
        """Show a progress event."""
        if event["event"] == "progress":
            rate = f"{event['verified_per_second']:,.0f} verified answers/s"
            self._line = Text(f"{minutes(event['elapsed_seconds'])}  {rate}  {event['errors']:,} errors")

    def __enter__(self) -> Self:
        if self._shown:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._live.stop()


def print_load(console: Console, url: str, plan: EnginePlan, summary: EngineSummary) -> None:
    """Verified goodput first, then times, errors by kind and what the engine itself used."""
    console.print(Text(printable(url), style="bold"), Text(f"({describe_load(plan)})"), highlight=False)
    facts = Table.grid(padding=(0, 2))
    goodput = f"{summary.goodput_per_second:,.1f} verified answers/s" if summary.verified else "no verified answer"
    facts.add_row("goodput", Text(goodput, style="bold green" if summary.verified else "bold red"))
    facts.add_row(
        "answers", f"{summary.verified:,} verified of {summary.sent:,} sent in {summary.window_seconds:.2f} s"
    )
    if summary.service_time.count:
        facts.add_row("service time", _times(summary.service_time))
    failed = {kind: count for kind, count in summary.errors.items() if count}
    errors = ", ".join(f"{count:,} {kind}" for kind, count in failed.items())
    facts.add_row("errors", Text(errors or "none", style="red" if failed else ""))
    for example in summary.examples[:3]:
        facts.add_row(
            "",
            Text(f"{example.kind}, status {example.status}: {printable(example.excerpt, 100)}", style="dim"),
        )
    if summary.in_flight_at_end:
        facts.add_row("unanswered", f"{summary.in_flight_at_end} at the end")
    shares = ", ".join(f"{thread.cpu_seconds / summary.window_seconds:.0%}" for thread in summary.threads)
    facts.add_row("load generator", f"{shares} of its processor, {summary.connects:,} connections made")
    if summary.interrupted:
        facts.add_row("", Text("interrupted: figures are of the part that was measured", style="yellow"))
    console.print(facts, highlight=False)


def write_json(file: Path, url: str, plan: EnginePlan, summary: EngineSummary) -> None:
    """The plan and the engine's summary as one JSON object.

    Raises:
        Problem: the file cannot be written.
    """
    content = {"url": url, "load": describe_load(plan), **summary.model_dump()}
    try:
        file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise Problem(f"{file}: cannot be written: {error.strerror}", "choose another file with --json") from error


def load_exit_status(summary: EngineSummary) -> int:
    """0 every request was answered well, 3 some were not, 4 none was, 130 interrupted."""
    if summary.interrupted:
        return INTERRUPTED
    if not summary.verified:
        return NOTHING_RAN
    return IN_DOUBT if any(summary.errors.values()) else ALL_WELL


def _times(times: Distribution) -> str:
    found = {f"p{name}": supported_percentile(times, name) for name in SHOWN_PERCENTILES} | {"max": times.max_seconds}
    return "  ".join(f"{name} {figure(1000 * value)} ms" for name, value in found.items() if value is not None)
