"""The lines that ended trials leave behind: one for each block, and one for what goes wrong for the first time."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from rich.text import Text

from fairtrial.base.formatting import count, enumeration
from fairtrial.base.printable import printable
from fairtrial.lab.progress.clock import Clock
from fairtrial.record.model import ExperimentRecord, TrialRecord


class TrialLines:
    """The lines about trials that are printed as they end. Trials of several blocks may end in any order, as on
    lanes."""

    def __init__(self, experiment: ExperimentRecord, clock: Clock, *, verbose: bool) -> None:
        """
        Args:
            verbose: a line for each trial, and none for blocks.
        """
        self._contenders = {condition.id: condition.contender for condition in experiment.conditions}
        self._clock = clock
        self._verbose = verbose
        self._ended: Counter[int] = Counter()
        self._wrong: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        """by block and in few words what went wrong, the contenders of whom it did"""
        self._known: set[tuple[str, str]] = set()
        """contenders, and what went wrong of them before"""

    def after(self, record: TrialRecord, *, is_long: bool = False) -> Iterator[Text]:
        """The lines to print when a trial has ended: none, that of the trial, and that of its block if it is the last.

        Args:
            is_long: whether it is so long since the last line that the trial gets one in any case.
        """
        contender = self._contenders.get(record.condition, record.condition)
        refusing = self._clock.refusing(record)
        how = ending(record, refusing)
        wrong = ", ".join(refusing) or how.plain.partition(":")[0] if refusing or went_wrong(record) else ""
        is_new = went_wrong(record) and (contender, wrong) not in self._known
        if wrong:
            self._known.add((contender, wrong))
            self._wrong[record.block][wrong].append(contender)
        self._ended[record.block] += 1
        is_last = self._ended[record.block] == len(self._contenders) > 1 and not self._verbose
        if self._verbose or is_new or (is_long and not is_last) or len(self._contenders) == 1:
            head = f"trial {record.index} of {self._clock.total}, block {record.block}, {contender}: "
            yield Text.assemble((head, "dim"), how, (f" ({self._clock.times()})", "dim"))
        if is_last:
            yield self._of_block(record.block)

    def _of_block(self, block: int) -> Text:
        """`block 2: 5 trials done, 2 without figures: a (foreign-load), b (start) (elapsed 0:42, remaining 1:10)`."""
        line = Text(f"block {block}: {count(self._ended[block], 'trial')} done")
        wrong = self._wrong.pop(block, {})
        if wrong:
            trials = sum(map(len, wrong.values()))
            reasons = ", ".join(f"{enumeration(contenders)} ({reason})" for reason, contenders in wrong.items())
            line.append(f", {trials} without figures: {reasons}", "yellow")
        return line.append(f" ({self._clock.times()})", "dim")


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
        first_line = record.failure.reason.partition("\n")[0].removesuffix(":")
        return Text(printable(f"{record.failure.stage}: {first_line}", 160), style="yellow")
    broken = [clause.name for clause in record.contract if not clause.passed]
    if broken:
        return Text(f"contract broken: {', '.join(broken)}", style="red")
    if record.program is not None:
        return Text(f"{record.program.operations_per_second:,.0f} operations/s, {record.program.seconds:.2f} s")
    if record.engine is None:
        is_crowded = record.slices is not None and record.exit_status is None
        why = "too few rounds could be kept" if is_crowded else f"ended by itself with status {record.exit_status}"
        return Text(why, style="red")
    rate = Text(f"{record.engine.goodput_per_second:,.0f} verified answers/s")
    errors = sum(record.engine.errors.values())
    if errors:
        rate.append(f", {errors:,} errors", style="red")
    return rate
