"""`fairtrial docket build`, as a user calls it: what is found, what pages hold, and what they link."""

import json
import lzma
import os
import shutil
import signal
import threading
from dataclasses import replace
from multiprocessing import active_children
from multiprocessing.popen_spawn_posix import Popen
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest

from fairtrial.base.problem import Problem
from fairtrial.judge.judging import judge_record
from fairtrial.record.read import read_record
from fairtrial.record.write import RECORD_FILE
from fairtrial_docket.build import _outcomes
from fairtrial_docket.entries import entry_of
from fairtrial_docket.pages.contender import history_chart
from fairtrial_docket.site import Site
from fairtrial_docket.sources import find_sources
from tests.builders import a_trial, an_experiment, trials_of
from tests.docs.test_site import Html
from tests.fairtrial_cross_examine.boards.files import arena_profile, text_of
from tests.fairtrial_docket.conftest import build, write_record
from tests.lines import line_with
from tests.waiting import wait_for


def page_of(path: Path) -> Html:
    page = Html()
    page.feed(path.read_text())
    return page


def table_of(path: Path, name: str = "table") -> dict[str, Any]:
    text = path.read_text().partition(f'id="{name}-data">')[2].partition("</script>")[0]
    table: dict[str, Any] = json.loads(text)
    return table


def column(path: Path, title: str) -> list[Any]:
    table = table_of(path)
    place = [each for each, _ in table["columns"]].index(title)
    return [row[place] for row in table["rows"]]


def test_every_link_leads_to_a_file_of_the_site_and_to_a_place_in_it(site: Path) -> None:
    pages = {path.resolve(): page_of(path) for path in site.rglob("*.html")}
    assert len(pages) == 4 + 2 + 2 + 3 + 3 + 4  # tables, experiments, claims, contenders, boards and theirs
    for path, page in pages.items():
        links = [*page.links, *page.loaded]
        if "table-data" in page.ids:
            links += [cell[2] for row in table_of(path)["rows"] for cell in row if isinstance(cell, list) and cell[2:]]
        for question in table_of(path, "choice")["questions"] if "choice-data" in page.ids else []:
            links += [link for run in question["of"] for link in (run[1], run[4])]
            links += [contender[1] for contender in question["contenders"]]
        for link in filter(None, links):
            name, place = urldefrag(unquote(link))
            target = (path.parent / name).resolve() if name else path
            assert target.is_file() and site.resolve() in target.parents, (path, link)
            assert not place or place in pages[target].ids, (path, link)


def test_what_came_from_records_and_boards_is_escaped(site: Path) -> None:
    shown = set()
    for path in [*site.rglob("*.html"), *site.rglob("*.svg")]:
        text = path.read_text()
        assert "<script>alert" not in text and "\x1b" not in text, path
        if r"&lt;script&gt;alert(1)&lt;/script&gt;\x1b[2J" in text or r"\u003cscript\u003ealert(1)" in text:
            shown.add(path.relative_to(site).parts[0])
    assert shown >= {"index.html", "claims.html", "experiments", "claims", "boards"}


def test_sources_of_one_name_are_told_apart(tmp_path: Path) -> None:
    folders = [tmp_path / "host-a", tmp_path / "host-b"]
    for folder in folders:
        write_record(folder / "run-1", 4000)
        (folder / "run-1.jsonl.xz").write_bytes(lzma.compress((folder / "run-1" / RECORD_FILE).read_bytes()))
        (folder / "run-1.json").write_text("{}")
    names = [(each.kind, each.name) for each in find_sources(folders, tmp_path / "out")]
    assert sorted(names) == [
        *(("data", name) for name in ("run-1", "run-1-2")),
        *(("record", name) for name in ("run-1", "run-1-2", "run-1-3", "run-1-4")),
    ]


def test_a_copy_of_a_record_is_no_further_run(folder: Path, tmp_path: Path, snapshot: object) -> None:
    """Nor under another host's name. With other claims it is another result."""
    source, out = tmp_path / "in", tmp_path / "out"
    shutil.copytree(folder / "run-1", source / "run-1")
    record, *trials = (source / "run-1" / RECORD_FILE).read_text().splitlines()
    for name, changes in (
        ("renamed", ("A Processor", "Another")),
        ("with-other-claims", ('"at_least":1.5', '"at_least":1.4')),
    ):
        (source / name).mkdir()
        (source / name / RECORD_FILE).write_text("\n".join([record.replace(*changes), *trials]) + "\n")
    finished = build(source, "--out", out)
    assert finished.exit_code == 3
    assert line_with(finished.output, "passed over: run-1:") == snapshot
    assert {path.stem for path in (out / "experiments").iterdir()} == {"renamed", "with-other-claims"}
    listed = json.loads((out / "docket.json").read_text())["files"]
    assert sorted(listed) == sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())


def test_the_history_of_two_machines_of_one_model_is_two_lines() -> None:
    record = an_experiment("a", blocks=3).record()
    trials = trials_of(record, a_trial())
    entry = entry_of(judge_record(record, trials), "run", "run.jsonl.xz", record, trials)
    of = [replace(entry, host=host) for host in ("one", "other") for _ in range(2)]
    spec = history_chart([replace(entry.conditions[0], of=each) for each in of])
    assert spec is not None and [each["host"] for each in spec["data"]["values"]] == ["one"] * 2 + ["other"] * 2
    assert spec["layer"][1]["encoding"]["detail"] == {"field": "host"}


