"""From the options of a load to the plan that the engine runs."""

from collections.abc import Iterable, Iterator, Sequence

from fairtrial.base.formatting import count
from fairtrial.base.problem import Problem
from fairtrial.engine.plan import EnginePlan, Tls
from fairtrial.engine.sent_requests import SentRequests
from fairtrial.experiment.workload_file.websocket import is_broadcast
from fairtrial.lab.placement import local_placement
from fairtrial.lab.placement.topology import ROOT
from fairtrial.load.request_load import RequestLoad
from fairtrial.tools.load.hosts import LoadSite, this_host
from fairtrial.tools.load.request.command_load import CommandLoad, load_of
from fairtrial.tools.load.request.http_request import host_header, to_engine_request
from fairtrial.tools.load.request.options import LoadOptions
from fairtrial.tools.load.request.url import Url, assert_scheme, parse_url, redirected

Contradiction = tuple[bool, str, str]
"""Whether it applies, the reason and the remedy."""


def to_engine_plan(options: LoadOptions, hosts: LoadSite | None = None) -> tuple[CommandLoad, EnginePlan]:
    """The load of these options, and the engine's plan for it.

    One connection to the server is opened and closed on the way, and setup requests of a workload file are sent.

    Args:
        hosts: that the load comes from; by default this machine.

    Raises:
        Problem: options contradict each other, a file or the URL cannot be used, or the server cannot be reached.
    """
    hosts = hosts or this_host()
    url = parse_url(options.url, template=options.template)
    load = load_of(options, tls=url.secure)
    refuse(_contradictions(options, load.load, len(hosts.cpus)))
    refuse([(options.http3 and not url.secure, "HTTP/3 is always encrypted", "ask by https://")])
    tls = _tls(options, url)
    if options.file is not None:
        from fairtrial.tools.load.request.file_requests import requests_of_file  # noqa: PLC0415 slow to load

        workload = requests_of_file(options, url, tls)
    else:
        workload = SentRequests([to_engine_request(options, url)], rows={}, secrets={})
    assert_scheme(url, sends_messages=workload.websocket is not None)
    refuse(_contradictory_idle(options, hosts, is_websocket=workload.websocket is not None))
    if workload.websocket is not None:
        load = load.over_websocket(workload.websocket.in_flight)
    threads_asked = options.threads
    if is_broadcast(workload.websocket):
        _assert_one_thread(options, load.load.connections, len(hosts.cpus))
        threads_asked = 1
    endpoint = hosts.connect(
        redirected(url, options.connect_to),
        options.unix_socket,
        tls,
        options.timeout_seconds,
        options.addresses,
        http2=options.http2,
        http3=options.http3,
    )
    cpus = _cpus(hosts.cpus, threads_asked, local=endpoint.local, is_here=hosts.is_here)
    threads = threads_asked or min(len(cpus[0]), max(1, load.load.connections // len(cpus)))
    if options.wait == "awake":
        _assert_alone(threads, cpus[0], min(map(len, hosts.cpus)), local=endpoint.local)
    plan = EnginePlan(
        address=endpoint.address,
        other_addresses=list(endpoint.other_addresses) or None,
        host=host_header(options, url),
        requests=list(workload.requests),
        rows=dict(workload.rows),
        secrets=dict(workload.secrets),
        setup=list(workload.setup),
        cookies=workload.cookies,
        websocket=workload.websocket,
        threads=threads * len(cpus),
        cpus=[cpu for of_host in cpus for cpu in of_host],
        driver=options.driver,
        wait=options.wait,
        tls=tls,
        **load.engine_terms(),
    )
    if options.file is not None:
        from fairtrial.tools.load.request.file_requests import assert_load_fits  # noqa: PLC0415 slow to load

        assert_load_fits(workload, plan)
    return load, plan


def _contradictory_idle(options: LoadOptions, hosts: LoadSite, *, is_websocket: bool) -> Iterator[Contradiction]:
    """The options that idle connections do not go with."""
    idle, leave_out = options.idle_connections > 0, "leave out --idle-connections"
    reason = "--idle-connections are WebSockets, and no request is a message of one"
    yield idle and not is_websocket, reason, "give -f FILE whose requests have a `websocket`"
    yield idle and not hosts.is_here, "--idle-connections are opened from this machine alone", leave_out


def _assert_one_thread(options: LoadOptions, connections: int, hosts: int) -> None:
    """Raise a Problem if a broadcast cannot have its connections in one thread, which knows who got what."""
    refuse(
        [
            (hosts > 1, "a broadcast goes to the connections of one host", "leave out the other hosts"),
            ((options.threads or 1) > 1, "a broadcast goes to the connections of one thread", "leave out --threads"),
            (connections < 2, "a broadcast needs two connections or more", "give -c 2"),
        ]
    )


def refuse(contradictions: Iterable[Contradiction]) -> None:
    """Raise a Problem for the first that applies."""
    for applies, reason, remedy in contradictions:
        if applies:
            raise Problem(reason, remedy)


def _contradictions(options: LoadOptions, load: RequestLoad, hosts: int) -> Iterator[Contradiction]:
    """The options that contradict each other in how much is sent, and when, then in connections and TLS."""
    counted, timed = options.requests is not None, options.seconds is not None
    constant, ramp, steps = options.rate is not None, options.ramp is not None, options.steps is not None
    remedy, to_open = "give one of them", "leave it out, or give a rate with -r, --ramp or --steps"
    yield counted and timed, "-n and -d exclude each other", remedy
    yield constant and ramp, "-r and --ramp exclude each other", remedy
    yield steps and constant, "-r and --steps exclude each other", remedy
    yield steps and ramp, "--ramp and --steps exclude each other", remedy
    yield steps and counted, "--steps end after their times, not after a number of requests", "leave out -n"
    yield steps and timed, "--steps already say how long they last", "leave out -d"
    yield ramp and counted, "a ramp ends after a time, not after a number of requests", "use -d"
    yield options.arrival is not None and not constant, "--arrival needs a rate", "give it with -r"
    thinking = options.think_seconds is not None
    yield thinking and load.is_open, "--think is for closed loads", "leave out -r, --ramp and --steps"
    drained = options.drain_seconds is not None
    yield drained and not load.is_open, "--drain is for open loads: a closed one owes nothing", to_open
    late = options.deadline_seconds is not None
    reason = "--deadline is for open loads: a closed one sends each request when it is due"
    yield late and not load.is_open, reason, to_open
    is_below = load.warmup_limit_seconds is not None and load.warmup_limit_seconds < load.warmup_seconds
    yield is_below, "--warmup-limit is below --warmup", "raise it, or lower --warmup"
    yield drained and counted, "-n awaits its last answer, however long it takes", "leave out --drain, or use -d"
    own = any(header.name.lower() == "traceparent" for header in options.headers)
    yield own and options.trace_share > 0, "--trace-share sets the header traceparent, as -H does", remedy
    yield from _contradictory_connections(options)
    threads, on_each = (options.threads or 0) * hosts, f", on each of {hosts} hosts" if hosts > 1 else ""
    reason = f"{options.threads} threads for {load.connections} connections{on_each}"
    yield threads > load.connections, reason, "lower --threads or raise -c"
    reason = f"{hosts} hosts for {count(load.connections, 'connection')}"
    yield hosts > load.connections, reason, "raise -c, or lower --load-hosts"


def _contradictory_connections(options: LoadOptions) -> Iterator[Contradiction]:
    remedy = "give one of them"
    reused = options.requests_per_connection not in (None, 1)
    yield options.no_keepalive and reused, "--no-keepalive means one request per connection", remedy
    yield options.no_keepalive and options.pipeline > 1, "--pipeline needs keep-alive", remedy
    multiplexed = options.http2 or options.http3
    reason = "--streams are those of HTTP/2 and HTTP/3"
    yield options.streams is not None and not multiplexed, reason, "give --http2 or --http3, too"
    yield options.http2 and options.http3, "--http2 and --http3 exclude each other", remedy
    yield options.http3 and options.pipeline > 1, "--http3 has streams in place of a pipeline", "use --streams"
    yield options.http3 and options.unix_socket is not None, "HTTP/3 goes by UDP", "leave out --unix"
    driver = options.http3 and options.driver == "io_uring"
    yield driver, "over HTTP/3 datagrams go by epoll alone", "leave out --driver"
    yield options.http2 and options.pipeline > 1, "--http2 has streams in place of a pipeline", "use --streams"
    closing = "--no-keepalive" if options.no_keepalive else "--requests-per-connection"
    is_closing = options.no_keepalive or options.requests_per_connection is not None
    version = "HTTP/3" if options.http3 else "HTTP/2"
    yield multiplexed and is_closing, f"over {version} the server alone ends connections", f"leave out {closing}"
    yield options.insecure and options.ca_file is not None, "--insecure and --cacert exclude each other", remedy
    socket = options.unix_socket is not None and bool(options.connect_to)
    yield socket, "--unix and --connect-to exclude each other", remedy
    several = options.unix_socket is not None and options.addresses == "all"
    yield several, "--unix and --addresses exclude each other", remedy
    half = (options.certificate_file is None) != (options.key_file is None)
    yield half, "--cert and --key go together", "give both; one PEM file may hold both"


def _tls(options: LoadOptions, url: Url) -> Tls | None:
    if not url.secure:
        if options.insecure or options.ca_file or options.certificate_file or options.tls_resume:
            raise Problem("options for TLS, but the URL is not https", "write https://…")
        return None
    ca, certificate, key = (
        None if file is None else str(file.absolute())
        for file in (options.ca_file, options.certificate_file, options.key_file)
    )
    return Tls(
        server_name=url.hostname,
        ca_file=ca,
        insecure=options.insecure,
        resume=options.tls_resume,
        certificate_file=certificate,
        key_file=key,
    )


def _cpus(allowed: Sequence[Sequence[int]], threads: int | None, *, local: bool, is_here: bool) -> list[Sequence[int]]:
    """The load generator's processors on each host, as many on each: its share beside a server, otherwise all."""
    if threads is not None:
        cpus_by_host = [of_host[-threads:] for of_host in allowed]
    else:
        root = ROOT if is_here else None
        cpus_by_host = [local_placement(of_host, root).load_cpus if local else of_host for of_host in allowed]
    fewest = min(map(len, cpus_by_host))
    return [of_host[-fewest:] for of_host in cpus_by_host]


def _assert_alone(threads: int, cpus: Sequence[int], allowed: int, *, local: bool) -> None:
    """Require a processor for each thread, and one for a server on its machine, which then has to keep to it.

    Raises:
        Problem: there are fewer.
    """
    if threads > len(cpus) or (local and len(cpus) == allowed):
        raise Problem(
            f"--wait awake takes a processor for each thread{' and one for the server' if local else ''}, and of "
            f"{count(allowed, 'processor')} {count(threads, 'thread')} would take all",
            "lower --threads, or leave out --wait",
        )
