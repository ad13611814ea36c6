"""Refusals of loads over HTTP/2: stacks that do not speak it, and what only HTTP/1.1 has."""

from collections.abc import Mapping

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.catalog.workloads.model import ProgramWorkload
from fairtrial.experiment.reference import StackRef
from fairtrial.plan.plan import Point

OF_CONNECTIONS = ("connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade")
"""Headers that a request over HTTP/2 must not have (RFC 9113, section 8.2.2)."""


def assert_http2(
    reference: StackRef, stack: Stack, variant: Variant, point: Point, stacks: Mapping[str, Stack]
) -> None:
    """Raise a Problem if the load asks over HTTP/2 what the stack, the workload or the comparison cannot say in it.

    Args:
        stacks: all that there are, by name: those that speak HTTP/2 are named.
    """
    load = point.experiment.load
    if not load.http2:
        return
    if not stack.speaks_http2(variant):
        able = ", ".join(_speakers(stacks)) or "none of the stacks that there are"
        where = f"[contenders.{stack.name}]" if stack.in_experiment else "its stack.toml"
        raise Problem(
            f"load.http2: {reference} does not say that it speaks HTTP/2",
            f"set `http2 = true` in {where}, if it takes HTTP/2 beside HTTP/1.1 on its port "
            f"(docs/stack-contract.md); these do: {able}",
        )
    if point.experiment.reference is not None:
        raise Problem(
            "load.http2: answers under load are compared with those of a reference over HTTP/1.1 alone",
            "leave `http2` or `reference` out",
        )
    _assert_sayable(point)


def _assert_sayable(point: Point) -> None:
    """Raise a Problem for setup requests of connections, and for headers of connections, in a workload file."""
    workload = point.workload
    if isinstance(workload, ProgramWorkload) or workload.identity is None:  # shipped requests have no such headers
        return
    if workload.setup:
        raise Problem(
            f"load.http2: {workload.name}: setup.{workload.setup[0].name}: what connections send first is sent "
            "over HTTP/1.1 alone",
            'leave `http2` out, or write per = "load" there',
        )
    for request in workload.requests(point.data, point.options):
        for name, _ in request.headers:
            if name.lower() in OF_CONNECTIONS:
                raise Problem(
                    f"load.http2: {workload.name}: {request.name} has the header {name}, which is of a connection of "
                    "HTTP/1.1 (RFC 9113, section 8.2.2)",
                    "leave the header or `http2` out",
                )


def _speakers(stacks: Mapping[str, Stack]) -> list[str]:
    """Stacks and variants that speak HTTP/2, as an experiment names them."""
    names = []
    for stack in stacks.values():
        every = {"default": Variant(), **stack.variants}
        names += [
            stack.name if name == "default" else f"{stack.name}:{name}"
            for name, variant in every.items()
            if stack.speaks_http2(variant)
        ]
    return names
