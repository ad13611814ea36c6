"""`fairtrial init` on small services: what is written, what is seen, and what is said of those that fail."""

import json
import os
import pty
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from fairtrial.base.network_namespace import why_no_network_namespace
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks import run
from fairtrial.catalog.stacks.contenders import with_contenders
from fairtrial.experiment.files import load_experiment
from fairtrial.plan.make import make_plan
from fairtrial_init import initialise, try_once
from tests.called_here import Call
from tests.command_line import Lab
from tests.commands.test_ab_test import HELLO
from tests.lines import passage
from tests.machine.needs import needs, skip_without

SHOP = """
const answers = { '/healthz': 'well', '/items': '{"total": 3}' };
require('http').createServer((request, response) => {
  const known = (request.url === '/items') || (request.url === '/healthz');
  response.statusCode = known ? 200 : 404;
  response.setHeader('content-type', 'application/json');
  response.end(answers[request.url] || '\\x1b[2Jno');
}).listen(process.env.PORT, ADDRESS);
"""
OPENAPI = {
    "openapi": "3.0.0",
    "paths": {path: {"get": {"responses": {"200": {"description": ""}}}} for path in ("/items", "/orders")},
}


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))  # where logs of what failed are kept
    monkeypatch.setattr(try_once, "LOAD_SECONDS", 0.2)
    monkeypatch.setattr(run, "PORT_FREE_WITHIN_SECONDS", 0.1)


def a_shop(lab: Lab, address: str = "'127.0.0.1'") -> Path:
    skip_without("node")
    folder = lab.folder / "shop"
    folder.mkdir()
    (folder / "server.js").write_text(SHOP.replace("ADDRESS", address))
    return folder


def test_a_service_is_put_on_trial_as_it_is(lab: Lab, call: Call) -> None:
    """And nothing of it is overwritten by a second call."""
    folder = a_shop(lab)

    finished = call("init", "shop", "--yes")

    assert finished.status == 0, finished.out + finished.err
    file = folder / "fairtrial.toml"
    experiment = load_experiment(file)
    make_plan(experiment, with_contenders({}, experiment, folder, {}), file)
    for words in ("found: Node.js, node server.js", "✓ get-items", "0.2 s of load from 16 connections", "p50"):
        assert words in finished.out
    assert "cd shop && fairtrial ab-test " in finished.out and "repository of git" in finished.out
    assert {path.name for path in folder.iterdir()} == {"server.js", "fairtrial.toml", "shop.workload.toml"}

    file.unlink()
    workload = (folder / "shop.workload.toml").read_bytes()
    again = call("init", "shop", "--yes")
    assert again.status == 2 and "shop.workload.toml: there already" in again.err
    assert not file.exists() and (folder / "shop.workload.toml").read_bytes() == workload


def test_what_listens_on_all_addresses_gets_a_network_of_its_own(lab: Lab, call: Call) -> None:
    """Where the user may make one. What is not answered as its document says is told, either way."""
    folder = a_shop(lab, address="'0.0.0.0'")
    (folder / "openapi.json").write_text(json.dumps(OPENAPI))
    (folder / "fairtrial.toml").write_text("mine")

    finished = call("init", "shop", "--yes", "--force")

    assert finished.status == 3, finished.out + finished.err
    allowed = why_no_network_namespace() is None
    assert ("✗ listens-on-host: it also listens on 0.0.0.0" in finished.out) == (not allowed)
    assert load_experiment(folder / "fairtrial.toml").contenders["app"].origin.network == ("own" if allowed else None)
    assert "✓ get-items" in finished.out
    assert r"✗ get-orders: status 404, not 200: \x1b[2Jno" in finished.out and "\x1b" not in finished.out
    assert "status_4xx" in finished.out and "mend what is marked above" in finished.out
    assert finished.out.count("404: nothing is there") == 2, "where it is asked once, and under load"


