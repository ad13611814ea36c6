"""Published beside measured: the tables of docs/replications.md."""

from pathlib import Path

from benches.kept_results import kept, summarize
from benches.models_chart import CHART, chart_svg
from benches.replications import PAGE, page, part
from benches.studies import STUDIES, experiments_of
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


def test_every_experiment_of_a_study_has_its_place() -> None:
    document = PAGE.read_text()
    for study in STUDIES:
        for path in experiments_of(study):
            assert f"<!-- {path.stem} -->" in document, path


def test_the_page_and_its_picture_show_the_kept_results() -> None:
    assert page(PAGE.read_text(), kept()) == PAGE.read_text(), "run: python -m benches.replications"
    assert chart_svg(kept()) == CHART.read_text(), "run: python -m benches.replications"
