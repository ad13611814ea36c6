"""A load in words, the same in an experiment and in `fairtrial load`: `closed, 16 connections, keep-alive`."""

from collections.abc import Sequence

from fairtrial.base.formatting import count


def describe_closed(
    connections: int,
    *,
    threads: int | None = None,
    think_seconds: float = 0.0,
    requests_per_connection: int | None,
    local_ports: int | None = None,
    streams: int | None = None,
) -> str:
    """A closed load: `closed, 16 connections, 50 ms think time, keep-alive`.

    Args:
        threads: of the load engine; None where the load does not set them.
        requests_per_connection: None for as many as the server allows.
        local_ports: how many connects of the window succeed; None for all.
        streams: of each connection over HTTP/2; None over HTTP/1.1.
    """
    think = [f"{describe_seconds(think_seconds)} think time"] if think_seconds else []
    ports = [] if local_ports is None else [f"only {count(local_ports, 'local port')}"]
    at_once, reuse = _connections(connections, threads, streams), _reuse(requests_per_connection, streams)
    return ", ".join(["closed", at_once, *think, reuse, *ports])


def describe_fixed(
    requests: int,
    connections: int,
    *,
    threads: int | None = None,
    requests_per_connection: int | None,
    streams: int | None = None,
) -> str:
    """A fixed number of requests: `30,000 requests, 20 connections, keep-alive`. Arguments as of `describe_closed`."""
    at_once, reuse = _connections(connections, threads, streams), _reuse(requests_per_connection, streams)
    return f"{count(requests, 'request')}, {at_once}, {reuse}"


def describe_open(
    rate: str,
    connections: int,
    *,
    threads: int | None = None,
    requests_per_connection: int | None,
    streams: int | None = None,
) -> str:
    """An open load: `open, 500 requests/s, Poisson arrivals, up to 256 connections, keep-alive`.

    Args:
        rate: as `describe_rate`, `describe_ramp` or `describe_steps` put it.
        threads: as of `describe_closed`, like `requests_per_connection` and `streams`.
    """
    at_once, reuse = _connections(connections, threads, streams), _reuse(requests_per_connection, streams)
    return f"open, {rate}, up to {at_once}, {reuse}"


def describe_rate(per_second: float, arrivals: str) -> str:
    """One rate: `500 requests/s, Poisson arrivals`. `arrivals` is `poisson` or `constant`."""
    return f"{_exact(per_second)} requests/s, {'Poisson' if arrivals == 'poisson' else arrivals} arrivals"


def describe_ramp(from_per_second: float, to_per_second: float) -> str:
    """A rate that changes linearly: `ramp from 0 to 500 requests/s`."""
    return f"ramp from {_exact(from_per_second)} to {_exact(to_per_second)} requests/s"


def describe_steps(steps: Sequence[tuple[float, float]]) -> str:
    """Rates per second and the seconds that each lasts: `steps 500/s for 10 s, 1,000/s for 10 s`."""
    return "steps " + ", ".join(f"{_exact(rate)}/s for {describe_seconds(seconds)}" for rate, seconds in steps)


def describe_window(seconds: float, warmup_seconds: float, limit_seconds: float) -> str:
    """How long a load is measured: `3 s after at least 1 s of warm-up`, `10 s`."""
    return describe_seconds(seconds) + describe_warmup(warmup_seconds, limit_seconds)


def describe_warmup(seconds: float, limit_seconds: float) -> str:
    """What follows the length of the window: ` after at least 1 s of warm-up`, or nothing without a warm-up.

    Args:
        limit_seconds: the longest warm-up; as long as `seconds` where its length is fixed.
    """
    if not seconds:
        return ""
    return f" after {'at least ' if limit_seconds > seconds else ''}{describe_seconds(seconds)} of warm-up"


def describe_deadline(seconds: float) -> str:
    """When requests of an open load are not sent any more: `not sent when due for more than 500 ms`."""
    return f"not sent when due for more than {describe_seconds(seconds)}"


def describe_drain(seconds: float | None) -> str:
    """What follows the length of the window of an open load: `, answers awaited for 5 s after it`; nothing for None."""
    if seconds is None:
        return ""
    return f", answers awaited for {describe_seconds(seconds)} after it" if seconds else ", no answers awaited after it"


def describe_seconds(seconds: float) -> str:
    """A length of time as the user set it: `10 s`, `250 ms`."""
    return f"{_exact(seconds)} s" if seconds >= 1 else f"{_exact(seconds * 1e3)} ms"


def describe_streams(connections: int, streams: int | None) -> str:
    """What requests are sent over: `20 connections`; over HTTP/2 `4 connections × 10 streams`."""
    each = "" if streams is None else f" × {count(streams, 'stream')}"
    return count(connections, "connection") + each


def _connections(connections: int, threads: int | None, streams: int | None) -> str:
    """`20 connections`, `20 connections, 10 threads`; with fewer connections than threads `2 of 10 threads`."""
    at_once = describe_streams(connections, streams)
    if threads is None:
        return at_once
    used = f"{connections} of {count(threads, 'thread')}" if threads > connections else count(threads, "thread")
    return f"{at_once}, {used}"


def _reuse(requests_per_connection: int | None, streams: int | None) -> str:
    """How connections are used: over HTTP/2 they are kept in any case."""
    if requests_per_connection is None:
        return "keep-alive" if streams is None else "HTTP/2"
    if requests_per_connection == 1:
        return "one request per connection"
    return f"{requests_per_connection:,} requests per connection"


def _exact(value: float) -> str:
    """All digits of a number that the user wrote: two loads that differ must read differently."""
    return f"{value:,.9g}"


def describe_wait(wait: str) -> str:
    """What the load engine does while it awaits answers, by the engine's word for it: `asleep while …`."""
    return f"{'awake' if wait == 'awake' else 'asleep'} while it awaits answers"