def test_what_does_not_work_in_a_network_of_its_own_stays_outside(
    lab: Lab, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a service that needs a database of this machine's; or the user may not make such a network."""
    folder = a_shop(lab, address="'0.0.0.0'")
    once, tried = initialise.try_once, []

    def fails_the_second_time(*arguments: Any) -> Any:
        tried.append(arguments)
        if len(tried) > 1:
            raise Problem("no database")
        return once(*arguments)

    monkeypatch.setattr(initialise, "why_no_network_namespace", lambda: None)
    monkeypatch.setattr(initialise, "try_once", fails_the_second_time)
    finished = call("init", "shop", "--yes")

    assert finished.status == 3, finished.out + finished.err
    assert "of its own: no database" in finished.out and len(tried) == 2
    assert "✗ listens-on-host: it also listens on 0.0.0.0" in finished.out and "variable HOST" in finished.out
    assert load_experiment(folder / "fairtrial.toml").contenders["app"].origin.network is None


def test_a_server_of_python_with_options_alone(lab: Lab, call: Call) -> None:
    folder = lab.folder / "hello"
    folder.mkdir()
    shutil.copy(HELLO, folder)
    options = ["--command", "python3 hello.py", "--port", "PORT", "--ready", "/health", "--requests", "/plaintext"]

    finished = call("init", "hello", *options)

    assert finished.status == 0, finished.out + finished.err
    assert 'ready = { path = "/health" }' in (folder / "fairtrial.toml").read_text()


def test_a_server_that_ends_is_quoted(lab: Lab, call: Call) -> None:
    folder = lab.folder / "shop"
    folder.mkdir()
    (folder / "app.py").write_text("raise SystemExit('no \\x1b[2Jdatabase')\nserver.serve_forever(8080)\n")

    finished = call("init", "shop", "--yes", "--port", "PORT")

    assert finished.status == 4
    assert "ended with status 1 before" in finished.err and r"no \x1b[2Jdatabase" in finished.err
    assert "mend `command`, `port` or `ready`" in finished.err
    assert (folder / "fairtrial.toml").exists() and "written: fairtrial.toml" in finished.out


def test_a_module_that_is_missing_is_named(lab: Lab, call: Call, snapshot: object) -> None:
    folder = lab.folder / "shop"
    folder.mkdir()
    (folder / "app.py").write_text("import no_such_module\nserver.serve_forever()\n")

    finished = call("init", "shop", "--yes", "--port", "PORT")

    assert finished.status == 4
    assert passage(finished.err, "remedy: name no_such_module", "package.json") == snapshot


@pytest.mark.parametrize(
    ("words", "service"),
    [
        ("KeyError: 'DATABASE_URL'", "postgresql"),
        ("Error: connect ECONNREFUSED 127.0.0.1:5432", "postgresql"),
        ("dial tcp 127.0.0.1:5432: connect: connection refused", "postgresql"),
        ('connection to server at "localhost" (::1), port 15432 failed: Connection refused', "postgresql"),
        ("ConnectionRefusedError: [Errno 111] Connect call failed ('127.0.0.1', 5432)", "postgresql"),
        ("Can't connect to MySQL server on 'db' (111)", "mariadb"),
        ("pymongo.errors.ServerSelectionTimeoutError: localhost:27017", "mongodb"),
        ("Error connecting to localhost:6379. Connection refused.", "redis"),
        ("KeyError: 'SHOP_COLOUR'", ""),
        ("it listened on port 8080, pid 354321", ""),
    ],
)
def test_a_service_without_its_database_is_told_how_it_gets_one(lab: Lab, call: Call, words: str, service: str) -> None:
    folder = lab.folder / "shop"
    folder.mkdir()
    (folder / "app.py").write_text(f"raise SystemExit({words!r})\nserver.serve_forever()\n")

    finished = call("init", "shop", "--yes", "--port", "PORT")

    assert finished.status == 4 and words in finished.err
    if not service:
        assert "`env` or `env_from`" in finished.err and "lacks its database" not in finished.err
        return
    line = f'service = "{service}"'
    assert f"write {line} above the tables" in finished.err and "docs/two-services.md" in finished.err
    file = folder / "fairtrial.toml"
    file.write_text(file.read_text().replace('# service = "postgresql"', line))
    assert load_experiment(file).service == service


@needs("root")
def test_a_service_that_writes_beside_its_code_is_told_where_it_may(lab: Lab, call: Call, snapshot: object) -> None:
    """Where the lab is root, a stack is a user of its own, who may not write to what was built."""
    folder = lab.folder / "shop"
    folder.mkdir()
    making = "import sqlite3\nsqlite3.connect('shop.db').execute('create table item (id)')\nserver.serve_forever()\n"
    (folder / "app.py").write_text(making)

    finished = call("init", "shop", "--yes", "--port", "PORT")

    assert finished.status == 4
    assert passage(finished.err, "remedy: it may", "its code") == snapshot


def test_a_program_that_is_not_there_and_a_build_that_fails(lab: Lab, call: Call) -> None:
    options = ["--port", "PORT", "--requests", "/"]
    (lab.folder / "empty").mkdir()

    missing = call("init", "empty", "--command", "./no-such-program", *options)
    failing = call(
        "init", "empty", "--command", "true", "--build", "sh -c 'echo no compiler; exit 7'", "--force", *options
    )

    assert missing.status == 4 and "no-such-program" in missing.err
    assert failing.status == 4 and "no compiler" in failing.err and "mend `build`" in failing.err


def test_a_port_that_is_taken(lab: Lab, call: Call, snapshot: object) -> None:
    a_shop(lab)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        finished = call("init", "shop", "--yes", "--port", str(port))

    assert finished.status == 4
    assert passage(finished.err, f"port {port},", "always takes").replace(str(port), "PORT") == snapshot


def test_what_nobody_can_say(lab: Lab, call: Call) -> None:
    (lab.folder / "empty").mkdir()
    nothing = call("init", "empty", "--yes")
    assert nothing.status == 2 and "--command is missing" in nothing.err
    assert "kind of project is recognised" in nothing.out
    silent = call("init", "empty", "--port", "80")
    assert silent.status == 2 and "give --command, --requests; or --yes" in silent.err
    absent = call("init", "absent", "--yes")
    assert absent.status == 2 and "there is no folder" in absent.err
    assert list((lab.folder / "empty").iterdir()) == []


def test_on_a_terminal_it_asks_and_ctrl_c_ends_what_it_started(lab: Lab) -> None:
    """The server is never ready. `lab` looks for what is left running."""
    folder = lab.folder / "shop"
    folder.mkdir()
    (folder / "app.py").write_text("import time\ntime.sleep(600)\nserver.serve_forever()  # self.path == '/\x1b[2J'\n")
    (folder / "\x1b[2J.http").write_text("GET /items\n")
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        lab.command("init", "shop"), cwd=lab.folder, env=lab.environment, stdin=end, stdout=end, stderr=end
    )
    os.close(end)
    try:
        seen = _until(terminal, "started?")
        os.write(terminal, b"\n")
        seen += _until(terminal, "which port")
        os.write(terminal, b"PORT\n")
        seen += _until(terminal, "asked?")
        os.write(terminal, b"/items\n")
        seen += _until(terminal, "starting it")
        seen += _until(terminal, "0:01")
        while not any("app.py" in command for command in _commands_below(process.pid)):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        seen += _until(terminal, "interrupted; to try it: cd shop && fairtrial run --quick")
        assert process.wait(30) == 130
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
    assert "[python3 app.py]" in seen
    assert r"[\x1b[2J.http]" in seen and "\x1b[2J" not in seen
    assert (folder / "fairtrial.toml").exists()


def _until(terminal: int, words: str) -> str:
    """What the terminal shows until it has shown these words."""
    shown = ""
    while words not in shown:
        shown += os.read(terminal, 4096).decode(errors="replace")
    return shown


def _commands_below(pid: int) -> list[list[str]]:
    """The command lines of what runs below a process. What ends meanwhile has none."""
    commands = []
    for each in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.Error):
            commands.append(each.cmdline())
    return commands


def test_a_server_that_ends_when_it_is_asked_is_not_blamed_on_the_request(lab: Lab, call: Call) -> None:
    folder = a_shop(lab)
    server = folder / "server.js"
    server.write_text(
        server.read_text().replace("const known", "if (request.url === '/items') process.exit(7);\nconst known")
    )

    finished = call("init", "shop", "--yes")

    assert finished.status == 3, finished.out + finished.err
    assert "it ended by itself with status 7 while it was asked" in finished.out
    assert "why it ended" in finished.out and "mend the request" not in finished.out
