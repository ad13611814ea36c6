"""Entries of each board: what is read from their files, and what is written beside them."""

import subprocess
import tomllib
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial_adopt.adopt import adopt
from fairtrial_adopt.boards import read_entry
from fairtrial_adopt.registry import read_registry
from fairtrial_adopt.source import Source
from tests.fairtrial_adopt.entries import httparena, techempower, the_benchmarker, write
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
def test_an_entry_of_techempower_has_its_own_paths(tmp_path: Path) -> None:
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
    with pytest.raises(Problem, match="none can be asked on Oracle"):
        read_entry(folder, "oracle")


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


def test_as_a_container_it_keeps_its_dockerfile(tmp_path: Path) -> None:
    adopted = adopt(Source(folder=str(the_benchmarker(tmp_path))), tmp_path, "container")
    contender = tomllib.loads(adopted.experiments[0].read_text())["contenders"]["the-benchmarker-javascript-plain"]
    assert contender["dockerfile"] == "source" and contender["container_port"] == 3000
    assert (
        "ENTRYPOINT node app.js"
        in (tmp_path / "the-benchmarker-javascript-plain" / "source" / "Dockerfile").read_text()
    )
    with pytest.raises(Problem, match="does not find the host tfb-database"):
        adopt(Source(folder=str(techempower(tmp_path)), test="postgres"), tmp_path, "container")


def test_what_leads_out_of_an_entry_is_refused(tmp_path: Path) -> None:
    folder = httparena(tmp_path)
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(Problem, match="leads out"):
        adopt(Source(folder=str(folder)), tmp_path / "out", "program")
    with pytest.raises(Problem, match="no entry of a board"):
        read_entry(write(tmp_path / "nothing"), "")


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
