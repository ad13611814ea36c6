"""The data that checks examine, what they compare it with, and their findings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.judge.metrics import percentile_in
from fairtrial.load.capacity import METRIC_PERCENTILES
from fairtrial.load.kinds import Load
from fairtrial.record.calibration import Calibration
from fairtrial.record.lanes import LaneHost
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import Condition, ExperimentRecord, TrialRecord, by_condition

Severity = Literal["note", "warning", "refusal"]

NOTHING_TO_DO = "nothing to do"


def nothing_to_do(reason: str = "") -> str:
    """The remedy of a note that asks for nothing but to be known: it is in the report, and not on the terminal."""
    return f"{NOTHING_TO_DO}: {reason}" if reason else NOTHING_TO_DO


class Finding(Strict):
    """A check's finding, in one trial, about one claim, or in the experiment as a whole."""

    check: str
    severity: Severity
    evidence: str
    remedy: str
    trial: int | None = Field(None, description="the trial's index; null: about the experiment as a whole, or a claim")
    claim: str | None = Field(None, description="the id of the claim that it is about: a refusal withholds its verdict")
    contenders: list[str] = Field(
        default_factory=list,
        description="of a finding about the experiment, the conditions that it is about, as the experiment names them; "
        "empty: all",
    )
    metrics: list[str] = Field(
        default_factory=list,
        description="of a refusal, the metrics that it takes from the trial, which stands otherwise: by name, also of "
        "each request of the mix (`goodput`), or of one request alone (`goodput of NAME`); a percentile of those that "
        "every record holds takes the ones up to the next along. Empty: the whole trial",
    )
    examined: bool = Field(True, description="false: the check could not look, and the evidence says why")
    key: str | None = Field(
        None,
        description="of what the design shows: the key of the experiment's file; without a dot, of the claim",
    )

    @property
    def asks_nothing(self) -> bool:
        """Whether there is nothing to do about it but to know it."""
        return self.severity == "note" and self.remedy.startswith(NOTHING_TO_DO)

    @property
    def refuses_trial(self) -> bool:
        """Whether the trial that it is about is refused whole."""
        return self.severity == "refusal" and not self.metrics

    def takes(self, metric: str, request: str | None = None) -> bool:
        """Whether it takes a metric of this name, of all requests or of one, from the trial: by name, or as a
        percentile between two that every record holds, of which it takes the lower."""
        entries = [entry.partition(" of ") for entry in self.metrics]
        names = {name for name, _, of_request in entries if of_request in ("", request)}
        return metric in names or _examined(metric) in names


def finding(
    severity: Severity,
    evidence: str,
    remedy: str = "",
    *,
    trial: int | None = None,
    claim: str | None = None,
    contenders: Sequence[str] = (),
    metrics: Sequence[str] = (),
    examined: bool = True,
) -> Finding:
    """Something that a check found. Its caller adds which check that is.

    Args:
        evidence: what was observed, in figures; text from a server is made printable by the caller.
        remedy: in place of the check's own, where this case has a better one.
        trial: the trial's index, of a check that examines more than one; None: it is about the experiment as a whole,
            or about a claim.
        claim: the id of the claim that it is about.
        contenders: of a finding about the experiment, the conditions that it is about; none: all.
        metrics: of a refusal, those that it takes from the trial; none: the whole trial.
        examined: whether the check could look.
    """
    return Finding(
        check="",
        severity=severity,
        evidence=evidence,
        remedy=remedy,
        trial=trial,
        claim=claim,
        contenders=list(contenders),
        metrics=list(metrics),
        examined=examined,
    )


def _examined(metric: str) -> str:
    """The percentile that is examined in place of a metric: the next lower one that every record holds, or the lowest
    of them. Other metrics stand for themselves."""
    percentile = percentile_in(metric)
    if percentile is None:
        return metric
    lower = [each for each in METRIC_PERCENTILES if float(each) <= float(percentile[1])]
    return f"{percentile[0]}_p{lower[-1] if lower else METRIC_PERCENTILES[0]}"


