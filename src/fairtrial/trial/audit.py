"""What is stored, held against what was acknowledged."""

from fairtrial.printable import printable
from fairtrial.record.model import Audit, EngineSummary, WriteFault
from fairtrial.services.model import RunningService
from fairtrial.tables import Data
from fairtrial.workloads.model import Acknowledged, Workload


def audit(
    workload: Workload, data: Data, options: object, engine: EngineSummary, service: RunningService
) -> Audit | None:
    """The workload's own audit, or None if it stores nothing.

    Raises:
        Problem: the service cannot be read.
    """
    acknowledged = Acknowledged(
        begun={one.request: one.begun for one in engine.acknowledgements},
        not_acknowledged={
            one.request: frozenset(number for first, last in one.not_acknowledged for number in range(first, last + 1))
            for one in engine.acknowledgements
        },
    )
    return _audit(workload, data, options, acknowledged, service)


def audit_job(
    workload: Workload, data: Data, options: object, operations: int, service: RunningService
) -> Audit | None:
    """As `audit`, of a program that ended well: that is its acknowledgement of all that it was told to do.

    Raises:
        Problem: the service cannot be read.
    """
    acknowledged = Acknowledged(begun={workload.name: operations}, not_acknowledged={workload.name: frozenset()})
    return _audit(workload, data, options, acknowledged, service)


def _audit(
    workload: Workload, data: Data, options: object, acknowledged: Acknowledged, service: RunningService
) -> Audit | None:
    if workload.audit is None or service.identity.name == "none":
        return None
    stored, faults = workload.audit(data, options, acknowledged, service)
    return Audit(
        acknowledged=acknowledged.count,
        stored=stored,
        faults=[WriteFault(kind=one.kind, count=one.count, example=printable(one.example, 200)) for one in faults],
    )
