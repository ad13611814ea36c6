"""The texts in a trial's record that come from the stack, without the secrets that it was told."""

from collections.abc import Callable

from fairtrial.record.model import TrialRecord


def redact_record(record: TrialRecord, hidden: Callable[[str], str]) -> None:
    """Strip whatever quotes an answer, a log or a stored row. Names and figures stay as they are.

    Args:
        hidden: strips one text.
    """
    if record.failure is not None:
        reason, remedy = hidden(record.failure.reason), hidden(record.failure.remedy)
        record.failure = record.failure.model_copy(update={"reason": reason, "remedy": remedy})
    record.contract = [clause.model_copy(update={"evidence": hidden(clause.evidence)}) for clause in record.contract]
    if record.engine is not None:
        examples = [
            example.model_copy(
                update={
                    "excerpt": hidden(example.excerpt),
                    "reason": None if example.reason is None else hidden(example.reason),
                }
            )
            for example in record.engine.examples
        ]
        record.engine = record.engine.model_copy(update={"examples": examples})
    if record.freshness is not None:
        record.freshness = record.freshness.model_copy(update={"example": hidden(record.freshness.example)})
    if record.row_changes is not None:
        record.row_changes = record.row_changes.model_copy(update={"example": hidden(record.row_changes.example)})
    if record.audit is not None:
        faults = [fault.model_copy(update={"example": hidden(fault.example)}) for fault in record.audit.faults]
        record.audit = record.audit.model_copy(update={"faults": faults})
