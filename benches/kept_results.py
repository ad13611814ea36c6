"""Small results of the experiments on published studies: `experiments/results/NAME.json`, one file an experiment.

They hold what experiments/studies and docs/replications.md show, so that the pages can be written again without the
runs' records.
"""

from pathlib import Path

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.judge.judging import judge_record
from fairtrial.judge.model import ClaimResult
from fairtrial.record.read import read_record
from fairtrial.report.grouping import grouped_findings, obstacles
from fairtrial.report.markdown import ClaimInWords, claim_in_words

FOLDER = Path(__file__).resolve().parent.parent / "experiments" / "results"


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


def summarize(folder: Path) -> KeptResult:
    """The small result of a run, judged with today's checks.

    Raises:
        Problem: there is no readable record in the folder.
    """
    record, trials = read_record(folder)
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


def keep(result: KeptResult) -> None:
    """Write the result into its file, in place of an earlier one."""
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{result.experiment}.json"
    path.write_text(result.model_dump_json(indent=1) + "\n", encoding="utf-8")


def kept() -> list[KeptResult]:
    """All results that are kept, by the names of their experiments."""
    return [KeptResult.model_validate_json(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
