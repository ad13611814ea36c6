"""Where two JSON documents differ, beyond what does not count."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from fairtrial.base.json_pointer import pointer_of, steps_of
from fairtrial.base.printable import printable
from fairtrial.experiment.workload_file.normalisation import Normalisation

SHOWN_CHARACTERS = 60
MOST_GAPS = 1000
"""Of one pair of documents: two that have nothing in common need not be walked to their end."""


class Missing:
    """What stands where nothing stands."""

    def __repr__(self) -> str:
        return "missing"


MISSING = Missing()

Steps = tuple[str, ...]
"""The way to a value: names of members and places of elements."""


@dataclass(frozen=True)
class Gap:
    """One difference."""

    steps: Steps
    general: Steps
    """the same with `*` for places of elements"""
    kind: Literal["value", "order", "length", "type", "missing"]
    found: Any
    wanted: Any

    @property
    def pointer(self) -> str:
        """Where it is; the empty pointer is the whole document."""
        return pointer_of(self.steps)

    def in_words(self) -> str:
        """`/price is 3, not 4`; printable."""
        place = self.pointer or "the body"
        if self.kind == "order":
            return f"{place} has the same elements in another order"
        if self.kind == "length":
            return f"{place} has length {len(self.found)}, not {len(self.wanted)}"
        if isinstance(self.found, Missing):
            return f"{place} is missing, not {_shown(self.wanted)}"
        if isinstance(self.wanted, Missing):
            return f"{place} is {_shown(self.found)}, and the reference has none"
        return f"{place} is {_shown(self.found)}, not {_shown(self.wanted)}"


class Rules:
    """What does not count, looked up by the way to a value."""

    def __init__(self, normalisation: Normalisation) -> None:
        self._type_alone = [steps_of(each) for each in (*normalisation.volatile, *normalisation.renamed)]
        self._renamed = [(each, steps_of(each)) for each in normalisation.renamed]
        self._unordered = [steps_of(each) for each in normalisation.unordered]

    def type_alone(self, steps: Steps) -> bool:
        """Whether of the value there only the type counts."""
        return any(_fits(each, steps) for each in self._type_alone)

    def unordered(self, steps: Steps) -> bool:
        """Whether the order of the array there does not count."""
        return any(_fits(each, steps) for each in self._unordered)

    def renamed(self, steps: Steps) -> str | None:
        """The pointer of `renamed` that the value there fits; None: none."""
        return next((pointer for pointer, each in self._renamed if _fits(each, steps)), None)

    @property
    def has_renamed(self) -> bool:
        """Whether some values are equal up to renaming."""
        return bool(self._renamed)


def gaps(found: Any, wanted: Any, rules: Rules) -> list[Gap]:
    """The differences between two documents; empty: they say the same."""
    listed = []
    for gap in _gaps(found, wanted, rules, (), ()):
        listed.append(gap)
        if len(listed) == MOST_GAPS:
            break
    return listed


def renamed_pairs(found: Any, wanted: Any, rules: Rules, steps: Steps = ()) -> Iterator[tuple[str, str, str]]:
    """(pointer, value found, value wanted) of everything that may be renamed, in two documents of one shape."""
    pointer = rules.renamed(steps)
    if pointer is not None:
        yield pointer, canonical(found, Rules(Normalisation())), canonical(wanted, Rules(Normalisation()))
    elif isinstance(found, dict) and isinstance(wanted, dict):
        for name in found.keys() & wanted.keys():
            yield from renamed_pairs(found[name], wanted[name], rules, (*steps, name))
    elif isinstance(found, list) and isinstance(wanted, list) and not rules.unordered(steps):
        for place, (one, other) in enumerate(zip(found, wanted, strict=False)):
            yield from renamed_pairs(one, other, rules, (*steps, str(place)))


def kind_of(value: Any) -> str:
    """The JSON type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "text" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def canonical(value: Any, rules: Rules, steps: Steps = ()) -> str:
    """A text that is the same for values that say the same."""
    if rules.type_alone(steps):
        return f"<{kind_of(value)}>"
    if isinstance(value, dict):
        members = (f"{json.dumps(name)}:{canonical(value[name], rules, (*steps, name))}" for name in sorted(value))
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        elements = [canonical(each, rules, (*steps, str(place))) for place, each in enumerate(value)]
        return "[" + ",".join(sorted(elements) if rules.unordered(steps) else elements) + "]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


def _gaps(found: Any, wanted: Any, rules: Rules, steps: Steps, general: Steps) -> Iterator[Gap]:
    if kind_of(found) != kind_of(wanted):
        yield Gap(steps, general, "type", found, wanted)
    elif rules.type_alone(steps):
        return
    elif isinstance(found, dict):
        for name in sorted(found.keys() | wanted.keys()):
            below = ((*steps, name), (*general, name))
            if name not in found or name not in wanted:
                yield Gap(*below, "missing", found.get(name, MISSING), wanted.get(name, MISSING))
            else:
                yield from _gaps(found[name], wanted[name], rules, *below)
    elif isinstance(found, list):
        yield from _gaps_of_arrays(found, wanted, rules, steps, general)
    elif found != wanted:
        yield Gap(steps, general, "value", found, wanted)


def _gaps_of_arrays(found: list[Any], wanted: list[Any], rules: Rules, steps: Steps, general: Steps) -> Iterator[Gap]:
    if len(found) != len(wanted):
        yield Gap(steps, general, "length", found, wanted)
        return
    apart = [Counter(canonical(each, rules, (*steps, "*")) for each in array) for array in (found, wanted)]
    if rules.unordered(steps):
        if apart[0] != apart[1]:
            yield Gap(steps, general, "value", found, wanted)
        return
    if apart[0] == apart[1] and canonical(found, rules, steps) != canonical(wanted, rules, steps):
        yield Gap(steps, general, "order", found, wanted)
        return
    for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
        yield from _gaps(one, other, rules, (*steps, str(place)), (*general, "*"))


def _fits(pattern: Steps, steps: Steps) -> bool:
    return len(pattern) == len(steps) and all(
        wanted in ("*", step) or step == "*" for wanted, step in zip(pattern, steps, strict=True)
    )


def _shown(value: Any) -> str:
    return printable(json.dumps(value, ensure_ascii=False), SHOWN_CHARACTERS)
