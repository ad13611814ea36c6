"""A folder of results and boards, some of it hostile, and the site that is built of it."""

import lzma
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from fairtrial.commands import app
from fairtrial.record.write import RECORD_FILE, RecordWriter
from tests.builders import a_trial, an_experiment, trials_of
from tests.docs.browser import Page, a_page
from tests.fairtrial_cross_examine.boards.files import BY_WRK, arena_profile, benchmarker, power_round, text_of

HOSTILE = f"<script>alert(1)</script>\x1b[2J\"'&{'W' * 80}"
"""Markup, a terminal's command, quotes, and a word that is wider than a phone."""


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


@pytest.fixture(scope="package")
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
        "broken.json": text_of(arena_profile({"rps": HOSTILE})),
        "package.json": "{}",
    }
    for name, content in texts.items():
        (folder / name).write_text(content)
    return folder


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page of a browser without a network."""
    with a_page(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture(scope="package")
def site(folder: Path) -> Path:
    out = folder.parent / "site"
    finished = build(folder, "--out", out)
    assert finished.exit_code == 3, finished.output
    assert "2 results with 6 conditions, 3 board files with 5 rows" in finished.output
    assert finished.output.count("passed over: ") == finished.output.count("passed over: broken") == 1
    return out
