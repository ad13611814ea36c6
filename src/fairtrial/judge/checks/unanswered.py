from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.generator_saturated import generator_remedy
from fairtrial.judge.checks.model import Finding, LoadCase, Threshold, finding
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.protocol_causes import cause_remedy


@check(
    "unanswered",
    looks_at="the age of the oldest request unanswered when the window closed, compared with the longest answered one",
    remedy="find what the stack waits for (a lock, an exhausted pool, a lost wake-up); lengthen duration_seconds if "
    "such times are normal for the workload",
    of_loads=True,
    window_share=Threshold(
        0.25,
        "share of the window",
        "in a closed load a connection that waits for a quarter of the window offers at most three quarters of its "
        "load",
    ),
    times=Threshold(
        2.0,
        "times the longest answered request",
        "the last requests of an honest run are cut off at ages up to about the longest time; twice that is "
        "a request that hangs (coordinated omission: Tene, How NOT to Measure Latency, 2013)",
    ),
)
def unanswered(engine: EngineSummary, case: LoadCase, *, window_share: float, times: float) -> Iterator[Finding]:
    """Requests that were still waiting when the window closed, whose times are in no percentile.

    A refusal.
    """
    waited, longest = engine.oldest_in_flight_seconds, engine.response_time.longest_answered_seconds or 0.0
    if waited is not None and waited > window_share * engine.window_seconds and waited > times * longest:
        yield finding(
            "refusal",
            f"{engine.in_flight_at_end:,} requests were unanswered when the window closed, one of them for "
            f"{waited:.2f} s of its {engine.window_seconds:.2f} s; the longest answered one took {longest:.3f} s",
            generator_remedy(engine, case.processors) or cause_remedy(engine, "timeout", ""),
        )
