"""The page of a claim over machines: what `fairtrial pool` says of the same records, and who is left out of it."""

import html
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.tools.pool.claims import pool_claims
from fairtrial.tools.pool.document import pool_document
from fairtrial.tools.pool.lines import pool_lines
from fairtrial.tools.pool.machines import read_machines
from tests.builders import a_trial, an_experiment, trials_of
from tests.fairtrial_docket.conftest import build
from tests.fairtrial_docket.test_docket import column
from tests.lines import passage
from tests.tools.pool.test_pool import HONEST, experiment, folders, of_machine, on_machine, write


def claim_pages(*folders: Path, exit_code: int = 0) -> dict[str, str]:
    """The text of each claim's page, by the run."""
    out = folders[0].parent / "site"
    finished = build(*folders, "--out", out)
    assert finished.exit_code == exit_code, finished.output
    return {path.name.partition("--")[0]: seen(path) for path in (out / "claims").iterdir()}


def seen(path: Path) -> str:
    body = path.read_text().partition("<main>")[2].partition("<footer")[0]
    body = re.sub(r"<figcaption>.*?</figcaption>|<script.*?</script>", "", body, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def by_pool(places: Sequence[Path], lies: int = 1) -> list[str]:
    """What `fairtrial pool` prints below the claim and at the end."""
    machines = read_machines(places, {})
    lines = pool_lines(pool_document(machines, pool_claims(machines, lies), lies))
    return [line.strip().replace("`", "") for line in list(lines)[3:] if line]


def test_the_page_of_each_machine_has_the_pool_in_its_words(tmp_path: Path) -> None:
    places = folders(tmp_path / "in", [*HONEST, 0.4])
    pages = claim_pages(tmp_path / "in")
    assert pages.keys() == {"m1", "m2", "m3", "m4", "m5", "m6"}
    lines = by_pool(places)
    assert any("m6 disagrees: 0.4" in line for line in lines)
    for text in pages.values():
        assert "On 6 machines undecided: 1.17 (" in text and text.count("disagrees") == 3, "in lines and in its row"
        assert [line for line in lines if line not in text] == []
        assert "Each machine, and all together" in text and "In all results" not in text
    cells = column(tmp_path / "site" / "claims.html", "now")
    assert len(cells) == 6 and all("; on 6 machines undecided: 1.17 (" in small for _, small in cells)


def test_what_goes_with_the_difference_is_told(tmp_path: Path, snapshot: object) -> None:
    record = experiment().record()
    for number, ratio in enumerate((1.2, 1.21, 1.22, 1.205, 1.4, 1.41, 1.42, 1.405), 1):
        own = of_machine(record, f"m{number}", cpus=4 if ratio < 1.3 else 8)
        write(tmp_path / "in" / f"m{number}", own, on_machine(ratio, own, speed=number))
    text = claim_pages(tmp_path / "in")["m1"]
    assert passage(text, "it differs by", "4 with 8") == snapshot


def test_one_machine_has_the_page_that_it_had(tmp_path: Path) -> None:
    [_] = folders(tmp_path / "in", HONEST[:1])
    record = of_machine(experiment().record(), "m1")
    write(tmp_path / "in" / "again", record, on_machine(1.17, record, speed=3))
    for text in claim_pages(tmp_path / "in").values():
        assert "machines" not in text and "In all results" in text


def test_two_machines_are_shown_and_not_pooled(tmp_path: Path, snapshot: object) -> None:
    folders(tmp_path / "in", HONEST[:2])
    text = claim_pages(tmp_path / "in")["m1"]
    assert "On 2 machines undecided" in text
    assert passage(text, "2 machines with", "are needed") == snapshot
    assert "Each machine, and all together" not in text


def test_several_runs_of_a_machine_are_one_row_and_stand_below(tmp_path: Path, snapshot: object) -> None:
    folders(tmp_path / "in", HONEST)
    record = of_machine(experiment().record(), "m1")
    write(tmp_path / "in" / "m1b", record, on_machine(1.17, record, speed=8))
    text = claim_pages(tmp_path / "in")["m3"]
    assert "On 5 machines upheld" in text
    assert passage(text, "Taken as one", "of m1.") == snapshot
    assert "m1b" in text.partition("In all results")[2]


def test_runs_of_another_lock_are_in_no_pool(tmp_path: Path) -> None:
    folders(tmp_path / "in", HONEST[:3])
    other = of_machine(experiment().but(noise_floor=True).record(), "m9")
    write(tmp_path / "in" / "m9", other, on_machine(1.16, other, speed=9))
    pages = claim_pages(tmp_path / "in")
    assert "On 3 machines upheld" in pages["m1"] and "m9" in pages["m1"].partition("In all results")[2]
    assert "machines" not in pages["m9"]


def test_a_verdict_about_one_machine_is_counted(tmp_path: Path, snapshot: object) -> None:
    folders(tmp_path / "in", HONEST, an_experiment("a", "b").stating("budget", of="a", at_least="100 /s"))
    text = claim_pages(tmp_path / "in")["m1"]
    assert "On 5 machines not pooled" in text
    assert passage(text, "it is about", "upheld on 5") == snapshot


def accused(record: ExperimentRecord, _first: Sequence[TrialRecord]) -> Sequence[TrialRecord]:
    first, *others = on_machine(1.9, record, speed=8)
    assert first.engine is not None
    return [first.model_copy(update={"engine": first.engine.model_copy(update={"verified": 10**9})}), *others]


def twice(record: ExperimentRecord, _first: Sequence[TrialRecord]) -> Sequence[TrialRecord]:
    trials = on_machine(1.9, record, speed=8)
    return [
        *trials,
        *(each.model_copy(update={"index": each.index + 20, "block": each.block + 5}) for each in trials[:2]),
    ]


def shortened(_record: ExperimentRecord, first: Sequence[TrialRecord]) -> Sequence[TrialRecord]:
    return first[:-2]


@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (accused, "contradicts itself: trial 1: 1,000,000,000 right answers of"),
        (twice, "has a trial twice: no two measure the same"),
        (shortened, "has the trials of m1: it is no further machine"),
    ],
)
def test_who_would_be_refused_is_left_out_and_named(forge: object, why: str, tmp_path: Path) -> None:
    places = folders(tmp_path / "in", HONEST)
    record = of_machine(experiment().record(), "m9")
    assert callable(forge)
    write(tmp_path / "in" / "m9", record, forge(record, on_machine(HONEST[0], record, speed=1)))
    pages = claim_pages(tmp_path / "in")
    for text in pages.values():
        assert [line for line in by_pool(places) if line not in text] == []
        assert f"left out {why}" in text
        assert "In all results" not in text


def test_a_refused_run_is_a_machine_without_a_figure(tmp_path: Path) -> None:
    places = folders(tmp_path / "in", HONEST[:4])
    record = of_machine(experiment().record(), "m9")
    refused = trials_of(
        record, lambda name, block: a_trial().serving(4100 + 10 * block + ord(name)).erring(status_5xx=90_000)
    )
    places.append(write(tmp_path / "in" / "m9", record, refused))
    text = claim_pages(tmp_path / "in")["m1"]
    assert [line for line in by_pool(places) if line not in text] == []
    assert "without a figure: m9" in text


def test_a_record_that_breaks_the_judge_is_passed_over(tmp_path: Path) -> None:
    folders(tmp_path / "in", HONEST[:3])
    record = of_machine(experiment().record(), "m9")
    broken = record.model_copy(update={"conditions": record.conditions[1:]})
    write(tmp_path / "in" / "m9", broken, on_machine(1.2, record))
    pages = claim_pages(tmp_path / "in", exit_code=3)
    assert "On 3 machines" in pages["m1"] and "m9" not in pages
    assert "cannot be judged: RuntimeError" in (tmp_path / "site" / "index.html").read_text()
