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

from tests.docs.axe import axe_script, violations
from tests.docs.browser import Page, a_page
from tests.docs.pages import DOCS, ROOT
from tests.machine.needs import needs

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


@needs("chromium")
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", ["index", "checks", "load", "replications/ggm"])
def test_a_page_is_no_wider_than_the_screen(site: Path, browser: Page, name: str, width: int) -> None:
    browser.open(site / f"{name}.html", width=width)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


@needs("chromium", "node")
@pytest.mark.parametrize(
    ("name", "width", "dark"), [("index", 400, False), ("load", 1280, True), ("replications/ggm", 400, True)]
)
def test_a_page_breaks_no_rule_of_accessibility(site: Path, tmp_path: Path, name: str, width: int, dark: bool) -> None:
    with a_page(tmp_path) as page:  # the theme remembers the colours of the first page that it showed in a browser
        page.open(site / f"{name}.html", width=width, dark=dark)
        assert violations(page, axe_script()) == []


@needs("chromium")
def test_the_start_has_a_card_for_each_path(site: Path, browser: Page) -> None:
    browser.open(site / "index.html", width=1280)
    cards = browser.evaluate("[...document.querySelectorAll('.grid.cards > ul > li')].map(each => each.innerText)")
    assert [card.splitlines()[0] for card in cards] == PATHS


@needs("chromium")
def test_the_search_finds_without_a_server(site: Path, browser: Page) -> None:
    browser.open(site / "index.html", width=1280)
    key = {"key": "k", "code": "KeyK", "windowsVirtualKeyCode": 75, "modifiers": 2}
    browser.call("Input.dispatchKeyEvent", type="keyDown", **key)
    browser.call("Input.dispatchKeyEvent", type="keyUp", **key)
    browser.evaluate(awaited("active().localName === 'input'"))
    browser.call("Input.insertText", text="coordinated omission")
    browser.evaluate(awaited("links().some(each => /load[.]html.*#coordinated-omission$/.test(each))"))


def awaited(condition: str) -> str:
    """A script that ends when this is so, and fails after ten seconds; the search has a shadow tree of its own."""
    return f"""(async () => {{
        const roots = (root) => [root, ...[...root.querySelectorAll('*')].filter(each => each.shadowRoot)
            .flatMap(each => roots(each.shadowRoot))];
        const links = () => roots(document).flatMap(root => [...root.querySelectorAll('a')].map(each => each.href));
        const active = (at = document.activeElement) => at.shadowRoot ? active(at.shadowRoot.activeElement ?? at) : at;
        for (let tries = 0; !({condition}); tries++) {{
            if (tries === 200) throw new Error('not within ten seconds');
            await new Promise(resolve => setTimeout(resolve, 50));
        }}
    }})()"""


@needs("chromium")
def test_who_likes_the_dark_gets_it(site: Path, tmp_path: Path) -> None:
    with a_page(tmp_path) as page:
        page.open(site / "index.html", width=1280, dark=True)
        colours = page.evaluate("getComputedStyle(document.body).backgroundColor").strip("rgb()").split(",")
    assert max(map(int, colours)) < 40


@needs("chromium")
def test_the_browser_asked_for_nothing_but_files_and_reported_no_error(browser: Page) -> None:
    assert browser.asked_for
    assert {url for url in browser.asked_for if not url.startswith(("file:", "data:", "blob:"))} == set()
    assert browser.errors == []
