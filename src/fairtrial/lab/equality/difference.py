"""Where an answer differs from the one that it should be equal to, beyond what does not count."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from fairtrial.base.json_members import MemberTwice
from fairtrial.base.json_pointer import pointer_of, steps_of
from fairtrial.base.printable import printable
from fairtrial.experiment.workload_file.normalisation import Normalisation
from fairtrial.lab.equality.answer import GivenAnswer, KeptAnswer

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


BEFORE_CHARACTERS, AFTER_CHARACTERS = 10, 40
"""Characters of a text that are shown in front of the first one that differs, and from there on."""

COMPARED_CHARACTERS = 64 << 10
"""Characters of a text in which the first difference is looked for. The user's expressions may take long."""


def difference(answer: GivenAnswer, reference: GivenAnswer, normalisation: Normalisation) -> str:
    """The difference of an answer that is not equal, in a few printable words."""
    apart = _apart_from_the_body(answer, reference)
    if apart is not None:
        return apart
    if answer.body is None or reference.body is None:
        return "the body differs; not both were kept"
    try:
        all_gaps = json_gaps(answer, reference, normalisation)
    except MemberTwice as twice:
        return str(twice)
    if all_gaps:
        return min((gap.in_words() for gap in all_gaps), key=len)
    if all_gaps is not None:
        return f"the body differs: {printable(answer.body, 60)}, not {printable(reference.body, 60)}"
    return _text_difference(answer.body, reference.body, normalisation)


def json_gaps(answer: GivenAnswer, reference: GivenAnswer, normalisation: Normalisation) -> list[Gap] | None:
    """Where two JSON bodies differ; None: not both are JSON.

    Raises:
        MemberTwice: an object has two members of one name.
    """
    if not (answer.is_json and reference.is_json):
        return None
    try:
        return gaps(answer.value(), reference.value(), Rules(normalisation))
    except MemberTwice:
        raise
    except (ValueError, RecursionError):
        return None


def without_what_varies(text: str, normalisation: Normalisation) -> str:
    """A body that is no JSON, as it is compared."""
    text = text[:COMPARED_CHARACTERS].removesuffix("\n").removesuffix("\r")
    if not is_utf8(text):
        return text
    for rule in normalisation.text:
        text = re.sub(rule.matches, lambda _match, rule=rule: rule.stands_for, text, flags=re.ASCII)  # type: ignore[misc]
    return text


def is_utf8(text: str) -> bool:
    """Whether a text that the engine kept came as UTF-8, as far as is known: what did not is compared by its bytes."""
    return "\ufffd" not in text


def first_difference(first: str, second: str) -> int:
    """Where two texts begin to differ, in characters."""
    return next(
        (place for place, (left, right) in enumerate(zip(first, second, strict=False)) if left != right),
        min(len(first), len(second)),
    )


def _apart_from_the_body(answer: GivenAnswer, reference: GivenAnswer) -> str | None:
    for each, whose in ((answer, ""), (reference, " in the reference's answer")):
        if each.fault is not None:
            return f"{each.fault}{whose}"
    if answer.status != reference.status:
        return f"status {answer.status}, not {reference.status}"
    if answer.media_type != reference.media_type:
        return f"type {printable(answer.media_type, 60) or 'none'}, not {printable(reference.media_type, 60) or 'none'}"
    return None


def _text_difference(body: str, reference: str, normalisation: Normalisation) -> str:
    body_text, reference_text = without_what_varies(body, normalisation), without_what_varies(reference, normalisation)
    at = first_difference(body_text, reference_text)
    start = max(0, at - BEFORE_CHARACTERS)
    excerpts = [printable(text[start : at + AFTER_CHARACTERS]) for text in (body_text, reference_text)]
    return f'character {at + 1}: "{excerpts[0]}", not "{excerpts[1]}"'


class Renaming:
    """The pairs of values that stand for each other so far. Both sides' values are JSON texts."""

    def __init__(self, normalisation: Normalisation) -> None:
        self._rules = Rules(normalisation)
        self._reference_of: dict[tuple[str, str], str] = {}
        self._value_of: dict[tuple[str, str], str] = {}

    def contradiction(self, answer: KeptAnswer, reference: KeptAnswer) -> str | None:
        """The contradiction of a pair of otherwise equal answers to the pairs before it; None: there is none."""
        if not (self._rules.has_renamed and answer.is_json and reference.is_json):
            return None
        try:
            pairs = list(renamed_pairs(answer.value(), reference.value(), self._rules))
        except (ValueError, RecursionError):
            return None
        for pointer, value, reference_value in pairs:
            before = self._reference_of.setdefault((pointer, value), reference_value)
            if before != reference_value:
                return f"{pointer} is {value} again, where the reference's was {before} and is now {reference_value}"
            before = self._value_of.setdefault((pointer, reference_value), value)
            if before != value:
                return f"{pointer} is {value}, and was {before} where the reference's is {reference_value} both times"
        return None
