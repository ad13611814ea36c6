"""The command `fairtrial load`: it offers one load, or searches for the highest that keeps an objective."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from rich.console import Console

from fairtrial.base.file_limit import allow_connections
from fairtrial.base.problem import Problem
from fairtrial.cluster.options import HERE, LoadHostsOptions
from fairtrial.engine.binary import engine_binary
from fairtrial.tools.load.capacity import measure_capacity
from fairtrial.tools.load.hosts import LoadSite, this_host
from fairtrial.tools.load.measure import Measurement, measure
from fairtrial.tools.load.request.expected_figure import assert_sent
from fairtrial.tools.load.request.http_request import lower_case_methods
from fairtrial.tools.load.request.options import GoalOptions, LoadOptions
from fairtrial.tools.load.request.translate import to_engine_plan


def offer(
    console: Console,
    options: LoadOptions,
    goals: GoalOptions,
    cluster: LoadHostsOptions = HERE,
    *,
    plain: bool = False,
) -> Measurement:
    """Offer the load and show its progress on `console`.

    Raises:
        Problem: options contradict each other, the server cannot be reached, or the engine refused the plan.
    """
    if options.file is None:
        notes, measurement = [], _measured(console, options, goals, cluster, plain=plain)
    else:
        from fairtrial.tools.load.request.file_requests import left_out, met_by_anything  # noqa: PLC0415 slow to load

        notes = left_out(options.file)
        measurement = _measured(console, options, goals, cluster, plain=plain)
        notes += met_by_anything(measurement.plan.requests)
    methods = lower_case_methods(measurement.plan.requests)
    return replace(measurement, notes=[*notes, *methods, *measurement.notes])


def _measured(
    console: Console, options: LoadOptions, goals: GoalOptions, cluster: LoadHostsOptions, *, plain: bool
) -> Measurement:
    with _hosts(console, cluster) as hosts:
        return _offered(console, options, goals, hosts, plain=plain)


def _hosts(console: Console, cluster: LoadHostsOptions) -> AbstractContextManager[LoadSite]:
    """The hosts that the load comes from."""
    cluster.assert_consistent()
    if not cluster.is_elsewhere:
        return nullcontext(this_host())
    from fairtrial.tools.load.cluster_hosts import hosts_of_cluster  # noqa: PLC0415 an optional part of the lab

    return hosts_of_cluster(console, cluster)


def _offered(
    console: Console, options: LoadOptions, goals: GoalOptions, hosts: LoadSite, *, plain: bool
) -> Measurement:
    if hosts.is_here:
        engine_binary()  # built before a view of the load begins
    if goals.capacity:
        if options.idle_connections:
            raise Problem("--capacity has no --idle-connections", 'search with `fairtrial run`: kind = "capacity"')
        return measure_capacity(console, options, goals, hosts, plain=plain)
    if goals.between is not None:
        raise Problem("--between says where --capacity searches", "give it with --capacity 'p99<50ms', or leave it out")
    load, plan = to_engine_plan(options, hosts)
    if hosts.is_here:
        allow_connections(plan.load.connections + options.idle_connections)
    assert_sent(goals.expect, [request.name for request in plan.requests], of_file=options.file is not None)
    measurement = measure(console, options.url, load, plan, plain=plain, hosts=hosts)
    return replace(measurement, expected=goals.expect)
