"""The commands `fairtrial ab` and `fairtrial wrk`: measure, print the tool's figures, then what those leave out."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import ClassVar

from rich.console import Console

from fairtrial.engine.plan import BodyRange, EnginePlan
from fairtrial.engine.run import run_engine
from fairtrial.load.engine_terms import Closed, StopAfterRequests
from fairtrial.tools.load.advice import remedy
from fairtrial.tools.load.compatibility.omissions import omissions
from fairtrial.tools.load.measure import Measurement, measure
from fairtrial.tools.load.request.options import LoadOptions, option_name
from fairtrial.tools.load.request.translate import to_engine_plan
from fairtrial.tools.load.request.values import Header

REPEATABLE_METHODS = ("GET", "HEAD", "OPTIONS")
"""One more request with such a method changes nothing (RFC 9110, 9.2.1)."""
SECRET_HEADERS = ("authorization", "cookie")


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """One call of a tool: the load that it asks for, and how the tool would report it."""

    tool: ClassVar[str]
    """`ab` or `wrk`"""
    options: LoadOptions
    at_most_seconds: float | None = None
    """also ends a load of a fixed number of requests after this time"""
    same_length: bool = False
    """send one request before the load, and count every answer of another length as failed"""

    def report(self, measurement: Measurement) -> list[str]:
        """The lines of the tool's own report."""
        raise NotImplementedError


def emulate(call: ToolCall) -> int:
    """Offer the load and print both reports.

    Returns:
        the exit status.

    Raises:
        Problem: the load could not be offered.
    """
    options = call.options
    load, plan = to_engine_plan(options)
    length = first_body_length(plan) if call.same_length else None
    if length is not None:
        plan, options = expecting_length(plan, length), replace(options, expect_length=length)
    measurement = measure(Console(stderr=True), options.url, load, plan, at_most_seconds=call.at_most_seconds)
    out = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in call.report(measurement):
        out.print(line)
    out.print()
    out.print("What these figures would have hidden:", style="bold")
    out.print(f"  - The load was {load.describe()}.")
    for paragraph in omissions(call.tool, measurement):
        out.print(f"  - {paragraph}")
    for kind, number in measurement.failed.items():
        out.print(f"  - {number:,} {kind}: {remedy(kind, measurement.summary, measurement.plan.host)}")
    out.print()
    out.print(f"The same with every figure: {equivalent_command(options)}")
    return measurement.exit_status


def first_body_length(plan: EnginePlan) -> int | None:
    """The body's length in the answer to one request, by which ab judges all other answers.

    None if the method may change something, or the answer is incomplete or no success: ab would judge by an error page,
    too, and then call the right answers failed.

    Raises:
        Problem: the engine refused the plan or ended without a summary.
    """
    if any(request.method not in REPEATABLE_METHODS for request in plan.requests):
        return None
    once = {"load": Closed(connections=1), "stop": StopAfterRequests(requests=1), "threads": 1, "pipeline": 1}
    summary = run_engine(plan.model_copy(update=once), lambda _event: None)
    return summary.body_bytes.min if summary.verified and summary.body_bytes else None


def expecting_length(plan: EnginePlan, length: int) -> EnginePlan:
    """The same load, in which every answer's body must have this length."""
    expected = {"body_bytes": BodyRange(min=length, max=length)}
    requests = [
        request.model_copy(update={"expect": request.expect.model_copy(update=expected)}) for request in plan.requests
    ]
    return plan.model_copy(update={"requests": requests})


def equivalent_command(options: LoadOptions) -> str:
    """The command line of `fairtrial load` for the same load; the values of secret headers are left out."""
    words = ["fairtrial", "load", options.url]
    for option in fields(options):
        value = getattr(options, option.name)
        if option.name != "url" and value not in (option.default, []):
            words += _option_words(option_name(option), value)
    return shlex.join(words)


def _option_words(name: str, value: object) -> Iterator[str]:
    """An option with its value, of a list once for each; numbers with a fraction are seconds."""
    for each in value if isinstance(value, list) else [value]:
        yield name
        if isinstance(each, Header):
            yield f"{each.name}: {'…' if each.name.lower() in SECRET_HEADERS else each.value}"
        elif each is not True:
            yield f"{each:g}s" if isinstance(each, float) else str(each)
