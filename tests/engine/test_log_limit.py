"""Logs that come to too much: they are cut off, with a word about it, and what was written to others is kept."""

import os
from pathlib import Path

import pytest

from fairtrial.engine import log_limit
from fairtrial.engine.guard import Guarded
from fairtrial.engine.log_limit import dropped_bytes, watch_log, watch_no_more


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_limit, "LIMIT_BYTES", 1000)
    monkeypatch.setattr(log_limit, "KEPT_BYTES", 10)
    monkeypatch.setattr(log_limit, "LOOK_EVERY_SECONDS", 0.01)


def test_a_flood_is_cut_off_while_it_lasts(engine: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = "while [ $(wc -c < log) -ge $last ]; do last=$(wc -c < log); echo 0123456789 >> log; done; echo end"
    with (
        log.open("ab") as output,
        Guarded(["sh", "-c", f"last=0; {script}"], folder=tmp_path, environment=os.environ, output=output) as process,
    ):
        assert process.wait(60) == 0, "it ends when the log has become shorter"
    text = log.read_text()
    assert text.startswith("0123456789") and "\n[Fairtrial cut " in text and "\nend\n" in text
    assert dropped_bytes(log) > 900 and len(text) < 2000


def test_a_log_that_is_long_is_left_as_it_is(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("ab", buffering=0) as output:
        watched = watch_log(output)
        assert watched is not None
        output.write(b"x" * 1000)
        watch_no_more(watched)
        assert (log.stat().st_size, dropped_bytes(log)) == (1000, 0)


def test_what_is_not_appended_to_or_no_file_is_not_touched(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file, open(os.devnull, "ab") as nobody:
        assert watch_log(file) is None and watch_log(nobody) is None
