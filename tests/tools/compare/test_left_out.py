"""What was measured in a block that the machine spoiled is compared with nothing."""

from fairtrial.judge.metrics import METRICS
from fairtrial.record.machine import ProcessorUse
from fairtrial.tools.compare.comparison import compare_runs, judge_run
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of

STOLEN = [ProcessorUse(cpu=0, busy_seconds=1.0, interrupt_seconds=0.0, steal_seconds=1.5)]


def test_trials_of_blocks_that_were_left_out_are_not_compared() -> None:
    record = an_experiment("a", blocks=12).record().model_copy(update={"looks": [3, 6, 12]})

    def make(_name: str, block: int) -> TrialBuilder:
        trial = a_trial().serving(4000 + block % 3)
        return trial.serving(500).on_machine(processors=STOLEN) if block == 5 else trial

    with_spoiled = judge_run(record, trials_of(record, make))
    without = judge_run(record, trials_of(record, lambda _, block: a_trial().serving(4000 + block % 3)))
    assert with_spoiled.result.blocks_left_out == [5]
    assert [trial.block for trial in with_spoiled.trials] == [1, 2, 3, 4, *range(6, 13)]
    (row,) = compare_runs([without], [with_spoiled], [METRICS["goodput"]], 0.05, 0.0).rows
    assert row.change == "within the margin"
    assert row.ratio is not None and row.ratio.interval is not None and row.ratio.interval[0] > 0.99
