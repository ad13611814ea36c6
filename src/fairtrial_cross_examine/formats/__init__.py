"""Outputs of tools: one file for each tool. Adding a tool is adding a file that defines `FORMAT`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from textwrap import dedent
from typing import Any

from fairtrial.base.registry import defined_in
from fairtrial_cross_examine.command_line import last_command
from fairtrial_cross_examine.formats.model import Format, Section
from fairtrial_cross_examine.model import PrintedRun

__all__ = ["all_formats", "read_json", "read_text"]

STYLE = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
"""Sequences that colour text and move in a terminal, as a captured output may hold it."""
EMPTY_LINES = re.compile(r"\n{3,}")
INDENTATIONS = (" " * 4, "\t")
"""How the lines of a code block of Markdown begin (CommonMark 0.31, section 4.4)."""
MOST_RUNS = 1000


@cache
def all_formats() -> Mapping[str, Format]:
    """Every format by the name of its tool, in the order of the names."""
    return defined_in(__name__, __path__, "FORMAT")


def read_text(text: str, source: str) -> list[PrintedRun]:
    """Every output in a text, in its order. Text between the outputs is passed over, but for the calls in it.

    Raises:
        ValueError: it holds more than 1,000 outputs, or something that is no number where one must be.
    """
    text = _without_indentation(_plain(text))
    places = list(_places(text))
    if len(places) > MOST_RUNS:
        raise ValueError(f"more than {MOST_RUNS:,} outputs")
    runs = []
    for number, place in enumerate(places):
        before = text[places[number - 1].anchor if number else 0 : place.anchor]
        end = places[number + 1].start if number + 1 < len(places) else len(text)
        name = source if len(places) == 1 else f"{source} #{number + 1}"
        # What wrk2 prints may have been called as `wrk`, which is what its program is named after the build.
        command = last_command(before, (place.format.name, place.format.name.rstrip("2")))
        run = place.format.read(Section(text[place.start : end], name, source, command))
        if run is not None:
            runs.append(run)
    return runs


def _plain(text: str) -> str:
    """Without styles, spaces at the ends of lines, and more than one empty line at a time.

    Patterns begin with the spaces of a line, which may be line ends as well: through thousands of these, each would
    take the square of their number.
    """
    lines = STYLE.sub("", text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return EMPTY_LINES.sub("\n\n", "\n".join(line.rstrip() for line in lines))


def _without_indentation(text: str) -> str:
    """An output that stands in a code block begins its lines as its tool printed them; all else stays as it is."""
    blocks = []
    for indented, lines in groupby(text.split("\n"), lambda line: not line or line.startswith(INDENTATIONS)):
        block = "\n".join(lines)
        dedented = dedent(block) if indented else ""
        is_output = any(form.anchor.search(dedented) for form in all_formats().values())
        blocks.append(dedented if is_output else block)
    return "\n".join(blocks)


def read_json(document: Any, name: str, source: str) -> list[PrintedRun]:
    """The runs of a parsed JSON document; none if no tool writes such a document."""
    for form in all_formats().values():
        runs = form.read_json(document, name, source) if form.read_json is not None else []
        if runs:
            return runs
    return []


@dataclass(frozen=True)
class _Place:
    """Where an output begins, where its anchor is, and whose it is."""

    anchor: int
    start: int
    format: Format


def _places(text: str) -> Iterator[_Place]:
    """The outputs in a text. Of formats with the same anchor, the one that recognises what follows is taken."""
    candidates: dict[int, list[Format]] = {}
    for form in all_formats().values():
        for match in form.anchor.finditer(text):
            candidates.setdefault(match.start(), []).append(form)
    anchors = sorted(candidates)
    last = 0
    for number, anchor in enumerate(anchors):
        end = anchors[number + 1] if number + 1 < len(anchors) else len(text)
        recognised = [form for form in candidates[anchor] if form.recognises(text[anchor:end])]
        if recognised:
            yield _Place(anchor, _start(recognised[0], text, last, anchor), recognised[0])
            last = anchor


def _start(form: Format, text: str, last: int, anchor: int) -> int:
    for head in form.heads:
        starts = [match.start() for match in head.finditer(text, last, anchor)]
        if starts:
            return starts[-1]
    return anchor
