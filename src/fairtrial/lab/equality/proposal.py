"""Declarations that a reference which differs from itself needs: lines of TOML to paste into the workload file."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from fairtrial.base.json_pointer import pointer_of
from fairtrial.experiment.workload_file.normalisation import Normalisation, TextRule
from fairtrial.lab.equality.answer import KeptAnswer
from fairtrial.lab.equality.difference import (
    Gap,
    Steps,
    difference,
    first_difference,
    is_utf8,
    json_gaps,
    without_what_varies,
)

IDENTITY = re.compile(r"(^|[_-])(id|uuid|guid)$|[a-z](Id|ID|Uuid|UUID)$", re.IGNORECASE)
"""Names of members whose values name something: they are renamed one to one rather than free."""

CONTEXT_CHARACTERS = 12
TOKEN = re.compile(r"[\w.:+-]*", re.ASCII)


@dataclass
class Proposal:
    """Declarations that are missing, beside those that are there."""

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
        return [*(example for each in self._groups() for example in each.values()), *self.hopeless]

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
            inline_tables = (
                f"{{ matches = {_quoted(each.matches)}, is = {_quoted(each.stands_for)} }}" for each in rules
            )
            lines.append(f"text = [{', '.join(inline_tables)}]")
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
    """The differences between pairs of answers of one server to the same requests."""
    result = Proposal(declared)
    for first, second in pairs:
        where = f"{first.request}, instance {first.instance}"
        all_gaps = None
        if (first.status, first.media_type) == (second.status, second.media_type) and not (first.fault or second.fault):
            all_gaps = json_gaps(first, second, declared)
            texts = [body for body in (first.body, second.body) if body is not None and is_utf8(body)]
            if all_gaps is None and first.body is not None and second.body is not None and len(texts) == 2:
                _note_text(result, first.body, second.body, where)
                continue
        if not all_gaps:
            result.hopeless.append(f"{where}: {difference(first, second, declared)}")
            continue
        for gap in all_gaps:
            _note_gap(result, gap, where)
    return result


def _note_gap(result: Proposal, gap: Gap, example: str) -> None:
    example = f"{example}: {gap.in_words()}"
    place: Steps = gap.general
    if gap.kind == "order":
        result.unordered.setdefault(pointer_of(place), example)
    elif gap.kind in ("missing", "type"):
        # A value that is volatile is there in both, and of one type: what holds it is declared instead.
        result.volatile.setdefault(pointer_of(place[:-1]), example)
    elif gap.kind == "value" and place and IDENTITY.search(place[-1]):
        result.renamed.setdefault(pointer_of(place), example)
    else:
        result.volatile.setdefault(pointer_of(place), example)


def _note_text(result: Proposal, first: str, second: str, where: str) -> None:
    so_far = Normalisation(text=[*result.declared.text, *result.text_rules()])
    left, right = without_what_varies(first, so_far), without_what_varies(second, so_far)
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
    result.stands_for[pattern] = f"{before}…"
    result.text.setdefault(pattern, f'{where}: "{values[0]}", and "{values[-1]}"')


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
