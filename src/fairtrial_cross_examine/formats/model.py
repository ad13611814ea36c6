"""How the output of one tool is found in a text and read."""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Any

from fairtrial.base.printable import printable
from fairtrial_cross_examine.command_line import PrintedCall
from fairtrial_cross_examine.figures import as_count, as_figure, exactly
from fairtrial_cross_examine.model import Figure, PrintedRun


@dataclass(frozen=True)
class Section:
    """The part of a text that holds one output of one tool. Its lines have no spaces before or behind them."""

    text: str
    command: PrintedCall
    """the call that was printed before it, or NO_CALL"""
    before: str = ""
    """the text from the output before it to this one"""
    behind: str = ""
    """the text from its end to the next output"""
    ambiguous: list[str] = field(default_factory=list)
    """what was looked for and stands there more than once, with different figures: none of them was taken"""

    def find(self, pattern: str) -> re.Match[str] | None:
        """The match, with `^` and `$` at every line; None, too, if several matches differ in their groups."""
        first = None
        for match in re.finditer(pattern, self.text, re.MULTILINE):
            if first is not None and match.groups() != first.groups():
                self._doubt(f"{first[0]} / {match[0]}")
                return None
            first = first or match
        return first

    def group(self, pattern: str) -> str | None:
        """The first group of the match."""
        match = self.find(pattern)
        return None if match is None else match[1]

    def figure(self, pattern: str, unit: float = 1.0) -> Figure | None:
        """The first group of the match as a number in units of `unit`."""
        text = self.group(pattern)
        return None if text is None else as_figure(text, unit)

    def count(self, pattern: str) -> Figure | None:
        """The first group of the match as a count."""
        text = self.group(pattern)
        return None if text is None else exactly(as_count(text))

    def pairs(self, pattern: str) -> list[tuple[str, str]]:
        """Both groups of every match; none of those that have one first group and different second ones."""
        values: dict[str, str] = {}
        doubtful = set()
        for match in re.finditer(pattern, self.text, re.MULTILINE):
            if values.setdefault(match[1], match[2]) != match[2]:
                doubtful.add(match[1])
                self._doubt(f"{match[1]}: {values[match[1]]} / {match[2]}")
        return [(key, value) for key, value in values.items() if key not in doubtful]

    def _doubt(self, what: str) -> None:
        line = " ".join(what.split())
        if line not in self.ambiguous:
            self.ambiguous.append(line)


LONGEST_NAME = 200
LISTED_SHARE = 0.001
"""How far requests may be from rate times seconds."""
MEASURED = ("requests", "seconds", "rate", "mean", "max")
"""What a tool prints in every output, as the table of a cross-examination calls it."""
BUT_SECONDS = ("requests", "rate", "mean", "max")


@dataclass(frozen=True)
class Format:
    """The output of one tool."""

    name: str
    """the name of the tool"""
    anchor: str
    """a pattern of a line that every output has exactly once, from the start of the line on"""
    read: Callable[[Section], PrintedRun | Sequence[PrintedRun] | None]
    """None: it holds too little to be an output; of a table, a run for each row. A run has neither file nor tool yet,
    and a name only if it is a part of the output"""
    heads: Sequence[str] = ()
    """those of other lines that an output has at most once before its anchor, in their order"""
    tails: Sequence[str] = ()
    """and those behind it; if there are any, the output ends at the next empty line behind the last one"""
    marks: str = ""
    """a pattern of what only this tool prints, where several print the same lines; one of them has none"""
    read_json: Callable[[Any], list[PrintedRun]] = lambda _document: []
    """reads a parsed document; an empty list: it is another tool's"""
    in_json: str = ""
    """a pattern of what only its JSON holds, by which a document is known that breaks off"""
    always: Sequence[str] = MEASURED
    """what every output has: if it is not found, that is said"""
    beside: Sequence[str] = ()
    """what stands above or below every output: if it is not found, that is a remark"""
    is_apart: Callable[[str], bool] = lambda _between: False
    """whether what stands between two of its lines, the first of them included, tells that they are of two outputs"""
    calls: Sequence[str] = ()
    """the names under which it is called, where these are others than its own"""

    @cached_property
    def lines(self) -> tuple[re.Pattern[str], ...]:
        """The lines by which an output is found, in the order in which they are printed."""
        return tuple(re.compile(line, re.MULTILINE) for line in (*self.heads, self.anchor, *self.tails))


def rows_of(section: Section) -> Iterator[dict[str, str]]:
    """The whole rows of a CSV table by its heads, in lower case, up to the first line without a comma."""
    heads, *rows = csv.reader(takewhile(lambda line: "," in line, section.text.strip().splitlines()))
    for row in rows:
        if len(row) >= len(heads):
            yield dict(zip((head.lower() for head in heads), row, strict=False))


def listed_all(number: int, rate: Figure | None, seconds: Figure | None) -> bool:
    """Whether the answers and errors of the lists at its end are as many as its rate counts: they can be cut off."""
    return rate is None or seconds is None or number >= (1 - LISTED_SHARE) * rate.times(seconds).low


def failed_statuses(statuses: Mapping[str, int]) -> dict[str, int]:
    """Answers by status, without successes and redirections: `status 503`."""
    return {f"status {status}": number for status, number in statuses.items() if status[0] not in "23" and number}


def share_name(text: str) -> str:
    """A percentage as percentiles are named: `99.900` is `99.9`."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def unread_run(place: int, row: object, why: str) -> PrintedRun:
    """A run without figures for a row of a document that cannot be read, among others that can."""
    entry = row if isinstance(row, Mapping) else {}
    name = entry.get("command") or entry.get("label") or f"row {place}"
    remark = f"this row is not read: {why}; give it as it was printed"
    return PrintedRun(name=printable(str(name), LONGEST_NAME), remarks=[remark])
