"""Entries of each board: what is read from their files, and what is written beside them."""

import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.contenders import Contender
from fairtrial_adopt.adopt import NotAdopted, adopt
from fairtrial_adopt.boards import read_entry
from fairtrial_adopt.registry import NOT_UP, REFUSED, outcomes_of, read_registry
from fairtrial_adopt.source import Source
from tests.fairtrial_adopt.entries import httparena, techempower, the_benchmarker, write
from tests.lines import line_with, passage
from tests.machine.needs import needs


def requests_of(folder: Path, name: str) -> dict[str, str]:
    table = tomllib.loads((folder / f"{name}.workload.toml").read_text())
    return {name: each.get("get") or each["post"] for name, each in table["requests"].items()}


def test_an_entry_of_httparena_is_asked_its_profiles_alone(tmp_path: Path) -> None:
    folder = httparena(tmp_path)
    adopted = adopt(Source(folder=str(folder)), tmp_path / "out", "program")
    out = tmp_path / "out" / "httparena-python-plain"
    assert set(requests_of(out, "httparena")) == {"get", "post", "json"}
    assert (out / "source" / "server.py").read_text() == (folder / "server.py").read_text()
    contender = tomllib.loads(adopted.experiments[0].read_text())["contenders"]["httparena-python-plain"]
    assert contender["files"] == {"/app": ".image/app", "/data": "data"} and contender["port"] == 8080
    assert contender["build_user"] == "own"
    assert "[rows.counts]" in (out / "httparena.workload.toml").read_text()
    assert "not asked: upload" in adopted.experiments[0].read_text()
    few = httparena(tmp_path, "few", tests=("pipelined", "baseline"))
    adopt(Source(folder=str(few)), tmp_path / "out", "program")
    assert "rows" not in (tmp_path / "out" / "httparena-few" / "httparena.workload.toml").read_text()
    with pytest.raises(Problem, match="there already"):
        adopt(Source(folder=str(folder)), tmp_path / "out", "program")
    with pytest.raises(Problem, match="not 0000"):
        adopt(Source(folder=str(folder), sha256="0" * 64), tmp_path / "other", "program")


@needs("node")
def test_an_entry_of_techempower_has_its_own_paths(tmp_path: Path, snapshot: object) -> None:
    folder = techempower(tmp_path)
    assert [each.name for each in read_entry(folder, "").examinations] == ["techempower"]
    adopt(Source(folder=str(folder), test="postgres"), tmp_path, "program")
    out = tmp_path / "techempower-node-postgres"
    asked = requests_of(out, "techempower-db")
    assert (
        asked["db"] == "/world" and asked["queries-5"] == "/worlds?queries=5" and asked["queries-missing"] == "/worlds"
    )
    assert requests_of(out, "techempower-updates")["updates"] == "/up/20"
    plain = tomllib.loads((out / "techempower.workload.toml").read_text())
    assert plain["data"] == {"postgresql": "hello_world.sql"} and set(plain["requests"]) == {"json", "plaintext"}
    experiment = tomllib.loads((out / "techempower-updates.fairtrial.toml").read_text())
    assert experiment["load"]["requests"] == 1000 and experiment["services"]["postgresql"]["address"]["port"] == 5432
    assert experiment["contenders"]["techempower-node-postgres"]["hosts"] == {"tfb-database": "127.0.0.1"}
    assert "node server.js --rows" in (out / "start.sh").read_text() and (out / "hello_world.sql").is_file()
    with pytest.raises(Problem) as error:
        read_entry(folder, "oracle")
    assert str(error.value) == snapshot


def test_a_containers_dockerfile_is_written_over_no_file_that_it_links_to(tmp_path: Path) -> None:
    folder = techempower(tmp_path)
    server = (folder / "server.js").read_text()
    (folder / "Dockerfile").symlink_to(folder / "server.js")
    adopt(Source(folder=str(folder)), tmp_path / "out", "container")
    source = tmp_path / "out" / "techempower-node" / "source"
    assert (source / "Dockerfile").read_text() == (folder / "node.dockerfile").read_text()
    assert (folder / "server.js").read_text() == (source / "server.js").read_text() == server


def test_an_entry_of_the_benchmarker_is_merged_from_three_files(tmp_path: Path) -> None:
    entry = read_entry(the_benchmarker(tmp_path), "")
    lines = [line.strip() for line in entry.dockerfile.splitlines() if line.strip()]
    assert lines == [
        "FROM node:20",
        "WORKDIR /usr/src/app",
        "COPY 'app.js' 'app.js'",
        "RUN true",
        "HEALTHCHECK CMD curl --fail http://0.0.0.0:3000 || exit 1",
        "ENTRYPOINT node app.js",
    ]
    assert (entry.name, entry.title, entry.port) == ("the-benchmarker-javascript-plain", "plain on node", 3000)
    with pytest.raises(Problem, match="there is no engine 'bun'"):
        read_entry(tmp_path / "javascript" / "plain", "bun")


