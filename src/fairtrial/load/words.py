"""The words that loads have in common, the same in an experiment and in `fairtrial load`."""

from fairtrial.base.formatting import count
from fairtrial.load.engine_terms import Protocol


def describe_seconds(seconds: float) -> str:
    """A length of time as the user set it: `10 s`, `250 ms`."""
    return f"{exact(seconds)} s" if seconds >= 1 else f"{exact(seconds * 1e3)} ms"


def exact(value: float) -> str:
    """All digits of a number that the user wrote: two loads that differ must read differently."""
    return f"{value:,.9g}"


def describe_warmup(seconds: float, limit_seconds: float) -> str:
    """The words behind the length of the window: ` after at least 1 s of warm-up`, or none without a warm-up.

    Args:
        limit_seconds: the longest warm-up; as long as `seconds` where its length is fixed.
    """
    if not seconds:
        return ""
    return f" after {'at least ' if limit_seconds > seconds else ''}{describe_seconds(seconds)} of warm-up"


def describe_drain(seconds: float | None) -> str:
    """The words behind the length of an open window: `, answers awaited for 5 s after it`; none for None."""
    if seconds is None:
        return ""
    return f", answers awaited for {describe_seconds(seconds)} after it" if seconds else ", no answers awaited after it"


def describe_streams(connections: int, each: str) -> str:
    """The connections that requests are sent over: `20 connections`; with `10 streams` on each `4 connections × 10
    streams`."""
    return count(connections, "connection") + (each and f" × {each}")


def describe_connections(connections: int, threads: int | None, each: str) -> str:
    """`20 connections`, `20 connections, 10 threads`; with fewer connections than threads `2 of 10 threads`."""
    at_once = describe_streams(connections, each)
    if threads is None:
        return at_once
    used = f"{connections} of {count(threads, 'thread')}" if threads > connections else count(threads, "thread")
    return f"{at_once}, {used}"


def describe_reuse(requests_per_connection: int | None, protocol: Protocol) -> str:
    """How connections are used: over HTTP/2 and HTTP/3 they are kept in any case."""
    if requests_per_connection is None:
        return "keep-alive" if protocol == "HTTP/1.1" else protocol
    if requests_per_connection == 1:
        return "one request per connection"
    return f"{requests_per_connection:,} requests per connection"


def describe_traced(share: float) -> str:
    """How many requests have a `traceparent`, which makes a server that traces work more."""
    return f"{exact(share * 100)}% of requests traced"


def describe_wait(wait: str) -> str:
    """The load engine's way to wait for answers, by the engine's word for it: `asleep while …`."""
    return f"{'awake' if wait == 'awake' else 'asleep'} while it awaits answers"
