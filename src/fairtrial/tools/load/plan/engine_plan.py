"""From options to the engine's plan."""

import os

from fairtrial.base.problem import Problem
from fairtrial.engine.plan import (
    Closed,
    Constant,
    EngineLoad,
    EnginePlan,
    Poisson,
    Ramp,
    Step,
    Steps,
    StopAfterRequests,
    StopAfterSeconds,
    Tls,
)
from fairtrial.lab.placement import local_placement
from fairtrial.tools.load.plan.options import LoadOptions
from fairtrial.tools.load.plan.reach import reach
from fairtrial.tools.load.plan.request import host_for, request_for
from fairtrial.tools.load.plan.url import Url, parse_url

DEFAULT_SECONDS = 10.0
CLOSED_CONNECTIONS = 16
OPEN_CONNECTIONS = 64


def plan_for(options: LoadOptions) -> EnginePlan:
    """The plan that these options describe, for a server that was reached once.

    Raises:
        Problem: options contradict each other, a file or the URL cannot be used, or the server cannot be reached.
    """
    _refuse_contradictions(options)
    url = parse_url(options.url, template=options.template)
    load = _load(options)
    request = request_for(options, url)
    tls = _tls(options, url)
    reached = reach(url, options.unix, tls, options.timeout_seconds)
    cpus = _cpus(options.threads, local=reached.local)
    return EnginePlan(
        address=reached.address,
        host=host_for(options, url),
        requests=[request],
        load=load,
        stop=_stop(options),
        warmup_seconds=options.warmup_seconds,
        requests_per_connection=options.requests_per_connection if options.keep_alive else 1,
        pipeline=options.pipeline,
        timeout_seconds=options.timeout_seconds,
        threads=options.threads or min(len(cpus), load.connections),
        cpus=cpus,
        driver=options.driver,
        tls=tls,
    )


def _refuse_contradictions(options: LoadOptions) -> None:
    is_open = any(each is not None for each in (options.rate, options.ramp, options.steps))
    stepped = options.steps is not None
    several = options.requests_per_connection not in (None, 1)
    one = "give one of them"
    for wrong, reason, remedy in (
        (options.requests is not None and options.seconds is not None, "-n and -d exclude each other", one),
        (options.rate is not None and options.ramp is not None, "-r and --ramp exclude each other", one),
        (stepped and options.rate is not None, "-r and --steps exclude each other", one),
        (stepped and options.ramp is not None, "--ramp and --steps exclude each other", one),
        (stepped and options.requests is not None, "steps last a time, not a count", "leave out -n"),
        (stepped and options.seconds is not None, "steps say themselves how long they last", "leave out -d"),
        (options.insecure and options.ca_file is not None, "--insecure and --cacert exclude each other", one),
        (options.ramp is not None and options.requests is not None, "a ramp lasts a time, not a count", "use -d"),
        (options.arrival is not None and options.rate is None, "--arrival needs a rate", "give it with -r"),
        (
            is_open and options.think_seconds is not None,
            "--think is for closed loads",
            "leave out -r, --ramp and --steps",
        ),
        (not options.keep_alive and several, "--no-keepalive means one request a connection", one),
        (not options.keep_alive and options.pipeline > 1, "--pipeline needs kept connections", one),
        (
            (options.certificate_file is None) != (options.key_file is None),
            "--cert and --key go together",
            "give both; one PEM file may hold both",
        ),
    ):
        if wrong:
            raise Problem(reason, remedy)
    connections = options.connections or (OPEN_CONNECTIONS if is_open else CLOSED_CONNECTIONS)
    if options.threads is not None and options.threads > connections:
        raise Problem(f"{options.threads} threads for {connections} connections", "lower --threads or raise -c")


def _load(options: LoadOptions) -> EngineLoad:
    if options.ramp is not None:
        first, last = options.ramp
        return Ramp(from_per_second=first, to_per_second=last, connections=options.connections or OPEN_CONNECTIONS)
    if options.steps is not None:
        steps = [Step(rate_per_second=rate, seconds=seconds) for rate, seconds in options.steps]
        return Steps(steps=steps, connections=options.connections or OPEN_CONNECTIONS)
    if options.rate is not None:
        kind = Poisson if options.arrival == "poisson" else Constant
        return kind(rate_per_second=options.rate, connections=options.connections or OPEN_CONNECTIONS)
    return Closed(
        connections=options.connections or CLOSED_CONNECTIONS, think_time_seconds=options.think_seconds or 0.0
    )


def _stop(options: LoadOptions) -> StopAfterSeconds | StopAfterRequests | None:
    if options.steps is not None:
        return None
    if options.requests is not None:
        return StopAfterRequests(requests=options.requests)
    return StopAfterSeconds(seconds=options.seconds or DEFAULT_SECONDS)


def _tls(options: LoadOptions, url: Url) -> Tls | None:
    if not url.secure:
        given = options.insecure or options.ca_file or options.certificate_file
        if given:
            raise Problem("options for TLS, and a URL without it", "write https://…")
        return None
    ca, certificate, key = (
        None if file is None else str(file.absolute())
        for file in (options.ca_file, options.certificate_file, options.key_file)
    )
    return Tls(
        server_name=url.hostname,
        ca_file=ca,
        insecure=options.insecure,
        certificate_file=certificate,
        key_file=key,
    )


def _cpus(threads: int | None, *, local: bool) -> list[int]:
    """The generator's processors: its share beside a server on this machine, all of them for one elsewhere."""
    allowed = sorted(os.sched_getaffinity(0))
    if threads is not None:
        return allowed[-threads:]
    return local_placement(allowed).load_cpus if local else allowed
