"""The pages of the documentation, and the parts of a page that tests look at."""

import re
from collections.abc import Iterator
from pathlib import Path

from fairtrial.base.locations import PACKAGE

ROOT = PACKAGE.parents[1]
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(DOCS.glob("*.md")),
    *sorted((DOCS / "replications").glob("*.md")),
    *sorted((ROOT / "experiments" / "studies").glob("*.md")),
    *sorted(EXAMPLES.rglob("*.md")),
    *sorted((ROOT / "benches").rglob("*.md")),
]


def code_blocks(page: Path, language: str) -> list[str]:
    """The contents of a page's fenced code blocks in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def prose_lines(page: Path) -> Iterator[tuple[int, str]]:
    """(line number, line) of everything but code blocks, tables, pictures and what programs write between markers."""
    in_code = in_generated = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif line.startswith("<!-- "):
            in_generated = not line.startswith("<!-- /")
        elif not in_code and not in_generated and not line.startswith(("|", "![", "    ")):
            yield number, line


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = (line.lstrip("#").strip() for _, line in prose_lines(page) if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
