"""The load engine's ceiling before each block: what the machine lets it reach does not stay the same over a run."""

import time
from collections.abc import Iterable
from typing import NamedTuple

from fairtrial.base.problem import Problem
from fairtrial.lab.calibrate import calibrate
from fairtrial.lab.placement import THIS_MACHINE, Site
from fairtrial.lab.trial.events import StageBegins, Watcher
from fairtrial.lab.trial.waiting import wait_of
from fairtrial.load.engine_terms import Wait
from fairtrial.plan.plan import Plan, PlannedCondition, PlannedTrial
from fairtrial.record.calibration import CEILING_STAGE, BlockCeiling, Calibration
from fairtrial.record.model import Placement, TrialRecord

WINDOW_SECONDS = 0.4
"""Four slices of a tenth of a second, each of thousands of answers: with the warm-up and the start of both programs,
below a second for each load and block."""


class _Load(NamedTuple):
    """The part of a load that decides a ceiling. Loads that differ in anything else, such as a rate, have one in
    common."""

    connections: int
    keep_alive: bool
    threads: int | None
    wait: Wait | None


class BlockCeilings:
    """Measures the ceiling of each load before the first trial of each block, and gives it to the block's trials.

    Before the first block, the calibration has just measured it. A load that could not be calibrated has none.
    """

    def __init__(
        self,
        plan: Plan,
        placement: Placement,
        calibrations: Iterable[Calibration],
        watcher: Watcher,
        site: Site = THIS_MACHINE,
    ) -> None:
        self._placement, self._watcher, self._site = placement, watcher, site
        self._calibrations = {
            _Load(each.connections, each.keep_alive, each.threads, each.wait): each
            for each in reversed([*calibrations])
        }
        self._loads = {
            condition.recorded.id: load
            for condition in plan.conditions
            if (load := _load_of(condition, placement)) in self._calibrations
        }
        self._block = 1
        self._ceilings = {load: BlockCeiling.of(each) for load, each in self._calibrations.items()}

    def before(self, trial: PlannedTrial) -> float:
        """If the trial is the first of a further block, measure. How many seconds that took; 0: nothing was measured.

        KeyboardInterrupt ends what was started, and is raised again.
        """
        if trial.block == self._block or not self._loads:
            return 0.0
        began = time.monotonic()
        self._block, self._ceilings = trial.block, {}
        self._watcher(StageBegins(CEILING_STAGE))
        for load in dict.fromkeys(self._loads.values()):
            try:
                again = calibrate(
                    load.connections,
                    self._placement,
                    keep_alive=load.keep_alive,
                    threads=load.threads,
                    window_seconds=WINDOW_SECONDS,
                    wait=load.wait or "sleep",
                    floor=self._calibrations[load].floor,
                    site=self._site,
                )
            except Problem:  # the block has none: its trials are held against the calibration
                continue
            self._ceilings[load] = BlockCeiling.of(again)
        return time.monotonic() - began

    def add_to(self, record: TrialRecord, seconds: float) -> TrialRecord:
        """The trial's record with the ceiling of its block, and with the seconds that measuring took before it."""
        load = self._loads.get(record.condition)
        record.ceiling = None if load is None else self._ceilings.get(load)
        if seconds:
            record.stage_seconds[CEILING_STAGE] = round(seconds, 3)
        return record


def _load_of(condition: PlannedCondition, placement: Placement) -> _Load | None:
    """None for what is not calibrated: programs, and loads over HTTP/2."""
    load = condition.load
    if not load.offers_requests or load.http2:
        return None
    return _Load(load.connections, load.keep_alive, load.threads, wait_of(condition, placement))
