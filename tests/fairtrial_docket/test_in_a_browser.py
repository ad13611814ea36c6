"""The docket, opened from its folder in a browser without a network, looked at by axe-core."""

import json
import subprocess
from pathlib import Path

import pytest

from fairtrial_docket.site import Site
from fairtrial_docket.tables import TableColumn, table_data
from tests.docs.browser import Page
from tests.fairtrial_docket.conftest import build
from tests.machine.needs import needs
from tests.tools.pool.test_pool import HONEST, folders

AXE = "axe-core@4.14.1"
LOOKS = [(400, True), (1280, False)]
"""Widths, and whether the screen is dark."""
TABLES = ("index", "conditions", "claims", "choice", "boards/base*")
OTHERS = ("experiments/*", "claims/*", "contenders/a-*", "contenders/base*")
ROWS = 10_000

pytestmark = needs("chromium", "node")


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script that finds what a screen reader stumbles over."""
    folder = tmp_path_factory.mktemp("axe")
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save"]
    subprocess.run(["npm", "install", *options, AXE], cwd=folder, check=True, capture_output=True, timeout=120)
    return (folder / "node_modules/axe-core/axe.min.js").read_text()


@pytest.mark.parametrize("kind", [*TABLES, *OTHERS])
def test_a_page_is_read_on_every_screen_and_by_a_screen_reader(kind: str, site: Path, page: Page, axe: str) -> None:
    look(min(site.glob(f"{kind}.html")), page, axe)


def test_a_claim_over_machines_is_read_on_every_screen(tmp_path: Path, page: Page, axe: str) -> None:
    folders(tmp_path / "in", [*HONEST, 0.4])
    assert build(tmp_path / "in", "--out", tmp_path / "site").exit_code == 0
    look(min((tmp_path / "site").glob("claims/*.html")), page, axe)


def look(path: Path, page: Page, axe: str) -> None:
    for width, dark in LOOKS:
        page.open(path, width=width, dark=dark)
        page.evaluate(DRAWN)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.evaluate(axe)
        found = page.evaluate("axe.run({preload: false}).then((r) => r.violations.map((v) => [v.id, v.nodes[0].html]))")
        assert found == [], (width, dark)
    assert page.errors == []
    assert [url for url in page.asked_for if not url.startswith(("file:", "data:"))] == []


def test_verdicts_of_rows_have_their_colour_and_no_arithmetic_is_cut_off(site: Path, page: Page) -> None:
    page.open(min(site.glob("boards/base*.html")), width=1280)
    coloured = "[...document.querySelectorAll('td .word')].map((each) => each.className)"
    assert page.evaluate(coloured) == ["word stands", "word contradicts-itself"]
    page.open(min(site.glob("contenders/base*.html")), width=1280)
    assert page.evaluate(
        "[...document.querySelectorAll('.scroll')].every((each) => each.scrollWidth <= each.clientWidth)"
    )


DRAWN = """
(async () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
  while (document.querySelector(".chart:not(.drawn)")) await new Promise((next) => setTimeout(next, 20));
})()
"""


def test_ten_thousand_rows_are_chosen_and_sorted_and_few_are_drawn(tmp_path: Path, page: Page) -> None:
    heads = [TableColumn("contender"), TableColumn("language", "choice"), TableColumn("goodput", "number")]
    rows = [[f"c{n}", ("Go", "Rust")[n % 2], [f"{n:,}", "", None, n] if n % 10 else "refused"] for n in range(ROWS)]
    Site(tmp_path / "site").page("conditions.html", "conditions.html.j2", table=table_data(heads, rows))
    address = (tmp_path / "site" / "conditions.html").as_uri()
    page.open(f"{address}#language=Rust&sort=goodput", width=1280)
    seen = json.loads(page.evaluate(SEEN))
    assert seen == [100, "100 of 5,000 rows shown; 10,000 in all", "c9999", "Rust"]
    page.evaluate(TYPED)
    assert json.loads(page.evaluate(SEEN))[:2] == [56, "56 of 56 rows shown; 10,000 in all"]
    assert "q=c77" in page.evaluate("location.hash")


def test_a_filter_of_the_address_that_no_row_has_is_shown_and_can_be_taken_back(tmp_path: Path, page: Page) -> None:
    heads = [TableColumn("contender"), TableColumn("language", "choice")]
    Site(tmp_path / "site").page("conditions.html", "conditions.html.j2", table=table_data(heads, [["a", "Go"]]))
    page.open(f"{(tmp_path / 'site' / 'conditions.html').as_uri()}#language=Zig", width=1280)
    assert page.evaluate("document.querySelector('select').value") == "Zig"
    assert page.evaluate("document.getElementById('found').textContent") == "0 of 0 rows shown; 1 in all"
    page.evaluate(ANY)
    assert page.evaluate("document.getElementById('found').textContent") == "1 of 1 rows shown; 1 in all"


ANY = """
document.querySelector("select").value = "";
document.querySelector("select").dispatchEvent(new Event("change"))
"""
TYPED = """
document.querySelector("input").value = "c77";
document.querySelector("input").dispatchEvent(new Event("input"))
"""
SEEN = """
JSON.stringify([document.querySelectorAll("tbody tr").length, document.getElementById("found").textContent,
  document.querySelector("tbody th").textContent, document.querySelector("tbody td").textContent])
"""
