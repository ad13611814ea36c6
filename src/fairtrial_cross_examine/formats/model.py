"""How the output of one tool is found in a text and read."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairtrial_cross_examine.command_line import PrintedCall
from fairtrial_cross_examine.figures import as_figure
from fairtrial_cross_examine.model import Figure, PrintedRun


@dataclass(frozen=True)
class Section:
    """The part of a text that holds one output of one tool."""

    text: str
    name: str
    """the name by which the reader will tell the run"""
    source: str
    command: PrintedCall | None
    """the call that was printed before it, if one was"""

    def find(self, pattern: str) -> re.Match[str] | None:
        """The first match, with `^` and `$` at every line."""
        return re.search(pattern, self.text, re.MULTILINE)

    def group(self, pattern: str) -> str | None:
        """The first group of the first match."""
        match = self.find(pattern)
        return None if match is None else match[1]

    def figure(self, pattern: str, unit: float = 1.0) -> Figure | None:
        """The first group of the first match as a number in units of `unit`."""
        text = self.group(pattern)
        return None if text is None else as_figure(text, unit)

    def pairs(self, pattern: str) -> list[tuple[str, str]]:
        """Both groups of every match."""
        return [(match[1], match[2]) for match in re.finditer(pattern, self.text, re.MULTILINE)]


@dataclass(frozen=True)
class Format:
    """The output of one tool."""

    name: str
    """the name of the tool"""
    anchor: re.Pattern[str]
    """a place that every output has exactly once"""
    read: Callable[[Section], PrintedRun | None]
    """None: it holds too little to be an output"""
    heads: Sequence[re.Pattern[str]] = ()
    """where an output begins, if that comes before its anchor: the last place of the first of these that is there; it
    may have been cut off"""
    recognises: Callable[[str], bool] = lambda _text: True
    """whether the text from one anchor to the next is this tool's, where several tools share their first line"""
    read_json: Callable[[Any, str, str], list[PrintedRun]] | None = None
    """reads a parsed document, with the name and the file of its runs; an empty list: it is another tool's"""


def failed_statuses(statuses: Mapping[str, int]) -> dict[str, int]:
    """Answers by status, without successes and redirections: `status 503`."""
    return {f"status {status}": number for status, number in statuses.items() if status[0] not in "23" and number}


def share_name(text: str) -> str:
    """A percentage as percentiles are named: `99.900` is `99.9`."""
    return text.rstrip("0").rstrip(".") if "." in text else text
