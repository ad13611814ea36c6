"""What is stored, held against what was acknowledged."""

from collections.abc import Sequence

from fairtrial.base.printable import printable
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.model import Acknowledged, Workload
from fairtrial.lab.trial.request_numbers import acknowledged
from fairtrial.record.model import Audit, EngineSummary


def audit(
    workload: Workload, data: Data, options: object, runs: Sequence[EngineSummary], service: RunningService
) -> Audit | None:
    """The workload's own audit, over all runs of the trial; None if it stores nothing.

    Raises:
        Problem: the service cannot be read.
    """
    return _audit(workload, data, options, acknowledged(runs), service)


def audit_job(
    workload: Workload, data: Data, options: object, operations: int, service: RunningService
) -> Audit | None:
    """As `audit`, of a program that ended well: that is its acknowledgement of all that it was told to do.

    Raises:
        Problem: the service cannot be read.
    """
    done = Acknowledged(begun={workload.name: operations}, not_acknowledged={workload.name: frozenset()})
    return _audit(workload, data, options, done, service)


def _audit(
    workload: Workload, data: Data, options: object, told: Acknowledged, service: RunningService
) -> Audit | None:
    if workload.audit is None or service.identity.name == "none":
        return None
    stored, faults = workload.audit(data, options, told, service)
    return Audit(
        acknowledged=told.count,
        stored=stored,
        faults=[fault.model_copy(update={"example": printable(fault.example, 200)}) for fault in faults],
    )
