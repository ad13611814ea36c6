"""Projects as the generators of their communities make them, or as the first page of their documentation has them: they
are recognised, and two that are built within seconds are started, asked and loaded.

`tests/fixtures/projects` holds them without what `init` does not look at: tests, pictures, settings of editors. What a
generator leaves without a route got one as its tutorial writes it.
"""

import shutil
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from fairtrial.catalog.stacks import run
from fairtrial_init import try_once
from fairtrial_init.answers import line_of
from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects import proposals_for
from tests.called_here import Call
from tests.command_line import Lab
from tests.machine.needs import skip_without

PROJECTS = Path(__file__).parents[1] / "fixtures" / "projects"
GUNICORN = '.venv/bin/gunicorn --bind "$HOST:$PORT" --workers "$WEB_CONCURRENCY" --threads "$MAX_THREADS"'
PIP = ["python3 -m venv .venv", ".venv/bin/pip install --quiet --requirement requirements.txt"]
WITH_GUNICORN = [*PIP, ".venv/bin/pip install --quiet gunicorn"]
BUNDLE = ["bundle config set --local path vendor/bundle", "bundle install --quiet"]


@dataclass(frozen=True)
class Expected:
    """What is proposed for a project."""

    command: str
    port: str
    build: list[str]
    paths: list[str]
    prefixes: tuple[str, ...] = ()


EXPECTED = {
    "axum": Expected("Rust: target/release/axum-shop", "3000", ["cargo build --release --quiet"], ["/", "/items/{id}"]),
    "django": Expected(
        f"Django: {GUNICORN} --keep-alive 65 shop.wsgi:application",
        "PORT",
        [*WITH_GUNICORN, ".venv/bin/python manage.py migrate --noinput"],
        ["/", "/<int:item_id>/"],
        ("/items",),
    ),
    "express": Expected("Node.js: node ./bin/www", "PORT", ["npm ci"], ["/"], ("/users",)),
    "fastapi": Expected(
        'FastAPI: .venv/bin/uvicorn main:app --host "$HOST" --port "$PORT" --no-access-log',
        "PORT",
        ["uv sync --frozen --quiet"],
        ["/"],
    ),
    "fastify": Expected(
        'Node.js: node_modules/.bin/fastify start -l info app.js --address "$HOST" --port "$PORT"',
        "PORT",
        ["npm install"],
        ["/"],
        ("/example",),
    ),
    "flask": Expected(
        f"Flask: {GUNICORN} --keep-alive 65 'app:app'", "PORT", WITH_GUNICORN, ["/", "/items/<int:item_id>"]
    ),
    "go": Expected("Go: ./fairtrial-server", "8080", ["go build -o fairtrial-server ."], ["/healthz", "/items/{id}"]),
    "nest": Expected("Node.js: node dist/main", "PORT", ["npm install", "npm run build"], ["/"]),
    "rails": Expected(
        'Rails: bundle exec puma --environment production --bind "tcp://$HOST:$PORT"'
        ' --threads "$MAX_THREADS:$MAX_THREADS"',
        "PORT",
        BUNDLE,
        ["/items", "/items/:id"],
        ("/api",),
    ),
    "sinatra": Expected(
        'Ruby: bundle exec ruby app.rb -o "$HOST" -p "$PORT" -e production', "PORT", BUNDLE, ["/frank-says"]
    ),
    "spring": Expected(
        'Spring Boot: java -jar target/*.jar --server.address="$HOST" --server.port="$PORT"',
        "PORT",
        ["mvn --quiet --batch-mode -DskipTests package"],
        ["/items/{id}"],
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_project_of_a_generator_is_recognised(name: str) -> None:
    proposal = proposals_for(ProjectFolder(PROJECTS / name))[0]

    command = f"{proposal.kind}: {line_of(proposal.command)}"
    build = [" ".join(words) for words in proposal.build]
    found = Expected(command, proposal.port, build, list(proposal.paths), proposal.prefixes)
    assert found == EXPECTED[name]


def test_every_project_is_expected() -> None:
    assert {path.name for path in PROJECTS.iterdir()} == EXPECTED.keys()


TRIED = {
    "django": ("python-flask", ["/items/", "/items/1/"]),
    "express": ("node-express", ["/", "/users"]),
}
"""By project: the shipped stack whose requirements it has, and the requests that are written for it once it started."""


@pytest.mark.parametrize("name", TRIED)
def test_a_project_of_a_generator_is_put_on_trial(
    name: str, lab: Lab, call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stack, requests = TRIED[name]
    skip_without(stack)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(try_once, "LOAD_SECONDS", 0.5)
    monkeypatch.setattr(run, "PORT_FREE_WITHIN_SECONDS", 0.1)
    folder = lab.folder / "shop"
    shutil.copytree(PROJECTS / name, folder)

    finished = call("init", "shop", "--yes")

    assert finished.status == 0, finished.out + finished.err
    workload = tomllib.loads((folder / "shop.workload.toml").read_text())
    assert [each["get"] for each in workload["requests"].values()] == requests
    assert " s of load from 16 connections: " in finished.out
