"""What a workload file gives no means to examine: said in every result, so that nobody takes silence for a proof."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Finding
from fairtrial.record.comparison import ReferenceRecord
from fairtrial.record.model import ExperimentRecord

OF_WORKLOAD_FILES = {
    "ledger": "whether the work was done that answers imply: the file does not say what an answer takes",
    "stale": "whether answers came from memory: the file does not say which rows could be changed meanwhile",
    "writes-stored": "whether everything that was acknowledged is stored: the file does not say where to look",
}
"""By check, what it examines of the lab's own workloads alone."""

REMEDY = "nothing to do, but to know it: a contender that skips such work is not found out here"


def not_examined(record: ExperimentRecord) -> Iterator[Finding]:
    """A note for each check that has nothing to examine because the workload is a file; else none."""
    if record.own_workload is None:
        return
    for check, what in OF_WORKLOAD_FILES.items():
        yield Finding(check=check, severity="note", evidence=f"not examined: {what}", remedy=REMEDY)
    if record.reference is not None:
        for what in _of_the_reference(record, record.reference):
            yield Finding(check="answers-differ", severity="note", evidence=f"not examined: {what}", remedy=REMEDY)


def _of_the_reference(record: ExperimentRecord, reference: ReferenceRecord) -> Iterator[str]:
    requests = record.own_workload.requests if record.own_workload is not None else {}
    only_before = [name for name in requests if name not in reference.under_load]
    if only_before:
        yield (
            f"answers to {', '.join(only_before)} under load: such requests change state, or cannot be sent twice, and "
            "were compared before the first trial only"
        )
    yield "headers of answers, apart from Content-Type"
