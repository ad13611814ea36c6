"""The first line of a record: what was planned, on which machine, with which services and rows."""

from collections.abc import Sequence

from fairtrial import __version__
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads import implied_work
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.engine.dataset import spec_sha256
from fairtrial.lab.meters.machine import host_properties
from fairtrial.lab.trial.flow import timestamp
from fairtrial.plan.design import condition_designs
from fairtrial.plan.plan import Plan, PlannedCondition
from fairtrial.record.calibration import Calibration
from fairtrial.record.comparison import ReferenceRecord
from fairtrial.record.identity import DatasetIdentity, ServiceIdentity, StackIdentity
from fairtrial.record.model import ExperimentRecord
from fairtrial.record.placement import IdleLimit, Placement
from fairtrial.record.proof import ImpliedWork


def first_line(
    plan: Plan,
    placement: Placement,
    services: Sequence[ServiceIdentity],
    stacks: Sequence[StackIdentity],
    *,
    idle: IdleLimit,
    engine_version: str,
    private_network: bool,
    calibrations: Sequence[Calibration],
    reference: ReferenceRecord | None = None,
    earlier: int = 0,
) -> ExperimentRecord:
    """The record's line for the experiment; those of its trials follow.

    Args:
        services: those that were up; where none was, no rows were loaded.
        private_network: whether all trials are run in a network of their own.
        reference: what was compared before the first trial; None: answers are not compared.
        earlier: runs of the experiment.
    """
    datasets = _datasets(plan) if services else {}
    same = len(set(datasets.values())) <= 1
    return ExperimentRecord(
        fairtrial_version=__version__,
        started_at=timestamp(),
        experiment=plan.experiment,
        earlier_runs=earlier,
        conditions=[condition.recorded for condition in plan.conditions],
        order=[[condition.recorded.id for condition in block] for block in plan.blocks],
        spare_blocks=plan.spare_blocks,
        looks=list(plan.looks),
        looks_from_clock=bool(plan.looks),
        decide_within_seconds=plan.within_seconds,
        ends_in_time=plan.within_seconds is not None,
        host=host_properties(),
        placement=placement,
        own_network=private_network,
        idle=idle,
        stacks=list(stacks),
        services=list(services),
        dataset=next(iter(datasets.values()), None) if same else None,
        datasets={} if same else {name: dataset for name, dataset in datasets.items() if dataset is not None},
        implied_work={condition.recorded.id: _implied_work(condition) for condition in plan.conditions},
        designs=condition_designs(plan, len(placement.server_cpus)),
        own_workload=plan.workload.identity,
        reference=reference,
        engine_version=engine_version,
        calibrations=list(calibrations),
    )


def _implied_work(condition: PlannedCondition) -> ImpliedWork:
    """The work that an answer of this condition implies. A latency that is drawn at random has no least round trip, and
    is told by its mean."""
    point = condition.point
    options = point.service_options(condition.service)
    if options.latency is None:
        return implied_work(point.workload, point.options)
    if options.latency_distribution != "constant":
        return implied_work(point.workload, point.options, mean_round_trip_seconds=options.latency.value)
    requests = point.workload.requests(point.data, point.options) if isinstance(point.workload, ServerWorkload) else []
    return implied_work(
        point.workload,
        point.options,
        requests=[request.name for request in requests],
        round_trip_seconds=options.latency.value,
    )


def _datasets(plan: Plan) -> dict[str, DatasetIdentity | None]:
    """By condition id, the generated rows with which its trials begin; None where the workload has none."""
    return {condition.recorded.id: _identity(condition.point.data) for condition in plan.conditions}


def _identity(data: Data) -> DatasetIdentity | None:
    dataset = data.dataset
    if dataset is None:
        return None
    described = dataset.described
    return DatasetIdentity(
        name=dataset.spec["name"],
        sha256=spec_sha256(dataset.spec),
        rows=described["rows"],
        first_id=described["first_id"],
        last_id=described["last_id"],
    )
