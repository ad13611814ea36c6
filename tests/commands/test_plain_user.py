"""A user without rights tries a service that listens on all addresses: the lab enters a user namespace by itself."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairtrial.base import user_namespace
from fairtrial.base.user_namespace import StartAgainWithin, how_to_be_allowed
from fairtrial.catalog.stacks.model import Stack
from fairtrial.engine.binary import engine_binary, guard_binary
from fairtrial.lab import private_network
from fairtrial.lab.private_network import assert_within
from tests.machine.needs import needs
from tests.machine.plain_user import USER, run_as_plain_user

SERVICE = """
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/items":
            pass
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("", 80), Handler).serve_forever()
"""


@pytest.fixture
def home(engine: Path) -> Iterator[Path]:
    """A folder of that user's, with the engine; nothing may be left running that was started there."""
    folder = Path(tempfile.mkdtemp(prefix="fairtrial-plain-"))
    (folder / "shop").mkdir()
    for binary in (engine_binary(), guard_binary()):
        shutil.copy2(binary, folder)
    (folder / "shop" / "app.py").write_text(SERVICE)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, USER, USER)
    yield folder
    shutil.rmtree(folder)


@needs("plain-user", "setpriv")
def test_what_listens_on_all_addresses_is_tried_by_a_user_without_rights(home: Path) -> None:
    """Its port, 80, takes a right on the machine's network, and none in that of the run."""
    environment = {
        "HOME": str(home),
        "FAIRTRIAL_CACHE": str(home / "cache"),
        "FAIRTRIAL_ENGINE": str(home / engine_binary().name),
        "FAIRTRIAL_GUARD": str(home / guard_binary().name),
    }
    fairtrial = [sys.executable, "-P", "-m", "fairtrial"]
    (home / "shop" / "app.py").write_text(SERVICE.replace("80)", "8731)"))

    begun = run_as_plain_user([*fairtrial, "init", "--yes"], home / "shop", environment)

    assert begun.returncode == 0, begun.stdout + begun.stderr
    assert 'trying it with network = "own"' in begun.stdout and "✓ get-items" in begun.stdout
    file = home / "shop" / "fairtrial.toml"
    text = file.read_text()
    assert '\nnetwork = "own"' in text
    (home / "shop" / "app.py").write_text(SERVICE)
    quick = {
        "port = 8731": "port = 80",
        "warmup_seconds = 1.0": "warmup_seconds = 0.1",
        "= 4.8": "= 1.0",
    }
    for old, new in quick.items():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)

    tried = run_as_plain_user([*fairtrial, "run", "fairtrial.toml", "--blocks", "1"], home / "shop", environment)

    (results,) = (home / "shop" / "results").iterdir()
    first, trial = [json.loads(line) for line in (results / "record.jsonl").read_text().splitlines()][:2]
    assert first["own_network"] is True, tried.stdout + tried.stderr
    assert trial["engine"]["verified"] > 0
    server = trial["server"]
    assert server["cpu_user_seconds"] + server["cpu_system_seconds"] > 0 and server["peak_rss_bytes"] > 1 << 20
    assert results.stat().st_uid == USER


def asking(network: str | None) -> Stack:
    return Stack(name="app", folder=Path(), title="app", workloads=["w"], services=["none"], run=["x"], network=network)


@pytest.mark.parametrize(
    ("network", "why_not", "why_not_within", "goes"),
    [
        ("own", "no", None, True),
        ("own", None, None, False),
        ("own", "no", "no", False),
        (None, "no", None, False),
    ],
)
def test_it_goes_there_only_where_it_has_to_and_may(
    monkeypatch: pytest.MonkeyPatch, network: str | None, why_not: str | None, why_not_within: str | None, goes: bool
) -> None:
    monkeypatch.setattr(private_network, "why_no_network_namespace", lambda: why_not)
    monkeypatch.setattr(private_network, "why_no_network_namespace_within", lambda: why_not_within)
    if goes:
        with pytest.raises(StartAgainWithin):
            assert_within([asking(None), asking(network)])
    else:
        assert_within([asking(None), asking(network)])


def test_the_setting_that_forbids_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    monkeypatch.setattr(user_namespace, "SETTINGS_FOLDER", tmp_path)
    assert "seccomp" in how_to_be_allowed()
    for name, value in (("user/max_user_namespaces", "15000"), ("kernel/apparmor_restrict_unprivileged_userns", "1")):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(f"{value}\n")
    assert how_to_be_allowed() == snapshot
