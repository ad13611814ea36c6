from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.load.kinds import Load
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.slices import Slicing

OVER_HTTP2 = (
    "have the stack keep connections open: a GOAWAY after so many requests or after so long ends them "
    "(keepalive_requests and keepalive_time of nginx)"
)


@check(
    "keep-alive-not-kept",
    looks_at="connects in the window, compared with its answers, where connections were to be kept open",
    remedy="have the stack keep connections open (HTTP/1.1, a Content-Length or chunks, its keep-alive limit and idle "
    "time), or measure without: keep_alive = false, which is then printed beside the figures",
    of_loads=True,
    connects=Threshold(
        0.05,
        "connects an answer",
        "servers that close after so many requests allow 100 (Apache) or 1,000 (nginx): 0.01 and less. At 0.05 a "
        "connect that costs as much as an answer is 5% of the figure",
    ),
)
def keep_alive_not_kept(
    engine: EngineSummary, load: Load, slices: Slicing | None, *, connects: float
) -> Iterator[Finding]:
    """Connections that were planned to be kept, and are closed and opened again: connects are in the figures.

    A warning.
    """
    if not engine.answers or not load.keep_alive:
        return
    windows = 1 if slices is None else slices.kept_rounds
    # Each connection is opened once, and one whose request failed is opened again.
    unannounced = engine.unannounced_closes or 0
    explained = max((engine.failures or 0) - unannounced, 0)
    again = engine.connects - load.connections * windows - explained
    if again > connects * engine.answers:
        yield finding(
            "warning",
            f"connections were opened {engine.connects:,} times for {engine.answers:,} answers "
            f"({engine.connects / engine.answers:.2f} connects an answer), where {load.connections:,} "
            "were to be kept open" + (f"; {unannounced:,} were closed without a word" if unannounced else ""),
            OVER_HTTP2 if load.http2 else "",
        )
