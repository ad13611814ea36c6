"""`make site`: built strictly, its links followed, and looked at in a browser from files, without a network."""

import os
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest

from tests.docs.browser import Page, a_page
from tests.docs.pages import DOCS, ROOT

PATHS = ["I have a service", "I choose a framework", "I doubt a benchmark", "I write a stack"]
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}
"""What a browser asks for by itself, and in which attribute."""
NO_FILES = ("https://", "http://", "mailto:", "data:")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    done = subprocess.run(
        ["sh", ROOT / "scripts" / "site", ROOT, folder], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@dataclass
class Html(HTMLParser):
    """The ids of a page, what it links, and what a browser loads for it."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if name := values.get("id"):
            self.ids.add(name)
        if tag == "a" and (link := values.get("href")) is not None:
            self.links.append(link)
        if (
            tag in LOADED
            and (link := values.get(LOADED[tag]))
            and values.get("rel") not in ("canonical", "prev", "next")
        ):
            self.loaded.append(link)


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Html]:
    pages = {}
    for path in site.rglob("*.html"):
        pages[path] = Html()
        pages[path].feed(path.read_text())
    return pages


def nav(entries: list[Any]) -> Iterator[str]:
    """The pages of the order of pages."""
    for entry in entries:
        for value in [entry] if isinstance(entry, str) else entry.values():
            yield from [value] if isinstance(value, str) else nav(value)


def test_every_page_has_its_place_in_the_order_of_the_four_paths() -> None:
    order = tomllib.loads((ROOT / "scripts" / "site.toml").read_text())["project"]["nav"]
    assert sorted(nav(order)) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))
    assert [title for entry in order for title in entry][1:5] == PATHS


def test_no_link_is_dead_and_nothing_is_loaded_from_elsewhere(pages: dict[Path, Html]) -> None:
    assert len(pages) > len(list(DOCS.rglob("*.md")))
    dead = []
    for path, page in pages.items():
        if path.name == "404.html":  # whose links are those of a server
            continue
        for link in (*page.links, *page.loaded):
            if link.startswith(NO_FILES):
                if link in page.loaded:
                    dead.append(f"{path.name} loads {link}")
                continue
            file, anchor = urldefrag(link)
            target = Path(os.path.normpath(path.parent / unquote(file))) if file else path
            if not target.is_file() or (anchor and unquote(anchor) not in pages[target].ids):
                dead.append(f"{path.name}: {link}")
    assert dead == []


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with a_page(tmp_path_factory.mktemp("profile")) as page:
        yield page