@pytest.fixture(params=[True, False], ids=["podman", "docker"])
def shares_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether containers may run in a network that the lab has made."""
    monkeypatch.setattr("fairtrial_adopt.adopt._shares_network", lambda: request.param)
    return bool(request.param)


def test_as_a_container_it_keeps_its_dockerfile(shares_network: bool, tmp_path: Path) -> None:
    adopted = adopt(Source(folder=str(the_benchmarker(tmp_path))), tmp_path, "container")
    contender = tomllib.loads(adopted.experiments[0].read_text())["contenders"]["the-benchmarker-javascript-plain"]
    way = {"container_network": "host", "port": 3000, "network": "own"} if shares_network else {"container_port": 3000}
    assert contender["dockerfile"] == "source" and way.items() <= contender.items()
    assert Contender.model_validate(contender).origin.kind == "image"
    assert (
        "ENTRYPOINT node app.js"
        in (tmp_path / "the-benchmarker-javascript-plain" / "source" / "Dockerfile").read_text()
    )


def test_a_container_finds_the_boards_files(shares_network: bool, tmp_path: Path) -> None:
    adopted = adopt(Source(folder=str(httparena(tmp_path))), tmp_path / "out", "container")
    contender = tomllib.loads(adopted.experiments[0].read_text())["contenders"]["httparena-python-plain"]
    assert contender["files"] == {"/data": "../data"} and contender.get("port") == (8080 if shares_network else None)
    assert (tmp_path / "out" / "httparena-python-plain" / "data" / "dataset.json").is_file()


def test_a_container_reaches_a_database_in_a_network_of_the_runs_own_alone(
    shares_network: bool, tmp_path: Path
) -> None:
    source = Source(folder=str(techempower(tmp_path)), test="postgres")
    if not shares_network:
        with pytest.raises(Problem, match="reaches tfb-database only with podman"):
            adopt(source, tmp_path, "container")
        return
    contender = tomllib.loads(adopt(source, tmp_path, "container").experiments[1].read_text())["contenders"]
    assert contender["techempower-node-postgres"]["hosts"] == {"tfb-database": "127.0.0.1"}


@needs("node")
def test_mariadb_takes_the_place_of_mysql_and_nothing_that_of_mongodb(tmp_path: Path, snapshot: object) -> None:
    folder = techempower(tmp_path)
    adopted = adopt(Source(folder=str(folder), test="mysql"), tmp_path, "program")
    experiment = tomllib.loads(adopted.experiments[1].read_text())
    assert experiment["service"] == "mariadb" and experiment["services"]["mariadb"]["address"]["port"] == 3306
    assert line_with(adopted.experiments[1].read_text(), "# MariaDB takes") == snapshot
    assert (tmp_path / "techempower-node-mysql" / "hello_world.mariadb.sql").is_file()
    plain = adopt(Source(folder=str(folder), test="mongodb"), tmp_path, "program")
    assert [file.name for file in plain.experiments] == ["techempower.fairtrial.toml"]
    assert line_with(plain.experiments[0].read_text(), "db_url: not asked") == snapshot
    config = json.loads((folder / "benchmark_config.json").read_text())
    del config["tests"][0]["mongodb"]["json_url"], config["tests"][0]["mongodb"]["plaintext_url"]
    (folder / "benchmark_config.json").write_text(json.dumps(config))
    with pytest.raises(Problem) as error:
        read_entry(folder, "mongodb")
    assert str(error.value) == snapshot


def test_what_leads_out_of_an_entry_is_refused(tmp_path: Path) -> None:
    folder = httparena(tmp_path)
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(Problem, match="leads out"):
        adopt(Source(folder=str(folder)), tmp_path / "out", "program")
    with pytest.raises(Problem, match="no entry of a board"):
        read_entry(write(tmp_path / "nothing"), "")


@pytest.mark.parametrize("name", ["/home/me/.netrc", "../../..", "link"])
def test_the_dockerfile_is_a_file_of_the_entry(name: str, tmp_path: Path, snapshot: object) -> None:
    folder = techempower(tmp_path)
    (folder / "link").symlink_to("/etc/passwd")
    config = json.loads((folder / "benchmark_config.json").read_text())
    config["tests"][0]["default"]["dockerfile"] = name
    (folder / "benchmark_config.json").write_text(json.dumps(config))
    with pytest.raises(Problem) as error:
        read_entry(folder, "")
    assert str(error.value) == snapshot


@pytest.mark.parametrize("board", [httparena, the_benchmarker])
def test_a_dockerfile_that_is_a_link_stays_within(
    board: Callable[[Path], Path], tmp_path: Path, snapshot: object
) -> None:
    folder = board(tmp_path / "collection")
    dockerfile = (folder if board is httparena else folder.parent) / "Dockerfile"
    dockerfile.unlink()
    dockerfile.symlink_to(write(tmp_path, secret="x") / "secret")
    with pytest.raises(Problem) as error:
        read_entry(folder, "")
    assert str(error.value) == snapshot


def test_data_beside_an_entry_that_is_in_no_collection_is_nobodys(tmp_path: Path) -> None:
    folder = httparena(tmp_path / "home")
    alone = shutil.copytree(folder, tmp_path / "home" / "mine" / "entry")
    assert set(read_entry(folder, "").mounted) == {"/data"} and not read_entry(alone, "").mounted


@pytest.mark.parametrize(
    ("board", "file", "text"),
    [
        (httparena, "meta.json", '{"tests": 1}'),
        (techempower, "benchmark_config.json", '{"tests": 1}'),
        (techempower, "benchmark_config.json", '{"tests": [{"default": {"json_url": "/", "port": "x"}}]}'),
        (the_benchmarker, "config.yaml", "framework: {engines: 1}"),
        (the_benchmarker, "config.yaml", "framework: {files: [/x]}"),
    ],
)
def test_a_file_that_holds_something_else_is_named(
    board: Callable[[Path], Path], file: str, text: str, tmp_path: Path, snapshot: object
) -> None:
    folder = write(board(tmp_path), **{file.replace(".", "__"): text})
    with pytest.raises(Problem, match=f"{file}: not as .* has it"):
        read_entry(folder, "")
    [refused] = outcomes_of("it", Source(folder=str(folder)), tmp_path / "out", "program")
    assert refused.outcome == REFUSED
    assert passage(refused.why, "; correct it", "another entry") == snapshot
    with pytest.raises(Problem, match="not as"):
        list(outcomes_of("it", Source(folder=str(folder)), tmp_path / "out", "program", is_alone=True))


@pytest.mark.parametrize("error", [OSError("no space"), ValueError("no text"), Problem("no"), KeyboardInterrupt()])
def test_nothing_is_left_of_an_entry_that_fails(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source(folder=str(httparena(tmp_path)))

    def fails(*_: object) -> None:
        assert (tmp_path / "out" / "httparena-python-plain" / "source").is_dir()
        raise error

    monkeypatch.setattr("fairtrial_adopt.adopt.write_workload", fails)
    with pytest.raises(NotAdopted if isinstance(error, Exception) else KeyboardInterrupt):
        adopt(source, tmp_path / "out", "program")
    assert list((tmp_path / "out").iterdir()) == []
    kept = write(tmp_path / "out" / "httparena-python-plain", mine="")
    with pytest.raises(NotAdopted, match="there already"):
        adopt(source, tmp_path / "out", "program")
    assert (kept / "mine").exists()


def test_a_check_that_takes_too_long_ends_what_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"#!/bin/sh\ntrap 'echo > {tmp_path}/ended; exit' TERM\nwhile :; do sleep 0.05; done\n"
    waits = write(tmp_path, waits=script)
    (waits / "waits").chmod(0o755)
    monkeypatch.setattr("fairtrial_adopt.registry.TRIED_WITHIN_SECONDS", 1)
    monkeypatch.setattr(sys, "executable", str(waits / "waits"))
    [outcome] = outcomes_of("it", Source(folder=str(httparena(tmp_path))), tmp_path / "out", "program")
    assert outcome.outcome == NOT_UP and outcome.why == "not tried within 1 s" and (tmp_path / "ended").exists()


def test_git_asks_nobody_and_is_led_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git = write(tmp_path, git='#!/bin/sh\necho "${GIT_DIR-none} $GIT_TERMINAL_PROMPT" >&2; exit 1\n') / "git"
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("GIT_DIR", "elsewhere")
    with pytest.raises(Problem, match="failed: none 0"):
        adopt(Source(url="https://x/y", commit="0" * 40), tmp_path / "out", "program")


def test_a_commit_of_a_repository_is_adopted_without_its_neighbours(tmp_path: Path) -> None:
    collection = tmp_path / "collection"
    httparena(collection)
    httparena(collection, "other")
    git = ["git", "-C", str(collection), "-c", "user.name=a", "-c", "user.email=a@localhost"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "entries"]):
        subprocess.run([*git, *words], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    (collection / "frameworks" / "python-plain" / "server.py").write_text("changed since")
    source = Source(url=f"file://{collection}", commit=commit, path="frameworks/python-plain")
    adopted = adopt(source, tmp_path / "out", "program")
    out = tmp_path / "out" / "httparena-python-plain"
    assert "serve_forever" in (out / "source" / "server.py").read_text() and (out / "data" / "dataset.json").is_file()
    assert commit in adopted.experiments[0].read_text() and adopted.sha256 in adopted.experiments[0].read_text()
    with pytest.raises(Problem, match="`git fetch` failed"):
        adopt(source.model_copy(update={"commit": "0" * 40}), tmp_path / "none", "program")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('url = "https://x/y"', "commit"),
        ('url = "--upload-pack=x"\ncommit = "' + "0" * 40 + '"', "hyphen"),
        ('folder = "x"\nurl = "https://x/y"\ncommit = "' + "0" * 40 + '"', "either"),
        ('url = "https://x/y"\npath = "../x"\ncommit = "' + "0" * 40 + '"', "path"),
        ('url = "https://x/y"\ncommit = "main"', "commit"),
    ],
)
def test_a_registry_names_entries_in_one_way(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "entry.toml").write_text(text)
    with pytest.raises(Problem, match=why):
        read_registry(tmp_path)
