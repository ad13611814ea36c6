"""Why a trial that was carried out has no figure, and what would give it one."""

from dataclasses import dataclass

from fairtrial.judge.metrics import SERVED, Metric
from fairtrial.judge.metrics.readings import has_overflowed
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import TrialRecord

LAB_STARTS_IT = (
    "It is measured where the lab starts the contender: give its `folder`, or its `command` and `directory`."
)
TAILS = "A run with `tails = true` in [slices] would hold it."
NEW_RUN = "A new run would hold it."
LONGER_WINDOW = "Longer windows hold more samples: raise `duration_seconds` of the load, or claim a lower percentile."


@dataclass(frozen=True)
class Absence:
    """Why there is no figure."""

    reason: str
    """as what follows the trial's name"""
    way_out: str
    """what would give one, as a sentence"""


def absence(metric: Metric, trial: TrialRecord) -> Absence:
    """Why this trial, which is valid or stands all the same, has no such figure."""
    if trial.not_measured and metric.of_processes:
        return Absence(f"has no {metric.label}: not measured, because {trial.not_measured}", LAB_STARTS_IT)
    if metric.of_tail and trial.engine is not None and trial.tail_engine is None:
        return Absence(f"has no {metric.label}: in slices it is not measured, and there was no whole window", TAILS)
    if metric.read_journey is not None and trial.engine is not None and trial.engine.journey(metric.request) is None:
        names = ", ".join(each.name for each in trial.engine.journeys) or "none"
        return Absence(f"has no {metric.label}; its journeys: {names}", "Name one of its journeys in `request`.")
    if metric.read_share is not None and metric.request is not None and trial.engine is not None:
        of_request = _absence_of_request(metric, trial.engine)
        if of_request is not None:
            return of_request
    if metric.loads == SERVED:
        return Absence(f"has no {metric.label}: it was not measured, or the record is from before it was", NEW_RUN)
    return Absence(f"has too few samples for {metric.label}", LONGER_WINDOW)


def _absence_of_request(metric: Metric, engine: EngineSummary) -> Absence | None:
    """Why a trial that was measured has no such figure of one request; None: it has too few samples."""
    share = engine.share_of(metric.request or "")
    if share is None:
        names = ", ".join(dict.fromkeys(each.name for each in engine.mix)) or "none"
        return Absence(
            f"sent no request `{metric.request}`; its requests: {names}", "Name a request of the mix in `request`."
        )
    times = share.failures if metric.name == "errors" else share.response_time
    if times is None and metric.name != "goodput":
        reason = f"has no {metric.label}, because times and failures were only kept of all requests together"
        return Absence(reason, NEW_RUN)
    if metric.name == "errors" and has_overflowed(engine):
        return Absence(
            "had more requests than may wait, which belong to no request of the mix",
            "A lower rate would decide it, or a claim of the errors of all requests.",
        )
    return None
