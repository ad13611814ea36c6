"""What a stack is told in confidence: it prints it, answers with it and logs it, and nobody sees it."""

import sys
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import psycopg
import pytest

from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import ServiceStart
from tests.command_line import Lab
from tests.machine.needs import needs

PASSWORD = "s3cr%2Fet%40pw-of-somebody"
TOKEN = "a-token-of-forty-characters-0123456789ab"

TELLTALE = """
import json, os, sys
from urllib.parse import unquote, urlsplit
url, token = os.environ["DATABASE_URL"], os.environ["SHOP_TOKEN"]
word = urlsplit(url).password
told = ["cannot connect to " + url, json.dumps({"password": unquote(word)}), word, token, "x" * 195 + token]
print("\\n".join(told), flush=True)
if sys.argv[1] == "fails":
    sys.exit(1)
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        body = (b"well" if self.path == "/health" else json.dumps(url + " " + token).encode())
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
ThreadingHTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Answers).serve_forever()
"""


@pytest.fixture
def url() -> Iterator[str]:
    """Of a database of somebody's, by a password that has to be encoded in it."""
    with pick_service("postgresql").start(ServiceStart()) as server:
        parts = urlsplit(server.url)
        with psycopg.connect(server.url, autocommit=True) as own:
            own.execute(f"ALTER ROLE fairtrial PASSWORD '{unquote(PASSWORD)}'")
        yield parts._replace(netloc=f"fairtrial:{PASSWORD}@{parts.hostname}:{parts.port}").geturl()


@needs("postgresql")
def test_no_secret_is_in_terminal_record_result_report_or_logs(lab: Lab, url: str) -> None:
    program = lab.folder / "telltale.py"
    program.write_text(TELLTALE)
    names = [
        lab.stack(
            name,
            run=[sys.executable, "telltale.py", how],
            server=program,
            service="postgresql",
            more='env_from = ["SHOP_TOKEN"]\n',
        )
        for name, how in (("fails", "fails"), ("answers", "answers"))
    ]
    lab.environment |= {"MY_URL": url, "SHOP_TOKEN": TOKEN}
    experiment = lab.experiment(*names, service="postgresql", more='[services.postgresql]\nurl_from = "MY_URL"\n')
    finished = lab.fairtrial("run", experiment, *lab.named(*names))
    fails, answers = (line for line in finished.record[1:])
    assert "cannot connect to {{env DATABASE_URL}}" in fails["failure"]["reason"], finished.err
    assert "{{env DATABASE_URL}} {{env SHOP_TOKEN}}" in str(answers["contract"])
    assert finished.results is not None
    for kept in (finished.results / fails["log"], finished.results / answers["log"]):
        assert "cannot connect to {{env DATABASE_URL}}\n" in kept.read_text()
        assert kept.stat().st_mode & 0o077 == 0
    files = [file for file in finished.results.rglob("*") if file.is_file()]
    assert {"record.jsonl", "result.json", "report.html"} <= {file.name for file in files}
    shown = [finished.out, finished.err, *(file.read_text(errors="replace") for file in files)]
    for secret in (PASSWORD, unquote(PASSWORD), TOKEN, TOKEN[:5]):
        assert not any(secret in text for text in shown), secret


def test_a_stack_gets_what_is_named_and_not_the_settings_of_a_shell(lab: Lab) -> None:
    program = lab.folder / "settings.py"
    program.write_text(
        'import os\nprint(*sorted(f"{name}={value}" for name, value in os.environ.items()), sep="\\n")\n'
    )
    run = [sys.executable, "settings.py"]
    tells = lab.stack("tells", run=run, server=program, more='env_from = ["NODE_ENV"]\n')
    wants = lab.stack("wants", run=run, server=program, more='env_from = ["NOBODY_SETS_THIS"]\n')
    given = {"TZ": "Asia/Tokyo", "CARGO_HOME": "/somebody/.cargo", "NODE_ENV": "test"}
    lab.environment |= {"NODE_OPTIONS": "--jitless", "GOMAXPROCS": "1", "PYTHONOPTIMIZE": "2", **given}
    finished = lab.run(tells, wants)
    assert finished.results is not None, finished.err
    experiment, *trials = finished.record
    told_to, refused = sorted(trials, key=lambda trial: trial["condition"])
    lines = (finished.results / told_to["log"]).read_text().splitlines()
    told = dict(line.partition("=")[::2] for line in lines)
    assert {name: told[name] for name in given} == given
    assert not {"NODE_OPTIONS", "GOMAXPROCS", "PYTHONOPTIMIZE", "FAIRTRIAL_CACHE"} & set(told)
    recorded = experiment["stacks"][0]["environment"]
    assert recorded["TZ"] == "Asia/Tokyo"
    assert (recorded["CARGO_HOME"], recorded["NODE_ENV"]) == (None, None)
    assert "GOMAXPROCS" not in recorded
    assert refused["failure"]["stage"] == "requirements"
    assert "NOBODY_SETS_THIS is not" in refused["failure"]["reason"]
