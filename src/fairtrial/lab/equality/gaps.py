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
"""Differences of one pair of documents at most: two that have nothing in common need not be walked to their end."""


class Absent:
    """The value in a place that is not there."""

    def __repr__(self) -> str:
        return "missing"


MISSING = Absent()

Steps = tuple[str, ...]
"""The way to a value: names of members and places of elements."""


@dataclass(frozen=True)
class Gap:
    """One difference."""

    steps: Steps
    general: Steps
    """the same with `*` for places of elements"""
    kind: Literal["value", "order", "length", "type", "missing"]
    value: Any
    reference: Any

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
            return f"{place} has length {len(self.value)}, not {len(self.reference)}"
        if isinstance(self.value, Absent):
            return f"{place} is missing, not {_excerpt(self.reference)}"
        if isinstance(self.reference, Absent):
            return f"{place} is {_excerpt(self.value)}, and the reference has none"
        return f"{place} is {_excerpt(self.value)}, not {_excerpt(self.reference)}"


class Rules:
    """Differences that do not count, looked up by the way to a value."""

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


def gaps(value: Any, reference: Any, rules: Rules) -> list[Gap]:
    """The differences between two documents; empty: they say the same."""
    all_gaps = []
    for gap in _gaps(value, reference, rules, (), ()):
        all_gaps.append(gap)
        if len(all_gaps) == MOST_GAPS:
            break
    return all_gaps


def renamed_pairs(value: Any, reference: Any, rules: Rules, steps: Steps = ()) -> Iterator[tuple[str, str, str]]:
    """(pointer, value, value of the reference) of everything that may be renamed, in two documents of one shape."""
    pointer = rules.renamed(steps)
    if pointer is not None:
        yield pointer, canonical(value, Rules(Normalisation())), canonical(reference, Rules(Normalisation()))
    elif isinstance(value, dict) and isinstance(reference, dict):
        for name in value.keys() & reference.keys():
            yield from renamed_pairs(value[name], reference[name], rules, (*steps, name))
    elif isinstance(value, list) and isinstance(reference, list) and not rules.unordered(steps):
        for place, (element, reference_element) in enumerate(zip(value, reference, strict=False)):
            yield from renamed_pairs(element, reference_element, rules, (*steps, str(place)))


def json_type(value: Any) -> str:
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
        return f"<{json_type(value)}>"
    if isinstance(value, dict):
        members = (f"{json.dumps(name)}:{canonical(value[name], rules, (*steps, name))}" for name in sorted(value))
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        elements = [canonical(each, rules, (*steps, str(place))) for place, each in enumerate(value)]
        return "[" + ",".join(sorted(elements) if rules.unordered(steps) else elements) + "]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


def _gaps(value: Any, reference: Any, rules: Rules, steps: Steps, general: Steps) -> Iterator[Gap]:
    if json_type(value) != json_type(reference):
        yield Gap(steps, general, "type", value, reference)
    elif rules.type_alone(steps):
        return
    elif isinstance(value, dict):
        for name in sorted(value.keys() | reference.keys()):
            below = ((*steps, name), (*general, name))
            if name not in value or name not in reference:
                yield Gap(*below, "missing", value.get(name, MISSING), reference.get(name, MISSING))
            else:
                yield from _gaps(value[name], reference[name], rules, *below)
    elif isinstance(value, list):
        yield from _gaps_of_arrays(value, reference, rules, steps, general)
    elif value != reference:
        yield Gap(steps, general, "value", value, reference)


def _gaps_of_arrays(
    value: list[Any], reference: list[Any], rules: Rules, steps: Steps, general: Steps
) -> Iterator[Gap]:
    if len(value) != len(reference):
        yield Gap(steps, general, "length", value, reference)
        return
    apart = [Counter(canonical(each, rules, (*steps, "*")) for each in array) for array in (value, reference)]
    if rules.unordered(steps):
        if apart[0] != apart[1]:
            yield Gap(steps, general, "value", value, reference)
        return
    if apart[0] == apart[1] and canonical(value, rules, steps) != canonical(reference, rules, steps):
        yield Gap(steps, general, "order", value, reference)
        return
    for place, (element, reference_element) in enumerate(zip(value, reference, strict=True)):
        yield from _gaps(element, reference_element, rules, (*steps, str(place)), (*general, "*"))


def _fits(pattern: Steps, steps: Steps) -> bool:
    return len(pattern) == len(steps) and all(
        expected_step in ("*", step) or step == "*" for expected_step, step in zip(pattern, steps, strict=True)
    )


def _excerpt(value: Any) -> str:
    return printable(json.dumps(value, ensure_ascii=False), SHOWN_CHARACTERS)
