"""A result as tables with a row for each figure, each verdict and each trial, as programs for tables read them."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from fairtrial.base.printable import printable
from fairtrial.base.strict import Strict
from fairtrial.base.units import BaseUnit
from fairtrial.experiment.value import Value
from fairtrial.judge.metrics import METRICS, Metric, journey_metrics, metrics_of, request_metrics
from fairtrial.judge.model import ConditionResult, Outcome, Result, Times, TrialResult
from fairtrial.judge.statistics.equivalence import Verdict
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.report.columns import FIGURES_AT


class ResultFigure(Strict):
    """One figure: of a condition over its blocks, of one request of its mix, or of one of its trials."""

    experiment: str
    condition: str = Field(description="its id, which is the same in each run of the experiment")
    contender: str = Field(description="as the experiment names it")
    workload: str
    service: str
    at: Value | None = Field(description="the sweep's value; empty without a sweep")
    request: str | None = Field(description="the request of a mix that the figure is of; empty: of all")
    block: int | None = Field(description="whose trial the figure is of; empty: the median over the blocks")
    metric: str = Field(description="its name, as claims have it")
    value: float | None = Field(description="empty: it was refused, or not measured")
    lower: float | None = Field(
        description=f"lower end of the {FIGURES_AT} interval over the blocks; empty: there is none"
    )
    upper: float | None = Field(description="upper end, likewise; empty also where it is open above")
    unit: BaseUnit
    blocks: int | None = Field(description="how many the value is over; empty in the row of a trial")
    is_lower_bound: bool = Field(description="the true value may be higher: nobody awaited the last answers")
    outcome: Literal[Outcome, "left out"] = Field(
        description="of the condition or the trial; `left out`: of a trial whose block no figure rests on"
    )


class VerdictRow(Strict):
    """One claim and its verdict."""

    experiment: str
    claim: str = Field(description="its id")
    text: str
    kind: str
    metric: str | None = Field(description="empty for a property")
    request: str | None = Field(description="the request of a mix that the claim is about; empty: all")
    verdict: Verdict
    value: float | None = Field(description="what was estimated, in the base unit; empty: nothing could be")
    lower: float | None
    upper: float | None
    level: float | None = Field(description="of the interval from lower to upper, as a share")
    at_least: float | None = Field(description="what the claim asks of the value")
    at_most: float | None = Field(description="likewise")
    blocks: int
    reason: str | None = Field(description="why it is undecided, or which difference is left of an equal one")


class TrialRow(Strict):
    """One trial: whether it is valid, and why not."""

    experiment: str
    condition: str
    contender: str
    block: int
    index: int = Field(description="from 1, in the order in which trials were tried")
    outcome: Outcome
    reason: str | None = Field(description="why it is not valid")
    findings: list[str] = Field(description="the names of the checks that found something")
    log: str | None = Field(description="what the stack printed, below the results folder")


def figures_of(result: Result) -> Iterator[ResultFigure]:
    """A row for each figure that is measured under a condition's load, whether or not it has a value."""
    for condition in result.conditions:
        for metric in metrics_of(condition.load):
            if metric.fits(condition.load):
                yield _over_blocks(result, condition, metric, condition.figures.get(metric.key))
        by_name = [(each, request_metrics(each.name)) for each in condition.requests]
        by_name += [(each, journey_metrics(each.name)) for each in condition.journeys]
        for each, metrics in by_name:
            for metric in metrics:
                if metric.fits(condition.load):
                    yield _over_blocks(result, condition, metric, each.figures.get(metric.key))
        for trial in condition.trials:
            yield from _of_trial(result, condition, trial)


def verdicts_of(result: Result) -> Iterator[VerdictRow]:
    """A row for each claim."""
    for claim in result.claims:
        lower, upper = claim.interval or (None, None)
        yield VerdictRow(
            experiment=result.name,
            claim=claim.id,
            text=claim.text,
            kind=claim.kind,
            metric=claim.metric,
            request=claim.request,
            verdict=claim.verdict,
            value=claim.estimate,
            lower=lower,
            upper=None if claim.interval_open_above else upper,
            level=claim.level,
            at_least=claim.at_least,
            at_most=claim.at_most,
            blocks=claim.blocks,
            reason=claim.reason,
        )


def trials_of(result: Result) -> Iterator[TrialRow]:
    """A row for each trial, in the order of the trials."""
    trials = [(trial.index, condition, trial) for condition in result.conditions for trial in condition.trials]
    for index, condition, trial in sorted(trials, key=lambda each: each[0]):
        yield TrialRow(
            experiment=result.name,
            condition=condition.id,
            contender=condition.contender,
            block=trial.block,
            index=index,
            outcome=trial.outcome,
            reason=None if trial.reason is None else printable(trial.reason),
            findings=list(dict.fromkeys(finding.check for finding in trial.findings)),
            log=trial.log,
        )


def _over_blocks(result: Result, condition: ConditionResult, metric: Metric, estimate: Estimate | None) -> ResultFigure:
    interval = None if estimate is None else estimate.interval
    lower, upper = interval or (None, None)
    return _figure(
        result,
        condition,
        metric,
        value=None if estimate is None else estimate.estimate,
        lower=lower,
        upper=None if estimate is not None and estimate.open_above else upper,
        blocks=None if estimate is None else estimate.blocks,
        is_lower_bound=estimate is not None and estimate.is_lower_bound,
        outcome=condition.outcome,
    )


def _of_trial(result: Result, condition: ConditionResult, trial: TrialResult) -> Iterator[ResultFigure]:
    """The figures that the result has of one trial; none of it where the trial was refused."""
    values: dict[str, float | None] = {
        "goodput": None if trial.goodput is None else trial.goodput.per_second,
        **_response_times(trial.response_time),
        "server_cpu_per_1000_requests": None if trial.server is None else trial.server.cpu_seconds_per_1000_requests,
        "peak_rss": None if trial.server is None else float(trial.server.peak_rss_bytes),
    }
    bound = None if trial.response_time is None else trial.response_time.at_least_seconds
    for name, value in values.items():
        if value is None:
            continue
        yield _figure(
            result,
            condition,
            METRICS[name],
            block=trial.block,
            value=value,
            is_lower_bound=bound is not None and name.startswith("response_time") and value >= bound,
            outcome="left out" if trial.block in result.blocks_left_out else trial.outcome,
        )


def _response_times(times: Times | None) -> dict[str, float | None]:
    if times is None:
        return {}
    return {
        "response_time_p50": times.p50_seconds,
        "response_time_p99": times.p99_seconds,
        "response_time_max": times.max_seconds,
    }


def _figure(
    result: Result,
    condition: ConditionResult,
    metric: Metric,
    *,
    value: float | None,
    is_lower_bound: bool,
    outcome: Literal[Outcome, "left out"],
    lower: float | None = None,
    upper: float | None = None,
    block: int | None = None,
    blocks: int | None = None,
) -> ResultFigure:
    return ResultFigure(
        experiment=result.name,
        condition=condition.id,
        contender=condition.contender,
        workload=condition.workload,
        service=condition.service,
        at=condition.at,
        request=metric.request,
        block=block,
        metric=metric.name,
        value=value,
        lower=lower,
        upper=upper,
        unit=metric.unit,
        blocks=blocks,
        is_lower_bound=is_lower_bound,
        outcome=outcome,
    )
