"""What a reference that differs from itself needs written down: lines of TOML to paste into the workload file."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from fairtrial.base.json_pointer import pointer_of
from fairtrial.experiment.workload_file.normalisation import Normalisation, TextRule
from fairtrial.lab.equality.answer import KeptAnswer
from fairtrial.lab.equality.difference import (
    difference,
    first_difference,
    is_utf8,
    json_gaps,
    without_what_varies,
)
from fairtrial.lab.equality.gaps import Gap, Steps

IDENTITY = re.compile(r"(^|[_-])(id|uuid|guid)$|[a-z](Id|ID|Uuid|UUID)$", re.IGNORECASE)
"""Names of members whose values name something: they are renamed one to one rather than free."""

CONTEXT_CHARACTERS = 12
TOKEN = re.compile(r"[\w.:+-]*", re.ASCII)


@dataclass
class Proposal:
    """What has to be declared, beside what is."""

    declared: Normalisation
    volatile: dict[str, str] = field(default_factory=dict)
    """by pointer, a difference that shows it"""
    renamed: dict[str, str] = field(default_factory=dict)
    unordered: dict[str, str] = field(default_factory=dict)
    text: dict[str, str] = field(default_factory=dict)
    """by regular expression"""
    stands_for: dict[str, str] = field(default_factory=dict)
    """by regular expression, what stands in the place of what it matches"""
    hopeless: list[str] = field(default_factory=list)
    """differences that nothing can be declared for"""

    @property
    def is_needed(self) -> bool:
        """Whether anything differs."""
        return bool(self.volatile or self.renamed or self.unordered or self.text or self.hopeless)

    def examples(self) -> list[str]:
        """A difference for each of what is proposed."""
        return [*(shown for each in self._groups() for shown in each.values()), *self.hopeless]

    def toml(self, table: str = "reference") -> list[str]:
        """The whole table `[reference]`, under this name, with what is declared already."""
        lines = [f"[{table}]"]
        tables = (self.volatile, self.renamed, self.unordered)
        for name, proposed in zip(("volatile", "renamed", "unordered"), tables, strict=True):
            pointers = [*getattr(self.declared, name), *_outermost(proposed, self.volatile)]
            if pointers:
                lines.append(f"{name} = [{', '.join(_quoted(each) for each in pointers)}]")
        rules = [*self.declared.text, *self.text_rules()]
        if rules:
            written = (f"{{ matches = {_quoted(each.matches)}, is = {_quoted(each.stands_for)} }}" for each in rules)
            lines.append(f"text = [{', '.join(written)}]")
        return lines

    def text_rules(self) -> list[TextRule]:
        """The replacements that are proposed."""
        return [TextRule(matches=each, stands_for=self.stands_for[each]) for each in self.text]

    def _groups(self) -> list[dict[str, str]]:
        return [
            {pointer: table[pointer] for pointer in _outermost(table, self.volatile)}
            for table in (self.volatile, self.renamed, self.unordered)
        ] + [self.text]


def proposal(pairs: Iterable[tuple[KeptAnswer, KeptAnswer]], declared: Normalisation) -> Proposal:
    """What differs between pairs of answers of one server to the same requests."""
    found = Proposal(declared)
    for one, other in pairs:
        shown = f"{one.request}, instance {one.instance}"
        listed = None
        if (one.status, one.media_type) == (other.status, other.media_type) and not (one.fault or other.fault):
            listed = json_gaps(one, other, declared)
            texts = [body for body in (one.body, other.body) if body is not None and is_utf8(body)]
            if listed is None and one.body is not None and other.body is not None and len(texts) == 2:
                _note_text(found, one.body, other.body, shown)
                continue
        if not listed:
            found.hopeless.append(f"{shown}: {difference(one, other, declared)}")
            continue
        for gap in listed:
            _note_gap(found, gap, shown)
    return found


def _note_gap(found: Proposal, gap: Gap, shown: str) -> None:
    shown = f"{shown}: {gap.in_words()}"
    place: Steps = gap.general
    if gap.kind == "order":
        found.unordered.setdefault(pointer_of(place), shown)
    elif gap.kind in ("missing", "type"):
        # A value that is volatile is there in both, and of one type: what holds it is declared instead.
        found.volatile.setdefault(pointer_of(place[:-1]), shown)
    elif gap.kind == "value" and place and IDENTITY.search(place[-1]):
        found.renamed.setdefault(pointer_of(place), shown)
    else:
        found.volatile.setdefault(pointer_of(place), shown)


def _note_text(found: Proposal, one: str, other: str, shown: str) -> None:
    so_far = Normalisation(text=[*found.declared.text, *found.text_rules()])
    left, right = without_what_varies(one, so_far), without_what_varies(other, so_far)
    if left == right:
        return
    at = first_difference(left, right)
    start = at
    while start > 0 and TOKEN.fullmatch(left[start - 1]) and left[start - 1]:
        start -= 1
    tokens = [TOKEN.match(text, start) for text in (left, right)]
    values = [token.group() for token in tokens if token is not None]
    before = left[max(0, start - CONTEXT_CHARACTERS) : start].rpartition("\n")[2]
    # Without anything in front of it the expression would match all over the text.
    pattern = f"{re.escape(before) or '(?m)^'}{_pattern_of(values)}"
    found.stands_for[pattern] = f"{before}…"
    found.text.setdefault(pattern, f'{shown}: "{values[0]}", and "{values[-1]}"')


def _pattern_of(values: list[str]) -> str:
    for characters in ("[0-9]+", "[0-9a-f-]+", "[0-9A-Fa-f-]+"):
        if all(re.fullmatch(characters, value) for value in values):
            return characters
    return r"[\w.:+-]*"


def _outermost(pointers: Iterable[str], volatile: Iterable[str]) -> list[str]:
    """Without those within another that is volatile."""
    outer = list(volatile)
    return [
        each for each in pointers if not any(each != other and f"{each}/".startswith(f"{other}/") for other in outer)
    ]


def _quoted(text: str) -> str:
    return f"'{text}'" if "\\" in text and "'" not in text else json.dumps(text, ensure_ascii=False)
