"""What a workload file gives no means to examine: said in every result, so that nobody takes silence for a proof."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Finding
from fairtrial.record.model import ExperimentRecord

OF_WORKLOAD_FILES = {
    "ledger": "whether the work was done that answers imply: the file does not say what an answer takes",
    "stale": "whether answers came from memory: the file does not say which rows could be changed meanwhile",
    "writes-stored": "whether everything that was acknowledged is stored: the file does not say where to look",
}
"""By check, what it examines of the lab's own workloads alone."""

REMEDY = "nothing to do, but to know it: a contender that skips such work is not found out here"


def not_examined(record: ExperimentRecord) -> Iterator[Finding]:
    """A note for each check that has nothing to examine because the workload is a file, and for each schema that says
    nothing; else none.
    """
    if record.own_workload is None:
        return
    for check, what in OF_WORKLOAD_FILES.items():
        yield Finding(check=check, severity="note", evidence=f"not examined: {what}", remedy=REMEDY)
    for request in record.own_workload.accepts_anything:
        yield Finding(
            check="errors",
            severity="note",
            evidence=f"{request}: its schema accepts any answer",
            remedy="say in the schema what an answer holds: types of its members, and which are required",
        )