def test_a_refusal_stands_where_others_would_have_a_zero(site: Path) -> None:
    assert [cell for cell in column(site / "conditions.html", "goodput /s") if isinstance(cell, str)] == ["refused"] * 2
    reasons = [cell[1] for cell in column(site / "conditions.html", "outcome") if cell[0] == "refused"]
    assert len(reasons) == 2 and all("errors" in reason for reason in reasons)
    assert column(site / "conditions.html", "rank")[:2] != ["–", "–"]


def test_the_record_of_each_figure_and_claim_is_one_click_away(site: Path) -> None:
    """Also on the page of an experiment, which is a report without its results folder."""
    for path in (site / "experiments").iterdir():
        assert f"../records/{path.stem}.jsonl.xz" in page_of(path).links
        assert "result.json" not in path.read_text()
    for table in ("conditions", "claims"):
        assert {cell[2] for cell in column(site / f"{table}.html", "record")} == {
            str(record.relative_to(site)) for record in (site / "records").glob("run-*")
        }


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


def test_a_row_that_cannot_be_read_is_told_and_the_others_have_their_page(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "site"
    source.mkdir()
    (source / "json-512.json").write_text(text_of(arena_profile({}, {"rps": "<b>fast"})))
    finished = build(source, "--out", out)
    told = 'json-512: not read: 1 row; json-512.json: row 2 (sparrow, json-512): rps: "<b>fast" is no number; → '
    assert finished.exit_code == 3 and told in finished.output, finished.output
    assert "1 board file with 1 row" in finished.output
    start = (out / "index.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;fast" in start and "<b>fast" not in start


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


def test_several_processes_write_the_same_bytes(
    folder: Path, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairtrial_docket.build.WORTH_PROCESSES_BYTES", 0)
    out = tmp_path / "out"
    assert build(folder, "--out", out).exit_code == 3
    files = [path.relative_to(site) for path in sorted(site.rglob("*")) if path.is_file()]
    assert files == [path.relative_to(out) for path in sorted(out.rglob("*")) if path.is_file()]
    assert [each for each in files if (site / each).read_bytes() != (out / each).read_bytes()] == []


@pytest.fixture
def two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairtrial_docket.build.WORTH_PROCESSES_BYTES", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)


@pytest.mark.usefixtures("two_processes")
def test_a_process_that_is_killed_costs_no_page(folder: Path, site: Path, tmp_path: Path) -> None:
    def kill() -> None:
        wait_for(active_children, "a process judges")[0].kill()

    killer, out = Thread(target=kill), tmp_path / "out"
    killer.start()
    finished = build(folder, "--out", out)
    killer.join()
    assert finished.exit_code == 3, finished.exception
    assert sorted(path.relative_to(out) for path in out.rglob("*")) == sorted(
        path.relative_to(site) for path in site.rglob("*")
    )


@pytest.mark.usefixtures("two_processes")
def test_a_process_that_is_killed_while_another_starts_costs_no_page(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch, others = Popen._launch, [*threading.enumerate()]

    def kill_the_first(popen: Popen, process: object) -> None:
        workers = active_children()
        if workers:
            workers[0].kill()
            for thread in set(threading.enumerate()) - set(others):
                if thread.is_alive():  # one that the pool starts may not be yet
                    thread.join(10)  # the pool's own see the process end
        launch(popen, process)

    monkeypatch.setattr(Popen, "_launch", kill_the_first)
    site = Site(tmp_path / "out")
    sources = find_sources([folder], site.folder)
    assert len(list(_outcomes(site, sources))) == len(sources) > 2


@pytest.mark.usefixtures("two_processes")
def test_an_interrupt_ends_the_processes(folder: Path, tmp_path: Path) -> None:
    outcomes = _outcomes(Site(tmp_path / "out"), find_sources([folder], tmp_path / "out"))
    next(outcomes)
    workers = active_children()
    with pytest.raises(KeyboardInterrupt):
        outcomes.throw(KeyboardInterrupt)  # type: ignore[attr-defined]
    assert [worker.exitcode for worker in workers] == [-signal.SIGKILL] * 2


def test_of_each_source_its_own_paths_come_back(folder: Path, tmp_path: Path) -> None:
    site = Site(tmp_path / "out")
    shared = set(site.written)
    paths = [path for outcome in _outcomes(site, find_sources([folder], site.folder)) for path in outcome.paths]
    assert len(paths) == len(set(paths)) > 10 and not shared & set(paths)


@pytest.mark.parametrize("case", ["nothing to show", "a folder of others"])
def test_what_cannot_be_built_is_a_problem_with_a_remedy(case: str, folder: Path, tmp_path: Path) -> None:
    empty, full = tmp_path / "empty", tmp_path / "full"
    empty.mkdir()
    full.mkdir()
    (full / "thesis.txt").write_text("mine")
    problem = (build(empty) if case == "nothing to show" else build(folder, "--out", full)).exception
    assert isinstance(problem, Problem) and "name a" in problem.remedy
    assert [each.name for each in full.iterdir()] == ["thesis.txt"]
