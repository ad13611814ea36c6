"""A plan's refusals of one condition: a stack, a variant, a service, a workload and a load that do not go together."""

from collections.abc import Mapping

from fairtrial.base.problem import Problem
from fairtrial.base.registry import did_you_mean
from fairtrial.catalog.services import services
from fairtrial.catalog.services.model import MOST_CONCURRENCY, Service
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.catalog.workloads.model import DatabaseState, ProgramWorkload, Workload
from fairtrial.experiment.model import Experiment, ServiceOptions
from fairtrial.experiment.origins import ImageOrigin
from fairtrial.experiment.reference import StackRef
from fairtrial.load.engine_terms import Protocol
from fairtrial.plan.plan import PlannedCondition, Point

OF_CONNECTIONS = ("connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade")
"""Headers that a request over HTTP/2 and HTTP/3 must not have, but for `te: trailers`."""
NO_SUCH_HEADERS = {"HTTP/2": "RFC 9113, section 8.2.2", "HTTP/3": "RFC 9114, section 4.2"}
"""Who says so."""


def assert_condition(condition: PlannedCondition, reference: StackRef, stacks: Mapping[str, Stack]) -> None:
    """Raise a Problem unless stack, service, workload and load of a condition go together."""
    point, service, stack = condition.point, condition.service, condition.stack
    _assert_defined_on(point.workload, service)
    assert_state(point.workload, point.experiment, service)
    assert_think_and_setup(point.workload, point.experiment)
    _assert_concurrency(point.experiment, service)
    _assert_implements(stack, point.workload, service)
    _assert_startable(stack, service, point)
    _assert_env(point.experiment, reference, condition.variant)
    _assert_spoken(reference, stack, condition.variant, point, stacks)
    _assert_messages(point)


def _assert_defined_on(workload: Workload, service: Service) -> None:
    """Raise a Problem unless the workload makes sense on the service."""
    if workload.services and service.name not in workload.services:
        raise Problem(
            f"workload {workload.name} is not defined on service {service.name}; "
            f"it is on: {', '.join(workload.services)}",
            "set `service`, or write the stack as NAME@SERVICE",
        )


def assert_state(workload: Workload, experiment: Experiment, service: Service) -> None:
    """Raise a Problem unless the service can be loaded, brought back and asked as the workload file says."""
    state, where = workload.state, workload.name
    if state.data:
        _assert_data(state, where, experiment, service)
    entries = {"reset": state.reset, **{f"audit.{name}": audit for name, audit in state.audits.items()}}
    for key, each in entries.items():
        if each is not None and each.sql is not None and service.sql is None:
            raise Problem(
                f"{where}: {key}: {service.title} takes no SQL",
                'name a program instead, such as command = ["./state.sh"]; it gets DATABASE_URL',
            )


def _assert_data(state: DatabaseState, where: str, experiment: Experiment, service: Service) -> None:
    services_by_name = services()
    for name in state.data:
        if name not in services_by_name:
            raise Problem(f"{where}: data: there is no service {name!r}{did_you_mean(name, services_by_name)}")
        if not services_by_name[name].loads_files:
            loaded = ", ".join(each.name for each in services_by_name.values() if each.loads_files)
            raise Problem(f"{where}: data: {name} cannot be loaded from files", f"these can: {loaded}")
    if service.name == "none":
        return
    if experiment.services.get(service.name, ServiceOptions()).url_from is not None:
        raise Problem(
            f"{where}: data: {service.title} is a server of your own (url_from), which the lab does not load",
            "leave `url_from` out, and the lab starts one; or leave `data` out, and load it by a `command` of `reset`",
        )
    if service.name not in state.data:
        raise Problem(
            f"{where}: data: holds nothing for {service.name}, on which it is tried",
            f'add data.{service.name} = "FILE", or try it on: {", ".join(state.data)}',
        )


def assert_think_and_setup(workload: Workload, experiment: Experiment) -> None:
    """Raise a Problem if think times, or what connections send first, do not go with the experiment's load."""
    load, where = experiment.load, workload.name
    if workload.thinking and load.clients is None:
        raise Problem(
            f"{where}: requests.{workload.thinking[0]}.think: only a client of a closed load waits for its answer "
            "and thinks",
            'set `kind = "closed"` in [load], or leave `think` out',
        )
    if not workload.setup:
        return
    key = f"{where}: setup.{workload.setup[0].name}"
    if not load.keep_alive:
        raise Problem(
            f"{key}: without keep-alive, each request would have a connection and a setup of its own",
            'leave out `keep_alive = false`, or write per = "load" there',
        )
    if load.loses_clients:
        raise Problem(f"{key}: connections that are set up have no limit of local ports", "leave out `local_ports`")
    if experiment.reference is not None:
        raise Problem(
            f"{key}: each connection has answers of its own, which cannot be compared with those of a reference",
            'leave `reference` out, or write per = "load" there',
        )