def refusing(metric: str, findings: Sequence[Finding], request: str | None = None) -> Finding | None:
    """The first of a trial's findings that takes a metric of this name from it; None if it has it."""
    taking = (finding for finding in findings if finding.severity == "refusal" and finding.takes(metric, request))
    return next(taking, None)


@dataclass(frozen=True)
class Threshold:
    """A number that a check compares with, in `unit`, and where the number comes from."""

    value: float
    unit: str
    source: str


@dataclass(frozen=True)
class LoadCase:
    """Measured loads, as a check examines them that needs no experiment around them."""

    trials: Sequence[TrialRecord]
    loads: Mapping[str, Load]
    """what was offered, by condition; a load that no experiment can have is missing"""
    processors: int
    """of the load engine"""
    calibrations: Sequence[Calibration] = ()
    """the engine against its own target; empty where that was not measured"""
    contenders: Mapping[str, str] = field(default_factory=dict)
    """by condition, as the experiment names it; empty without an experiment"""

    @cached_property
    def _by_condition(self) -> Mapping[str, Sequence[TrialRecord]]:
        return by_condition(self.trials)

    def trials_of(self, condition: str) -> Sequence[TrialRecord]:
        """Those of the condition with this id, in the order of all."""
        return self._by_condition.get(condition, ())


@dataclass(frozen=True)
class Case(LoadCase):
    """A record as checks examine it."""

    record: ExperimentRecord = field(kw_only=True)

    @classmethod
    def of(cls, record: ExperimentRecord, trials: Sequence[TrialRecord]) -> "Case":
        """These trials of a record."""
        return cls(
            trials,
            {condition.id: condition.load for condition in record.conditions},
            record.placement.load_processors,
            record.calibrations,
            {condition.id: condition.contender for condition in record.conditions},
            record=record,
        )

    def condition_of(self, trial: TrialRecord) -> Condition:
        """The condition of a trial."""
        return self._conditions[trial.condition]

    @cached_property
    def _conditions(self) -> Mapping[str, Condition]:
        return {condition.id: condition for condition in self.record.conditions}

    def machines(self, trial: TrialRecord) -> Iterator[tuple[str, MachineMeter]]:
        """Each machine that was metered in a trial, and what a finding says first (of the server's, nothing)."""
        if trial.machine is not None:
            yield "", trial.machine
        for name, meter, host in self._hosts_apart(trial):
            if not self.record.is_servers_machine(trial, host):
                yield f"on the {name}, ", meter

    def processors_apart(self, trial: TrialRecord) -> Iterator[tuple[str, MachineMeter, LaneHost]]:
        """The hosts that services or a balancer have to themselves, with processors that the server has not.

        Yields:
            what a finding calls it, what it did in the window, and what it is.
        """
        for name, meter, host in self._hosts_apart(trial):
            if not self._shares_processors(trial, host):
                yield name, meter, host

    def beside_seconds(self, trial: TrialRecord) -> float:
        """Processor seconds of such hosts' labs, with all that they run, on processors that the server has as well."""
        return sum(
            meter.own_server_cpu_seconds + meter.own_load_cpu_seconds
            for _, meter, host in self._hosts_apart(trial)
            if self._shares_processors(trial, host)
        )

    def _hosts_apart(self, trial: TrialRecord) -> Iterator[tuple[str, MachineMeter, LaneHost]]:
        service, balancer = self.record.host_of(trial, "service"), self.record.host_of(trial, "balancer")
        if service is not None and trial.service_machine is not None:
            yield "service host", trial.service_machine, service
        # A host of both has one lab, which tells of both.
        is_one = service is balancer and trial.service_machine is not None
        if balancer is not None and trial.balancer_machine is not None and not is_one:
            yield "balancer host", trial.balancer_machine, balancer

    def _shares_processors(self, trial: TrialRecord, host: LaneHost) -> bool:
        servers = set(self.record.placement_of(trial).server_cpus)
        return self.record.is_servers_machine(trial, host) and not servers.isdisjoint(host.cpus)
