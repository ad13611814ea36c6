"""What a workload file gives no means to examine: said in every result, so that nobody takes silence for a proof."""

from collections.abc import Iterator

from fairtrial.base.printable import printable
from fairtrial.judge.checks.model import Finding
from fairtrial.record.comparison import ReferenceRecord
from fairtrial.record.identity import WorkloadIdentity
from fairtrial.record.model import ExperimentRecord

WRITES_STORED = "writes-stored"
OF_WORKLOAD_FILES = {
    "ledger": "whether the work was done that answers imply: the file does not say what an answer takes",
    "stale": "whether answers came from memory: the file does not say which rows could be changed meanwhile",
    WRITES_STORED: "whether everything that was acknowledged is stored: the file does not say where to look",
}
"""By check, what it examines of the lab's own workloads alone."""

READING = ("GET", "HEAD", "OPTIONS")
"""Methods that are defined to change nothing (RFC 9110, section 9.2.1)."""

REMEDY = "nothing to do, but to know it: a contender that skips such work is not found out here"
NAMED_CHARACTERS = 300
AUDIT = "add an [audit.NAME] whose lowest number is {{acknowledged REQUEST}}: docs/workload-file.md"


def not_examined(record: ExperimentRecord) -> Iterator[Finding]:
    """A note for each check that has nothing to examine because the workload is a file, and for each schema that says
    nothing, and for requests of which nothing is expected; else none.
    """
    own = record.own_workload
    if own is None:
        return
    for check, what in OF_WORKLOAD_FILES.items():
        if check != WRITES_STORED or not own.audits:
            yield _note(check, what, REMEDY)
        elif unproven := _unproven(own):
            named = printable(", ".join(unproven), NAMED_CHARACTERS)
            yield _note(check, f"whether what was acknowledged is stored, of: {named}; no audit counts it", AUDIT)
    for request in own.accepts_anything:
        yield Finding(
            check="errors",
            severity="note",
            evidence=f"{request}: its schema accepts any answer",
            remedy="say in the schema what an answer holds: types of its members, and which are required",
        )
    if own.expects_nothing:
        names = printable(", ".join(own.expects_nothing), NAMED_CHARACTERS)
        yield Finding(
            check="errors",
            severity="note",
            evidence=f"{names}: any answer with 2xx is right, as the file expects nothing of it",
            remedy="add `expect`: a status, a type, values that must stand in the answer: docs/workload-file.md",
        )
    if record.reference is not None:
        for what in _of_the_reference(own, record.reference):
            yield _note("answers-differ", what, REMEDY)


def _note(check: str, what: str, remedy: str) -> Finding:
    return Finding(check=check, severity="note", evidence=f"not examined: {what}", remedy=remedy)


def _unproven(own: WorkloadIdentity) -> list[str]:
    """The requests that may write, and of which no audit proves that as many are stored as were acknowledged."""
    proven = {name for names in own.audits.values() for name in names}
    return [name for name, what in own.requests.items() if name not in proven and what.split()[0] not in READING]


def _of_the_reference(own: WorkloadIdentity, reference: ReferenceRecord) -> Iterator[str]:
    only_before = [name for name in own.requests if name not in reference.under_load]
    if only_before:
        yield (
            f"answers to {', '.join(only_before)} under load: such requests change state, or cannot be sent twice, and "
            "were compared before the first trial only"
        )
    yield "headers of answers, apart from Content-Type"