def _assert_concurrency(experiment: Experiment, service: Service) -> None:
    """Raise a Problem if the concurrency budget is too small for the instances, or too large for a private server."""
    budget = experiment.concurrency_budget
    if experiment.instances > budget:
        raise Problem(
            f"instances: {experiment.instances} of them cannot share a concurrency budget of {budget}",
            "raise `concurrency_budget`, or lower `instances`",
        )
    private = bool(service.schemes) and experiment.services.get(service.name, ServiceOptions()).url_from is None
    if private and budget > MOST_CONCURRENCY:
        raise Problem(
            f"concurrency_budget: {service.title} is started with connections for at most {MOST_CONCURRENCY} requests "
            f"at once, and {budget} are asked for",
            f"lower it, or name a server of your own with [services.{service.name}] url_from",
        )


def _assert_implements(stack: Stack, workload: Workload, service: Service) -> None:
    """Raise a Problem unless the stack implements the workload on the service."""
    if not stack.implements(workload, service.name):
        raise Problem(
            f"stack {stack.name} does not implement workload {workload.name} on {service.name}: it is a {stack.kind} "
            f"with workloads {', '.join(stack.workloads) or 'none'} and services {', '.join(stack.services)}",
            "choose another stack, or add to its stack.toml what it implements",
        )


def _assert_startable(stack: Stack, service: Service, point: Point) -> None:
    """Raise a Problem if the experiment asks what cannot be done with a fixed port, or with what runs already."""
    experiment = point.experiment
    if stack.origin.port is not None and experiment.instances > 1:
        raise Problem(
            f"instances: {stack.name} always listens on port {stack.origin.port}, so that there can be one alone",
            "leave `instances` out, or let the program take its port from PORT and leave `port` out",
        )
    if stack.origin.is_secure and experiment.balancer is not None:
        raise Problem(
            f"balancer: it asks stacks without TLS, and {stack.name} speaks TLS alone",
            "leave `balancer` (and `instances`) out, or `tls`",
        )
    if stack.origin.in_container:
        _assert_reachable_from_container(stack, service, point)
    if not stack.origin.runs_already:
        return
    workload = point.workload
    untold = [
        *([f"instances = {experiment.instances}"] if experiment.instances > 1 else []),
        *([f"balancer = {experiment.balancer}"] if experiment.balancer is not None else []),
        *(f"env.{name}" for name in {**workload.environment(point.options), **experiment.env}),
        *(f"the {name} that the lab starts" for name in _private_services(experiment, service)),
        *(["the upstream that the lab starts"] if workload.upstream is not None else []),
    ]
    if untold:
        raise Problem(
            f"{stack.name} runs already and cannot be told of {untold[0]}",
            "let the lab start it (`command` and `directory`), or name a service of your own with url_from",
        )


def _assert_reachable_from_container(stack: Stack, service: Service, point: Point) -> None:
    private = _private_services(point.experiment, service)
    if "sqlite" in private:
        raise Problem(
            f"{stack.name} runs in a container, which has no part of the lab's files, and SQLite is a file",
            "choose another service, or let the lab start the program itself (`command` and `directory`)",
        )
    started = [*private, *(["the upstream"] if point.workload.upstream is not None else [])]
    if started and not (isinstance(stack.origin, ImageOrigin) and stack.origin.container_network == "host"):
        raise Problem(
            f"{stack.name} runs in a container with a network of its own, and {started[0]}, which the lab starts, "
            "listens on the host's loopback alone",
            'set `container_network = "host"`'
            if stack.origin.kind == "image"
            else 'let the compose file bring its own, and choose `service = "none"`',
        )


def _private_services(experiment: Experiment, service: Service) -> list[str]:
    """The services of a stack that the lab starts, cache included: only stacks that it starts are told of them."""
    names = [service.name, *([experiment.cache] if experiment.cache is not None else [])]
    private = [name for name in names if experiment.services.get(name, ServiceOptions()).url_from is None]
    return [name for name in private if name != "none"]


