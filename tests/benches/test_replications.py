"""Published beside measured: docs/replications.md and experiments/studies."""

from pathlib import Path

from benches.kept_results import KeptClaim, KeptResult, kept, summarize
from benches.replications import pages, part, study_page
from benches.studies import PAGES, STUDIES, experiments_of
from fairtrial.record.write import RecordWriter
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
    written = study_page(text, "ggm", [result])
    row, _, facts, _, note, _ = written.splitlines()
    assert row == snapshot
    assert facts == snapshot
    assert note == snapshot
    assert study_page(written, "ggm", [result]) == written


def test_every_experiment_of_a_study_has_its_place() -> None:
    for study in STUDIES:
        document = (PAGES / f"{study}.md").read_text()
        for path in experiments_of(study):
            assert f"`{path.stem}/" in document, path


def test_the_pages_and_the_picture_show_the_kept_results() -> None:
    for path, text in pages(kept()).items():
        assert path.read_text() == text, f"{path.name}; run: python -m benches.replications"
