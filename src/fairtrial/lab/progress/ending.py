"""How a trial ended, in a few words. Its outcome is not known yet: it follows from the checks, after the last trial."""

from collections.abc import Sequence

from rich.text import Text

from fairtrial.base.printable import printable
from fairtrial.record.model import TrialRecord


def went_wrong(record: TrialRecord) -> bool:
    """Whether the trial has no rate to show."""
    is_broken = record.failure is not None or any(not clause.passed for clause in record.contract)
    return is_broken or (record.engine is None and record.program is None)


def ending(record: TrialRecord, refusing: Sequence[str] = ()) -> Text:
    """The trial's rate, as `12,345 verified answers/s`, or what went wrong.

    Args:
        refusing: the checks that refuse the trial by itself; others may do so at the end.
    """
    if refusing and not went_wrong(record):
        return Text(f"refused: {', '.join(refusing)}", style="red")
    if record.failure is not None:
        first_line = record.failure.reason.partition("\n")[0]
        return Text(printable(f"{record.failure.stage}: {first_line}", 160), style="yellow")
    broken = [clause.name for clause in record.contract if not clause.passed]
    if broken:
        return Text(f"contract broken: {', '.join(broken)}", style="red")
    if record.program is not None:
        return Text(f"{record.program.operations_per_second:,.0f} operations/s, {record.program.seconds:.2f} s")
    if record.engine is None:
        return Text(f"ended by itself with status {record.exit_status}", style="red")
    rate = Text(f"{record.engine.goodput_per_second:,.0f} verified answers/s")
    errors = sum(record.engine.errors.values())
    if errors:
        rate.append(f", {errors:,} errors", style="red")
    return rate
