"""`fairtrial docket build`, as a user calls it: what is found, what pages hold, and what they link."""

import json
import lzma
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest
from click.testing import Result
from typer.testing import CliRunner

from fairtrial.base.problem import Problem
from fairtrial.commands import app
from fairtrial.record.read import read_record
from fairtrial.record.write import RECORD_FILE, RecordWriter
from tests.builders import a_trial, an_experiment, trials_of
from tests.docs.test_site import Html
from tests.fairtrial_cross_examine.boards.files import (
    BY_WRK,
    arena_profile,
    benchmarker,
    power_round,
    text_of,
)

HOSTILE = "<script>alert(1)</script>\x1b[2J\"'&"


def build(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["docket", "build", *map(str, arguments)], env={"COLUMNS": "120"})


def write_record(folder: Path, rate: float) -> None:
    folder.mkdir(parents=True)
    experiment = an_experiment("a", "b", "c", blocks=3).but(title=HOSTILE)
    record = experiment.claiming(of="a", to="b", at_least=1.5, published=9.0, source=HOSTILE, text=HOSTILE).record()

    def trial(name: str, _block: int) -> Any:
        return a_trial().erring(status_5xx=90_000) if name == "c" else a_trial().serving(rate * (1 + (name == "a")))

    with RecordWriter(folder) as writer:
        for line in (record, *trials_of(record, trial)):
            writer.append(line)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of an experiment, one of them compressed, three boards, a board that is broken, and another file."""
    folder = tmp_path_factory.mktemp("docket") / "in"
    write_record(folder / "run-1", 4000)
    write_record(folder / "other", 3000)
    text = (folder / "other" / RECORD_FILE).read_bytes()
    (folder / "run-2.jsonl.xz").write_bytes(lzma.compress(text))
    shutil.rmtree(folder / "other")
    power = power_round({"json": [{}, {}]})
    power["testMetadata"] = [{"name": "sparrow", "language": "Go", "database": "Postgres", "approach": HOSTILE}]
    texts = {
        "baseline-512.json": text_of(arena_profile({}, {"framework": HOSTILE, "avg_latency": "5.20ms"})),
        "data.min.json": text_of(benchmarker(BY_WRK)),
        "round.json": text_of(power),
        "broken.json": text_of({**benchmarker(BY_WRK), "frameworks": [{"name": "sparrow"}]}),
        "package.json": "{}",
    }
    for name, content in texts.items():
        (folder / name).write_text(content)
    return folder


@pytest.fixture(scope="module")
def site(folder: Path) -> Path:
    out = folder.parent / "site"
    finished = build(folder, "--out", out)
    assert finished.exit_code == 3, finished.output
    assert "2 results with 6 conditions, 3 board files with 5 rows" in finished.output
    assert "passed over: broken" in finished.output
    return out


def page_of(path: Path) -> Html:
    page = Html()
    page.feed(path.read_text())
    return page


def table_of(path: Path) -> dict[str, Any]:
    text = path.read_text().partition('id="table-data">')[2].partition("</script>")[0]
    table: dict[str, Any] = json.loads(text)
    return table


def column(path: Path, title: str) -> list[Any]:
    table = table_of(path)
    place = [each for each, _ in table["columns"]].index(title)
    return [row[place] for row in table["rows"]]


def test_every_link_leads_to_a_file_of_the_site_and_to_a_place_in_it(site: Path) -> None:
    pages = {path.resolve(): page_of(path) for path in site.rglob("*.html")}
    assert len(pages) == 3 + 2 + 2 + 3 + 3 + 4  # tables, experiments, claims, contenders, boards and theirs
    for path, page in pages.items():
        links = [*page.links, *page.loaded]
        if "table-data" in page.ids:
            links += [cell[2] for row in table_of(path)["rows"] for cell in row if isinstance(cell, list) and cell[2:]]
        for link in filter(None, links):
            name, place = urldefrag(unquote(link))
            target = (path.parent / name).resolve() if name else path
            assert target.is_file() and site.resolve() in target.parents, (path, link)
            assert not place or place in pages[target].ids, (path, link)


def test_what_came_from_records_and_boards_is_escaped(site: Path) -> None:
    for path in [*site.rglob("*.html"), *site.rglob("*.svg")]:
        text = path.read_text()
        assert "<script>alert" not in text and "\x1b" not in text, path


def test_a_refusal_stands_where_others_would_have_a_zero(site: Path) -> None:
    assert [cell for cell in column(site / "conditions.html", "goodput /s") if isinstance(cell, str)] == ["refused"] * 2
    reasons = [cell[1] for cell in column(site / "conditions.html", "outcome") if cell[0] == "refused"]
    assert len(reasons) == 2 and all("errors" in reason for reason in reasons)
    assert column(site / "conditions.html", "rank")[:2] != ["–", "–"]


def test_then_and_now_stand_side_by_side(site: Path) -> None:
    assert {cell[0] for cell in column(site / "claims.html", "then")} == {"9"}
    assert all(cell[0].startswith("2.00") for cell in column(site / "claims.html", "now"))
    badges = list((site / "badges").iterdir())
    assert len(badges) == 2 and all("2.00 (2.00 to 2.00)" in badge.read_text() for badge in badges)


def test_a_contender_has_its_history_and_the_records_behind_it(site: Path) -> None:
    [page] = (path for path in (site / "contenders").glob("a-*.html"))
    assert "In 2 results" in page.read_text() and 'id="chart-history"' in page.read_text()
    for record in (site / "records").glob("run-*"):
        assert len(read_record(record)[1]) == 9


def test_rows_of_boards_are_chosen_by_what_the_board_says_of_them(site: Path) -> None:
    assert column(next(site.glob("boards/round*")), "database") == ["Postgres"] * 2
    assert column(next(site.glob("boards/baseline*")), "verdict") == ["stands", "contradicts itself"]


def test_a_later_build_takes_away_what_is_gone_and_spares_other_files(folder: Path, tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    shutil.copytree(folder, source)
    build(source, "--out", out)
    assert (out / "experiments" / "run-1.html").exists()
    (out / "CNAME").write_text("of the user")
    shutil.rmtree(source / "run-1")
    build(source, "--out", out)
    assert not (out / "experiments" / "run-1.html").exists() and (out / "experiments" / "run-2.html").exists()
    assert (out / "CNAME").exists()


@pytest.mark.parametrize("case", ["nothing to show", "a folder of others"])
def test_what_cannot_be_built_is_a_problem_with_a_remedy(case: str, folder: Path, tmp_path: Path) -> None:
    empty, full = tmp_path / "empty", tmp_path / "full"
    empty.mkdir()
    full.mkdir()
    (full / "thesis.txt").write_text("mine")
    problem = (build(empty) if case == "nothing to show" else build(folder, "--out", full)).exception
    assert isinstance(problem, Problem) and "name a" in problem.remedy
    assert [each.name for each in full.iterdir()] == ["thesis.txt"]
