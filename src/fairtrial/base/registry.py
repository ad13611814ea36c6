"""Things that are known by name: found by their being in a folder, picked by what the user wrote."""

import difflib
import importlib
import importlib.util
import pkgutil
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from fairtrial.base.problem import Problem

Thing = TypeVar("Thing")


def defined_in(package: str, path: Sequence[str], attribute: str) -> dict[str, Any]:
    """What the modules of a package define under this name, by their own `name`, in the order of these.

    A module without it is part of the frame, and is passed over.

    Args:
        package: `__name__` of the package.
        path: `__path__` of the package.
        attribute: such as `WORKLOAD`; its value has a `name`.
    """
    modules = [importlib.import_module(f"{package}.{module.name}") for module in pkgutil.iter_modules(path)]
    things = [getattr(module, attribute) for module in modules if hasattr(module, attribute)]
    return {thing.name: thing for thing in sorted(things, key=lambda thing: str(thing.name))}


def defined_by_its_module(package: str, name: str, attribute: str) -> Any | None:
    """What the module `name` of a package (with `_` for `-`) defines under `attribute`, if its `name` is this one.

    No other module is imported. None: there is no such module, or it defines something else.
    """
    module = name.replace("-", "_")
    if not module.isidentifier() or importlib.util.find_spec(f"{package}.{module}") is None:
        return None
    thing = getattr(importlib.import_module(f"{package}.{module}"), attribute, None)
    return thing if thing is not None and thing.name == name else None


def pick(kind: str, name: str, known: Mapping[str, Thing], remedy: str = "name one of these") -> Thing:
    """The thing of this name.

    Raises:
        Problem: there is none; the reason lists those there are, and the one that was probably meant.
    """
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=1)
    meant = f" (did you mean {close[0]}?)" if close else ""
    raise Problem(f"there is no {kind} {name!r}{meant}; there are: {', '.join(sorted(known))}", remedy)
