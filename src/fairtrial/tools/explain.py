"""Passages of the documentation on a name: of a check, a metric, a column, a key of an experiment, a word.

A page says it in one of four forms: a section, whose heading is the name; a row of a table; an item of a list; and a
paragraph that begins with the name in bold, as those of the glossary do.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

from fairtrial.base.locations import shipped
from fairtrial.base.problem import Problem
from fairtrial.base.registry import instead_of

HEADING = re.compile(r"#+ (.+)")
MARKER = re.compile(r"<!-- .+ -->")
"""Around a generated part."""
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
IN_CODE = re.compile(r"`([^`]+)`")
ITEM = re.compile(r"- (?:`([^`]+)`|\*\*([^*]+)\*\*)")
IN_BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
BEGINS_WITH_KEY = re.compile(r"\*\*`([^`]+)`\*\*")
PERCENTILE = re.compile(r"(?<=-p)\d+(?:\.\d+)?$")
DOCUMENTED_PERCENTILE = "50"
"""Tables of metrics have a row of it."""
GLOSSARY = "glossary.md"
FIRST_PAGES = (GLOSSARY, "claims.md", "experiments.md", "checks.md")
"""The pages whose names are asked for; the others follow in the order of the alphabet."""
OF_RUNS = ("benchmarks.md", "replications.md")
"""Pages whose tables tell of runs, and define nothing."""
MOST_ENTRIES = 3
MOST_CHARACTERS = 600
"""Of an entry that is not the first."""
MOST_WORDS = 2
"""Of a row's name that is not in code; more are a description."""
UNTITLED = ("", "meaning")
"""Headings of columns that say nothing."""


@dataclass(frozen=True)
class PageEntry:
    """The passage of a page on its names."""

    names: tuple[str, ...]
    """as the page writes them"""
    text: str
    """Markdown without links"""
    page: str
    section: str
    """the heading under which it stands"""

    def is_about(self, key: str) -> bool:
        """Whether a name, in the form of `key_of`, is one of its own."""
        return key in map(key_of, self.names)


def key_of(name: str) -> str:
    """A name as all its spellings have it in common: `not-warm` of `Not warm`, `load.steps` of `[load.steps]`."""
    return re.sub(r"[^a-z0-9.%/]+", "-", name.casefold()).strip("-.").removesuffix(".name")


def explain(name: str) -> tuple[list[PageEntry], list[PageEntry]]:
    """The entries of a name: those to print, and others that there are.

    What is spelt so comes first, then a section of this name, then what `FIRST_PAGES` say. `response_time_p97` has the
    entry of `response_time_p50`, and `load.connections` that of `connections` in the section `[load]`. Of a name that
    has no entry: the paragraphs that have it in code.

    Raises:
        Problem: no page says anything of it; the reason suggests a similar name.
    """
    key = key_of(name)
    section, _, last = key.rpartition(".")
    for each in (key, PERCENTILE.sub(DOCUMENTED_PERCENTILE, key), last):
        entries = [entry for entry in all_entries() if entry.is_about(each)]
        if entries:
            sections = (each, section.rpartition(".")[2])
            entries.sort(key=lambda entry: (name not in entry.names, not _is_of(entry, sections)))
            further = (entry for entry in entries[1:MOST_ENTRIES] if len(entry.text) <= MOST_CHARACTERS)
            to_print = [entries[0], *further]
            return to_print, [entry for entry in entries if entry not in to_print]
    if mentions := list(_mentions(name)):
        return mentions[:MOST_ENTRIES], mentions[MOST_ENTRIES:]
    raise Problem(
        f"the documentation has no entry {name!r}{instead_of(key, sorted(known_keys()))}",
        "name a check, a metric, a column, a verdict, a key of an experiment or a word of the glossary: "
        "`fairtrial explain` lists them",
    )


def _is_of(entry: PageEntry, sections: Sequence[str]) -> bool:
    return entry.page in FIRST_PAGES and key_of(entry.section.partition(",")[0]) in sections


def _mentions(name: str) -> Iterator[PageEntry]:
    """The paragraphs that have a name in code."""
    for entry in all_entries():
        if entry.names == (entry.section,):
            paragraphs = [each for each in entry.text.split("\n\n") if f"`{name}`" in each]
            yield from (replace(entry, names=(name,), text=paragraph) for paragraph in paragraphs)


def known_keys() -> set[str]:
    """Every name that has an entry, in the form of `key_of`."""
    return {key_of(name) for entry in all_entries() for name in entry.names}


def names_by_page() -> dict[str, list[str]]:
    """The names on each of `FIRST_PAGES`, each once, in the order of the page."""
    by_page = groupby(all_entries(), key=lambda entry: entry.page)
    return {
        page: list(dict.fromkeys(name for entry in entries for name in entry.names))
        for page, entries in by_page
        if page in FIRST_PAGES
    }


@cache
def all_entries() -> list[PageEntry]:
    """The entries of all pages, those of `FIRST_PAGES` first."""
    others = sorted({path.name for path in shipped("docs").glob("*.md")} - {*FIRST_PAGES, *OF_RUNS})
    return [entry for page in (*FIRST_PAGES, *others) for entry in _entries_of(page)]


def _entries_of(page: str) -> Iterator[PageEntry]:
    text = (shipped("docs") / page).read_text(encoding="utf-8")
    for heading, body in _sections(text):
        blocks = list(filter(None, map(str.strip, re.split(r"\n{2,}", body))))
        if blocks and heading:
            yield PageEntry((heading,), "\n\n".join(blocks), page, heading)
        section = heading
        for block in blocks:
            if (match := BEGINS_WITH_KEY.match(block)) is not None:  # a table of its keys follows
                section = f"{heading}, {match[1]}"
            yield from (replace(entry, page=page, section=section) for entry in _in_block(block, page == GLOSSARY))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Each heading, and what stands up to the next one; links are replaced by their text."""
    lines: list[str] = []
    heading, in_example = "", False
    for line in LINK.sub(r"\1", text).splitlines():
        in_example ^= line.startswith("```")
        match = None if in_example else HEADING.fullmatch(line)
        if match is not None:
            yield heading, "\n".join(lines)
            heading, lines = match[1].replace("`", ""), []
        elif not MARKER.fullmatch(line):
            lines.append(line)
    yield heading, "\n".join(lines)


def _in_block(block: str, in_glossary: bool) -> Iterator[PageEntry]:
    """The entries of a table, of a list, or of a paragraph; of what is neither, none."""
    if block.startswith("|"):
        yield from _rows(block)
    elif block.startswith("- "):
        for item in re.split(r"\n(?=- )", block):
            if (match := ITEM.match(item)) is not None:
                yield PageEntry((match[1] or match[2],), item, "", "")
    elif in_glossary and block.startswith("**"):
        yield PageEntry(tuple(" ".join(name.split()) for name in IN_BOLD.findall(block)), block, "", "")
    elif (match := BEGINS_WITH_KEY.match(block)) is not None:
        yield PageEntry((match[1],), block, "", "")


def _rows(table: str) -> Iterator[PageEntry]:
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split(" |")] for line in table.splitlines())
    for first, *others in rows:
        plain = [name for name in first.split(", ") if len(name.split()) <= MOST_WORDS]
        names = IN_CODE.findall(first) or plain
        cells = [(title, cell) for title, cell in zip(head[1:], others, strict=False) if cell]
        if cells and not cells[-1][1].startswith("as "):  # `as above`, of a key that is explained elsewhere
            lines = [f"- {cell}" if title in UNTITLED else f"- {title}: {cell}" for title, cell in cells]
            yield PageEntry(tuple(names), "\n".join(lines), "", "")
