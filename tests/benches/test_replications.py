"""Published beside measured: docs/replications and experiments/studies, and the records behind them."""

import lzma
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benches.front_pages import MainClaim, main_claims
from benches.kept_results import KeptClaim, KeptResult, keep_record, kept, kept_records, summarize, without_places
from benches.replications import SENTENCES, changes, pages, part, sentences_page
from benches.study_chart import Ratio, chart_svg
from fairtrial.experiment.claims import BudgetClaim
from fairtrial.experiment.studies import STUDIES, Study
from fairtrial.record.model import Failure
from fairtrial.record.write import RECORD_FILE, RecordWriter
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of


def test_claims_stand_beside_what_was_published_and_refusals_below(tmp_path: Path) -> None:
    record = (
        an_experiment("fast", "slow")
        .stating("ratio", of="fast", to="slow", at_least=2, published=3.5)
        .stating("budget", of="slow", at_least="1/s")
        .record()
    )

    def make(contender: str, block: int) -> TrialBuilder:
        return a_trial().serving(3000 if contender == "fast" else 1000).but(altered=contender == "slow" and block == 2)

    with RecordWriter(tmp_path) as writer:
        for line in (record, *trials_of(record, make)):
            writer.append(line)
    result = summarize(tmp_path)
    facts, _, head, _, ratio, budget, *rest = part(result).splitlines()
    assert result.experiment == record.experiment.name
    assert "10 trials in" in facts
    assert facts.endswith(" 9 valid.")
    assert head == "| | claim | asked | published | measured | blocks |"
    assert "at least 2 | 3.5 |" in ratio
    assert "~ undecided" in budget
    assert rest[1].startswith("- dataset-altered refuses slow, trial")


def test_a_claim_s_outcome_stands_behind_its_name_and_its_run_below(tmp_path: Path, snapshot: object) -> None:
    text = "| Fast | `ggm/first` **✗ 3**; `ggm/second`, `other/first` |\n<!-- runs -->\n<!-- /runs -->\n"
    first = KeptClaim(
        id="first",
        verdict="upheld",
        text="It is fast",
        asked="a ratio between 1 and 2",
        published="3.5",
        measured="1.5 (1.2 to 1.8)",
        blocks=4,
        subject="goodput of a / goodput of b",
        estimate=1.5,
        interval=(1.2, 1.8),
    )
    second = first.model_copy(update={"id": "second", "verdict": "undecided", "measured": "–", "blocks": 5})
    result = KeptResult(
        experiment="ggm",
        date="2026-11-22",
        host="2 processors",
        blocks=5,
        trials=10,
        valid=9,
        seconds=62,
        claims=[first, second],
        notes=["errors refuses slow, trials 2 and 4: 3 of 9 went wrong"],
    )
    written = sentences_page(text, STUDIES["ggm"], [result])
    row, _, facts, _, note, _ = written.splitlines()
    assert row == snapshot
    assert facts == snapshot
    assert note == snapshot
    assert sentences_page(written, STUDIES["ggm"], [result]) == written
    later = result.model_copy(update={"claims": [first, second.model_copy(update={"verdict": "refuted"})]})
    assert changes(result, result) == []
    assert changes(result, later) == ["ggm/second: ~ → ✗"]
    assert [each.partition(":")[0] for each in changes(None, result)] == ["ggm/first", "ggm/second"]


def test_every_experiment_of_a_study_has_its_place() -> None:
    for study in STUDIES.values():
        document = (SENTENCES / f"{study.name}.md").read_text()
        for name in study.experiments:
            assert f"`{name}/" in document, name


def test_a_page_shows_a_claim_that_was_not_tried_yet_and_refuses_one_that_there_is_not() -> None:
    text = "| Five ms | `x` |\n| Fibers answer `ggm/fibers-answer-all` | old |\n"
    (row,) = main_claims(text, [])
    assert row.row == "| Fibers answer `ggm/fibers-answer-all` | 0 failed of 100 | – | not tried yet |"
    assert row.ratio is None
    budget = BudgetClaim(id="x", kind="budget", text="x", of="a", at_most="85 us", published=0.000085)  # type: ignore[arg-type]
    assert MainClaim("x", "ggm", budget, None).published == "85 µs"
    with pytest.raises(ValueError, match="ggm has no claim nosuch"):
        main_claims("| Fibers `ggm/nosuch` | |\n", [])


def test_a_kept_record_comes_to_the_same_and_names_no_place_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benches.kept_results.RECORDS", tmp_path / "kept")
    record = an_experiment("fast", "slow").claiming(of="fast", to="slow", at_least=2).record()
    trials = trials_of(record, a_trial().serving(1000))

    def run(name: str, reason: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        failure = Failure(stage="load", reason=reason, remedy="")
        with RecordWriter(folder) as writer:
            for line in (record, *trials[:-1], trials[-1].model_copy(update={"failure": failure})):
                writer.append(line)
        return folder

    here = run("here", f"{Path.home()}/stack and {Path.cwd()}/stacks: no such file as /proc/self/exe")
    kept_file = keep_record(here)
    content = lzma.decompress(kept_file.read_bytes()).decode()
    assert "HOME/stack and CHECKOUT/stacks: no such file as /proc/self/exe" in content
    assert kept_file.stat().st_size < (here / RECORD_FILE).stat().st_size / 4
    assert summarize(kept_file).claims == summarize(here).claims
    with pytest.raises(ValueError, match="/Users/somebody/stack"):
        keep_record(run("elsewhere", "/Users/somebody/stack is not there"))


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_the_smallest_kept_record_of_a_study_comes_to_its_kept_result(study: Study) -> None:
    """By the checks of today. `python -m benches.replications` judges all of them, and says what changed."""
    records = {path.name.partition(".")[0]: path for path in kept_records()}
    of_study = [records[name] for name in study.experiments if name in records]
    if of_study:
        result = summarize(min(of_study, key=lambda path: path.stat().st_size))
        before = next(each for each in kept() if each.experiment == result.experiment)
        assert changes(before, result) == []


def test_the_pages_and_the_picture_show_the_kept_results() -> None:
    for path, text in pages(kept()).items():
        assert path.read_text() == text, f"{path.name}; run: python -m benches.replications"


def test_a_histogram_that_looks_like_a_folder_stays_as_it_is() -> None:
    of_machine = f'"log":"{Path.home()}/x","hdr_base64":"AB{Path.home()}/tmpCD==","path":"/tmp/y"'
    assert without_places(of_machine.encode()).startswith(b'"log":"HOME/x","hdr_base64":"AB' + bytes(Path.home()))
    assert b'/tmpCD==","path":"TMP/y"' in without_places(of_machine.encode())


def test_the_numbers_of_a_picture_are_the_same_on_every_processor() -> None:
    """The last digits of a logarithm are not: they differ between V8's builds and what a processor can do."""
    thirds = Ratio(text="a third", published=2 / 3, estimate=1 / 3, interval=(1 / 7, 3 / 7), verdict="upheld")
    svg = chart_svg([thirds, replace(thirds, text="two", estimate=2.0000001, interval=(1.1, 3.3))])
    assert re.findall(r"\d\.\d{3}\b", svg)
    assert not re.search(r"\d\.\d{4,}|\de-\d", svg)
