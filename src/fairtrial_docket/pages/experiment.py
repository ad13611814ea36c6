"""The page of an experiment: its report, with the ways to contenders, claims and the record."""

from collections.abc import Sequence

from fairtrial.judge.model import Result
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.report.html import html_text
from fairtrial_docket.entries import ExperimentEntry
from fairtrial_docket.site import OWN, Site, frame


def write_experiment(
    site: Site, entry: ExperimentEntry, result: Result, record: ExperimentRecord, trials: Sequence[TrialRecord]
) -> None:
    """Write it."""
    contenders = {condition.page: condition.contender for condition in entry.conditions}
    page = html_text(
        result,
        record,
        trials,
        template=OWN / "experiment.html.j2",
        more={"entry": entry, "contenders": contenders, **frame(entry.page)},
    )
    site.write(entry.page, page)
