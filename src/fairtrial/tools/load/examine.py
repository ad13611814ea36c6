"""The checks of `fairtrial run` that need nothing but a measured load, called on one load by itself."""

from fairtrial.judge.checks import run_load_checks
from fairtrial.judge.checks.model import Finding
from fairtrial.record.capacity import CapacitySearch
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.machine import NetworkMeter
from fairtrial.record.model import TrialRecord
from fairtrial.tools.load.request.command_load import CommandLoad

CONDITION = "load"
SHORTEST_WINDOW_SECONDS = 0.5
"""Little's law is asked of windows from this length on: threads open and close theirs some milliseconds apart, as the
threshold of the check `littles-law` says."""


def examine_load(
    offered: CommandLoad,
    processors: int,
    summary: EngineSummary,
    network: NetworkMeter | None,
    capacity: CapacitySearch | None,
) -> list[Finding]:
    """What the checks find in a load, the gravest first.

    Args:
        processors: of the load engine.
    """
    if not offered.load.is_stationary:  # whatever a pipeline or a count makes of it for the checks
        summary = summary.model_copy(update={"series": []})
    measured = TrialRecord(
        index=1, block=1, condition=CONDITION, started_at="", engine=summary, network=network, capacity=capacity
    )
    is_alike = offered.is_of_experiments and summary.window_seconds >= SHORTEST_WINDOW_SECONDS
    loads = {CONDITION: offered.load} if is_alike else {}
    findings = run_load_checks([measured], loads, processors)
    gravity = {"refusal": 0, "warning": 1, "note": 2}
    return sorted(findings, key=lambda finding: gravity[finding.severity])
