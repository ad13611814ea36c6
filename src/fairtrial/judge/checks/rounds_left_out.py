"""How much of what was measured in slices the figures rest on, and by which rule the rest was left out."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, nothing_to_do


def examine(case: Case) -> Iterator[Finding]:
    """A note on the experiment: the rule, how many rounds were kept, and in how many blocks there were too few."""
    rule = case.record.experiment.slices
    by_block = {trial.block: trial for trial in case.trials if trial.slices is not None and trial.slices.slices}
    if rule is None or not by_block:
        return
    rounds = [len(trial.slices.slices) for trial in by_block.values() if trial.slices is not None]
    even = sum(trial.slices.rule == "even" for trial in by_block.values() if trial.slices is not None)
    kept_rounds = [trial.slices.kept_rounds for trial in by_block.values() if trial.slices is not None]
    without = sum(trial.engine is None for trial in by_block.values())
    yield case.finding(
        None,
        "note",
        f"{sum(kept_rounds)} of {sum(rounds)} rounds were kept, {min(kept_rounds)} to {max(kept_rounds)} in a block: "
        f"those in which {rule.describe()}; {even} of {len(by_block)} blocks rest on even rounds"
        + (f"; {without} of {len(by_block)} blocks had too few and no figures" if without else ""),
    )


CHECK = Check(
    name="rounds-left-out",
    looks_at="the rounds of all blocks that were measured in slices, and how many of them were kept",
    thresholds={},
    remedy=nothing_to_do(
        "the rule was set before the run and looks at foreign load alone, not at a figure. A quieter machine keeps "
        "more rounds"
    ),
    examine=examine,
)
