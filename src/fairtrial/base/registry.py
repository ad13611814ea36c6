"""Things that users name: collected from the modules of a package and looked up, with a hint for typing errors."""

import difflib
import importlib
import importlib.util
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, TypeVar

from fairtrial.base.problem import Problem

Thing = TypeVar("Thing")
MOST_NAMES = 12
"""In a message. Of more, it has the nearest."""
NEAREST = 3


def defined_in(package: str, path: Sequence[str], attribute: str) -> dict[str, Any]:
    """The values of `attribute` in all modules of a package, by their `name`, sorted by name.

    Modules without this attribute are passed over.

    Args:
        package: `__name__` of the package.
        path: `__path__` of the package.
        attribute: such as `WORKLOAD`; its value has a `name`.
    """
    modules = _modules_of(package, path)
    return _by_name(getattr(module, attribute) for module in modules if hasattr(module, attribute))


def instances_in(package: str, path: Sequence[str], kind: type[Thing]) -> dict[str, Thing]:
    """All values of a class that modules of a package define, by their `name`, sorted by name.

    Args:
        package: as `defined_in` has it.
        path: likewise.
        kind: its values have a `name`.
    """
    values = (value for module in _modules_of(package, path) for value in vars(module).values())
    return _by_name(value for value in values if isinstance(value, kind))


def _modules_of(package: str, path: Sequence[str]) -> list[ModuleType]:
    return [importlib.import_module(f"{package}.{module.name}") for module in pkgutil.iter_modules(path)]


def _by_name(things: Iterable[Any]) -> dict[str, Any]:
    return {thing.name: thing for thing in sorted(things, key=lambda thing: str(thing.name))}


def defined_by_its_module(package: str, name: str, attribute: str) -> Any | None:
    """The value under `attribute` in the module `name` of a package (with `_` for `-`), if its `name` is this one.

    No other module is imported. None: there is no such module, or it defines something else.
    """
    module = name.replace("-", "_")
    if not module.isidentifier() or importlib.util.find_spec(f"{package}.{module}") is None:
        return None
    thing = getattr(importlib.import_module(f"{package}.{module}"), attribute, None)
    return thing if thing is not None and thing.name == name else None


def pick(kind: str, name: str, choices: Mapping[str, Thing], remedy: str = "name one that there is") -> Thing:
    """The thing of this name.

    Raises:
        Problem: nothing has this name; the reason suggests the most similar one, or else lists those that there are.
    """
    if name in choices:
        return choices[name]
    raise Problem(f"there is no {kind} {name!r}{instead_of(name, sorted(choices))}", remedy)


def instead_of(name: str, candidates: Iterable[str]) -> str:
    """The hint behind a name that nothing has: ` (did you mean blocks?)`; `; there are: a, b` where none is similar, or
    `; the nearest of 40: a, b, c`."""
    names = list(candidates)
    suggestion = did_you_mean(name, names)
    if suggestion or not names:
        return suggestion
    if len(names) <= MOST_NAMES:
        return f"; there are: {', '.join(names)}"
    nearest = difflib.get_close_matches(name, names, n=NEAREST, cutoff=0)
    return f"; the nearest of {len(names)}: {', '.join(nearest)}"


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """` (did you mean blocks?)` for `bloks`; empty where no candidate is similar."""
    similar = difflib.get_close_matches(name, list(candidates), n=1)
    return f" (did you mean {similar[0]}?)" if similar else ""
