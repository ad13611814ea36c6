"""The results of the shipped experiments, `experiments/results/NAME.json`, and the records of their runs.

The small file has what docs/replications and experiments/studies show. The record, `benches/records/NAME.jsonl.xz`, is
what it was judged from, so that a judge of today can be held against that of then; `fairtrial judge` reads it as it is.
Logs, profiles, some histograms and the paths of the machine are left out. Results from before records were kept have
none.
"""

import lzma
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from fairtrial.base.locations import PACKAGE, cache_folder
from fairtrial.base.strict import Strict
from fairtrial.experiment.changes import with_claims_of
from fairtrial.experiment.files import load_experiment, shipped_experiments
from fairtrial.judge.judging import judge_record
from fairtrial.judge.model import ClaimResult
from fairtrial.record.engine_summary import Distribution
from fairtrial.record.model import TrialRecord
from fairtrial.record.read import read_record
from fairtrial.report.grouping import grouped_findings, obstacles
from fairtrial.report.markdown import ClaimInWords, claim_in_words

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "experiments" / "results"
RECORDS = ROOT / "benches" / "records"

OF_MACHINES = re.compile(rb"(?<![\w.~/-])/(?:home|root|Users|tmp|var/tmp|work)/[^\"\s]*")
"""A path that says where something was on somebody's machine."""

HISTOGRAM = re.compile(rb'("hdr_base64":"[^"]*")')


class KeptClaim(ClaimInWords):
    """What a claim's row in a table shows, and its estimate as numbers."""

    id: str
    subject: str = Field(description="what was estimated, such as `goodput of a / goodput of b`")
    estimate: float | None
    interval: tuple[float, float] | None


class KeptResult(Strict):
    """The result of one run of an experiment."""

    experiment: str
    date: str
    host: str = Field(description="number and model of the processors, and the kernel")
    blocks: int
    trials: int
    valid: int = Field(description="how many of the trials are valid")
    seconds: float = Field(description="the duration of all trials together")
    claims: list[KeptClaim]
    notes: list[str] = Field(description="refusals, and what kept conditions from being tried")


def summarize(place: Path) -> KeptResult:
    """The small result of a run, by today's checks and, of a shipped experiment, by its claims of today.

    Args:
        place: the run's folder, or its kept record.

    Raises:
        Problem: there is no readable record, or none of the claims is about what was tried.
    """
    record, trials = read_record(place)
    if file := shipped_experiments().get(record.experiment.name):
        experiment, _ = with_claims_of(record.experiment, load_experiment(file), file)
        record = record.model_copy(update={"experiment": experiment})
    result = judge_record(record, trials)
    outcomes = [trial.outcome for condition in result.conditions for trial in condition.trials]
    notes = [
        f"{group.check} refuses {group.where}: {group.evidence}"
        for group in grouped_findings(result)
        if group.severity == "refusal"
    ]
    notes += [f"{obstacle.outcome}: {obstacle.contender}: {obstacle.reason}" for obstacle in obstacles(result)]
    return KeptResult(
        experiment=record.experiment.name,
        date=result.started_at[:10],
        host=f"{result.host.cpus} × {result.host.cpu_model}, {result.host.system} {result.host.kernel}",
        blocks=result.blocks_complete,
        trials=len(outcomes),
        valid=outcomes.count("valid"),
        seconds=round(sum(sum(trial.stage_seconds.values()) for trial in trials), 1),
        claims=[_claim(claim) for claim in result.claims],
        notes=notes,
    )


def _claim(claim: ClaimResult) -> KeptClaim:
    return KeptClaim(
        id=claim.id,
        subject=claim.subject,
        estimate=claim.estimate,
        interval=claim.interval,
        **claim_in_words(claim).model_dump(),
    )


def keep_record(run: Path) -> Path:
    """Keep the record of a run, compressed and without the paths of this machine, in place of an earlier one.

    Raises:
        Problem: there is no readable record in the folder.
        ValueError: it names a place that is not known by name, or comes to something else without what is left out.
    """
    record, trials = read_record(run)
    lines = [record.model_dump_json(), *(without_spare_histograms(trial).model_dump_json() for trial in trials)]
    content = without_places("".join(f"{line}\n" for line in lines).encode())
    if left := OF_MACHINES.search(content):
        raise ValueError(f"{run}: its record names a place on this machine: {left[0].decode()}")
    RECORDS.mkdir(exist_ok=True)
    kept_file = RECORDS / f"{record.experiment.name}.jsonl.xz"
    kept_file.write_bytes(lzma.compress(content))
    if summarize(kept_file).claims != summarize(run).claims:
        kept_file.unlink()
        raise ValueError(f"{run}: a claim rests on a histogram that is left out")
    return kept_file


def without_spare_histograms(trial: TrialRecord) -> TrialRecord:
    """A trial without the histograms of each kind of request, but those of response times. They are half of a record,
    and their percentiles stay."""
    engine = trial.engine
    if engine is None:
        return trial
    mix = [
        share.model_copy(
            update={
                "service_time": _without_histogram(share.service_time),
                "first_byte_time": _without_histogram(share.first_byte_time),
            }
        )
        for share in engine.mix
    ]
    return trial.model_copy(update={"engine": engine.model_copy(update={"mix": mix})})


def _without_histogram(times: Distribution | None) -> Distribution | None:
    return None if times is None else times.model_copy(update={"hdr_base64": ""})


def without_places(content: bytes) -> bytes:
    """A record with words in place of the folders of this machine, the innermost first. Histograms stay: letters and
    slashes of theirs may look like one."""
    places = {
        cache_folder(): "CACHE",
        PACKAGE.parents[1]: "CHECKOUT",
        Path(tempfile.gettempdir()): "TMP",
        Path("/var/tmp"): "TMP",  # noqa: S108 – a name to look for
        Path.home(): "HOME",
    }
    parts = HISTOGRAM.split(content)  # every second one is a histogram
    for place in sorted(places, key=lambda each: len(each.parts), reverse=True):
        if place != Path("/"):
            parts[::2] = [part.replace(str(place).encode(), places[place].encode()) for part in parts[::2]]
    return b"".join(parts)


def kept_records() -> Iterator[Path]:
    """The records that are kept, by the names of their experiments."""
    yield from sorted(RECORDS.glob("*.jsonl.xz"))


def keep(result: KeptResult) -> None:
    """Write the result into its file, in place of an earlier one."""
    path = RESULTS / f"{result.experiment}.json"
    path.write_text(result.model_dump_json(indent=1) + "\n", encoding="utf-8")


def kept() -> list[KeptResult]:
    """All results that are kept, by the names of their experiments."""
    return [KeptResult.model_validate_json(path.read_text()) for path in sorted(RESULTS.glob("*.json"))]
