"""Connections that were planned to be kept, and are closed and opened again: connects are in the figures."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Finding, LoadCase, LoadCheck, Threshold

OVER_HTTP2 = (
    "have the stack keep connections open: a GOAWAY after so many requests or after so long ends them "
    "(keepalive_requests and keepalive_time of nginx)"
)


def examine(case: LoadCase) -> Iterator[Finding]:
    """A warning where connections were opened again for more than so many answers, without a failure behind it.

    A request that fails because the server had closed its connection in the meantime is no such failure.
    """
    for trial in case.trials:
        summary, load = trial.engine, case.loads.get(trial.condition)
        if summary is None or not summary.answers or load is None or not load.keep_alive:
            continue
        windows = 1 if trial.slices is None else trial.slices.kept_rounds
        # Each connection is opened once, and one whose request failed is opened again.
        unannounced = summary.unannounced_closes or 0
        explained = max((summary.failures or 0) - unannounced, 0)
        again = summary.connects - load.connections * windows - explained
        if again > case.thresholds["connects"] * summary.answers:
            yield case.finding(
                trial.index,
                "warning",
                f"connections were opened {summary.connects:,} times for {summary.answers:,} answers "
                f"({summary.connects / summary.answers:.2f} connects an answer), where {load.connections:,} "
                "were to be kept open" + (f"; {unannounced:,} were closed without a word" if unannounced else ""),
                OVER_HTTP2 if load.http2 else "",
            )


CHECK = LoadCheck(
    name="keep-alive-not-kept",
    looks_at="connects in the window, compared with its answers, where connections were to be kept open",
    thresholds={
        "connects": Threshold(
            0.05,
            "connects an answer",
            "servers that close after so many requests allow 100 (Apache) or 1,000 (nginx): 0.01 and less. At 0.05 a "
            "connect that costs as much as an answer, as on loopback, is 5% of the figure, the size of the differences "
            "that claims are about",
        ),
    },
    remedy="have the stack keep connections open (HTTP/1.1, a Content-Length or chunks, its keep-alive limit and idle "
    "time), or measure without: keep_alive = false, which is then printed beside the figures",
    examine=examine,
)
