"""Calls of methods on a further host of a lane, each with the types of its arguments and of its answer.

They are those of the methods themselves, so that a method is named once: in a Protocol of services, or in the lab on
that host. Nothing else can be called, and what arrives at either end is checked.
"""

import inspect
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, get_origin, get_type_hints

from pydantic import Field, TypeAdapter

from fairtrial.base.strict import Strict
from fairtrial.catalog.services.model import (
    CanBeKilled,
    RunningService,
    TellsDurability,
    TellsKeysRead,
    TellsMaintenance,
)
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import ServerMeter

PROTOCOLS = (RunningService, TellsDurability, TellsMaintenance, CanBeKilled, TellsKeysRead)
"""Those that a service on another host follows."""


class Call(Strict):
    """One line: a method, of a service or balancer that is up or (0) of the lab itself."""

    id: int
    target: int = 0
    method: str
    arguments: list[Any] = Field(default_factory=list)


@dataclass(frozen=True)
class Method:
    """How a method is called on another host."""

    signature: inspect.Signature
    """of the same, with `self`"""
    arguments: TypeAdapter[Any]
    """of all that may be given by place, in their order"""
    answer: TypeAdapter[Any]
    lasting: type | None
    """`Iterator` or `AbstractContextManager`: the answer is a number, by which `next`, `apply` and `close` name what
    the method returned there"""


@dataclass(frozen=True)
class ServiceUp:
    """A service that was brought up."""

    number: int
    """by which further calls name it"""
    attributes: dict[str, Any]
    """as JSON; of the types of `attributes_of`"""


@dataclass(frozen=True)
class BalancerUp:
    """A balancer that was brought up."""

    number: int
    port: int


@dataclass(frozen=True)
class Metered:
    """What a service or a balancer and its host did in a window."""

    processes: ServerMeter
    machine: MachineMeter


def methods_of(*kinds: type) -> dict[str, Method]:
    """The public methods of classes, by name; where two have the same, the later class's."""
    return {
        name: _method(function)
        for kind in kinds
        for name, function in vars(kind).items()
        if inspect.isfunction(function) and not name.startswith("_")
    }


def attributes_of(*kinds: type) -> dict[str, TypeAdapter[Any]]:
    """The types of the attributes and properties of classes, by name."""
    types: dict[str, Any] = {}
    for kind in kinds:
        types |= get_type_hints(kind)
        properties = {name: value.fget for name, value in vars(kind).items() if isinstance(value, property)}
        types |= {name: get_type_hints(getter)["return"] for name, getter in properties.items()}
    return {name: TypeAdapter(each) for name, each in types.items()}


def _method(function: Any) -> Method:
    types, signature = get_type_hints(function), inspect.signature(function)
    by_place = {
        name: each for name, each in signature.parameters.items() if each.kind is not inspect.Parameter.KEYWORD_ONLY
    }
    answer = types["return"]
    origin = get_origin(answer)
    lasting = origin if origin in (Iterator, AbstractContextManager) else None
    arguments: Any = tuple.__class_getitem__(tuple(types[name] for name in by_place if name != "self"))
    return Method(
        signature.replace(parameters=list(by_place.values())),
        TypeAdapter(arguments),
        TypeAdapter(answer if lasting is None else int),
        lasting,
    )
