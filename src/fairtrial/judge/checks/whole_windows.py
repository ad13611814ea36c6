from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, finding, nothing_to_do
from fairtrial.judge.metrics import LONGEST, find_metric, kinds_in
from fairtrial.load.capacity import METRIC_PERCENTILES
from fairtrial.record.slices import WholeWindow


@check(
    "whole-windows",
    looks_at="the whole window of each trial in slices, from which percentiles from p90 on and the longest times are "
    "read, and the foreign load in it",
    remedy="stop what else runs on this machine, or try again at a quieter time",
    of_machine=True,
)
def whole_windows(case: Case) -> Iterator[Finding]:
    """Where percentiles from p90 on and the longest times of trials in slices come from: whole windows of their own.

    A refusal of these metrics where others used more than the rule of the slices allows; the block is left out for
    them. A note on the experiment.
    """
    rule = case.record.experiment.slices
    slicings = {trial.index: trial.slices for trial in case.trials if trial.engine is not None and trial.slices}
    measured = {index: each.whole_window for index, each in slicings.items() if each.whole_window is not None}
    if rule is None or all(each.tails_of_slices for each in slicings.values()):
        return
    for index, window in measured.items():
        if not window.is_kept:
            yield finding("refusal", _evidence(window), trial=index, metrics=_tails(window))
    if measured:
        seconds = max(window.engine.window_seconds for window in measured.values())
        kept_windows = sum(window.is_kept for window in measured.values())
        yield finding(
            "note",
            f"percentiles from p90 on and the longest times are of one whole window a trial, of {seconds:.1f} s after "
            f"its slices, of which {kept_windows} of {len(measured)} were kept: those in which {rule.describe()}",
            nothing_to_do("slices bend the slowest answers, in which connections are set up and caches are others'"),
        )
    else:
        yield finding(
            "note",
            "percentiles from p90 on and the longest times are not shown: they are not those of slices",
            "to have them, claim one, or set `tails = true` in [slices]: each trial then has a whole window beside",
        )


def _tails(window: WholeWindow) -> list[str]:
    """The metrics of the slow few that the window would have had."""
    percentiles = [f"{kind}_p{each}" for kind in kinds_in(window.engine) for each in METRIC_PERCENTILES]
    longest = [name for name in LONGEST if name != "event_gap_max" or window.engine.event_streams is not None]
    return [name for name in (*percentiles, *longest) if find_metric(name).of_tail]


def _evidence(window: WholeWindow) -> str:
    return (
        f"others used {window.foreign_server_share:.0%} of the server's processors and "
        f"{window.foreign_engine_share:.0%} of the load engine's in its whole window; those of a block are kept as one"
    )