def _assert_env(experiment: Experiment, reference: StackRef, variant: Variant) -> None:
    """Raise a Problem if the experiment sets an environment variable that the variant sets as well."""
    for name in experiment.env.keys() & variant.env.keys():
        raise Problem(
            f"env.{name}: the variant {reference} sets it as well",
            "leave one of them out; `fairtrial list stacks` shows variants",
        )


def _assert_spoken(
    reference: StackRef, stack: Stack, variant: Variant, point: Point, stacks: Mapping[str, Stack]
) -> None:
    """Raise a Problem if the load asks over HTTP/2 or HTTP/3 what stack, workload or comparison cannot say in it.

    Args:
        stacks: all that there are, by name: those that speak it are named.
    """
    load = point.experiment.load
    if load.protocol != "HTTP/2":
        _assert_no_calls(point)
    if not load.has_streams:
        return
    protocol, key = load.protocol, load.protocol_key
    if protocol not in stack.spoken_beside(variant):
        able = ", ".join(_speakers(stacks, protocol)) or "none of the stacks that there are"
        where = f"[contenders.{stack.name}]" if stack.in_experiment else "its stack.toml"
        raise Problem(
            f"load.{key}: {reference} does not say that it speaks {protocol}",
            f"set `{key} = true` in {where}, if it takes HTTP/2 beside HTTP/1.1 on its port "
            f"(docs/stack-contract.md); these do: {able}"
            if protocol == "HTTP/2"
            else f"set `tls = true` and `http3 = true` in {where}, if it speaks HTTP/3 with the certificate of "
            "TLS_CERTIFICATE; of what runs already, `url` with https and `http3 = true`",
        )
    if point.experiment.reference is not None:
        raise Problem(
            f"load.{key}: answers under load are compared with those of a reference over HTTP/1.1 alone",
            f"leave `reference` out, or `{key}`",
        )
    _assert_sayable(point, protocol, key)


def _assert_messages(point: Point) -> None:
    """Raise a Problem for what a load of messages of a WebSocket cannot be."""
    workload, load = point.workload, point.experiment.load
    if workload.websocket is None:
        if load.idle_connections:
            raise Problem(
                f"load.idle_connections: the requests of {workload.name} are no messages of a WebSocket",
                "leave out `idle_connections`, or give a workload file whose requests have a `websocket`",
            )
        return
    refused = {
        f"load.{load.protocol_key}": load.has_streams,
        "load.keep_alive": not load.keep_alive,
        "load.trace_share": load.trace_share > 0,
        "load.local_ports": getattr(load, "local_ports", None) is not None,
        "balancer": point.experiment.balancer is not None,
    }
    for key in (key for key, applies in refused.items() if applies):
        raise Problem(f"{key}: the requests of {workload.name} are messages of a WebSocket", f"leave out `{key}`")


def _assert_no_calls(point: Point) -> None:
    """Raise a Problem for calls by gRPC, which go over HTTP/2."""
    workload = point.workload
    if workload.calls_grpc:
        raise Problem(f"load.http2: {workload.name}: calls by gRPC go over HTTP/2", "set `http2 = true` in [load]")


def _assert_sayable(point: Point, protocol: Protocol, key: str) -> None:
    """Raise a Problem for setup requests of connections, and for headers of connections, in a workload file."""
    workload = point.workload
    if isinstance(workload, ProgramWorkload) or workload.identity is None:  # shipped requests have no such headers
        return
    if workload.setup:
        raise Problem(
            f"load.{key}: {workload.name}: setup.{workload.setup[0].name}: what connections send first is sent "
            "over HTTP/1.1 alone",
            f'leave `{key}` out, or write per = "load" there',
        )
    for request in workload.requests(point.data, point.options):
        for name, value in request.headers:
            is_te_trailers = (name.lower(), value.strip().lower()) == ("te", "trailers")
            if name.lower() in OF_CONNECTIONS and not is_te_trailers:
                raise Problem(
                    f"load.{key}: {workload.name}: {request.name} has the header {name}, which is of a connection of "
                    f"HTTP/1.1 ({NO_SUCH_HEADERS[protocol]})",
                    f"leave the header or `{key}` out",
                )


def _speakers(stacks: Mapping[str, Stack], protocol: Protocol) -> list[str]:
    """Stacks and variants that speak it, as an experiment names them."""
    names = []
    for stack in stacks.values():
        every = {"default": Variant(), **stack.variants}
        names += [
            stack.name if name == "default" else f"{stack.name}:{name}"
            for name, variant in every.items()
            if protocol in stack.spoken_beside(variant)
        ]
    return names
