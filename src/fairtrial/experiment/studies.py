"""Published studies that the shipped experiments try again, several for each study."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.locations import shipped
from fairtrial.base.registry import pick
from fairtrial.experiment.files import shipped_experiments


@dataclass(frozen=True)
class Study:
    """A published study, and the experiments that try its sentences."""

    name: str
    title: str
    beginnings: tuple[str, ...]
    """of the names of its experiments"""

    @property
    def experiments(self) -> Mapping[str, Path]:
        """Its experiments' files, by name."""
        return {name: file for name, file in shipped_experiments().items() if name.startswith(self.beginnings)}


_NEVERBLOCK = ("neverblock", "fibers-threads", "coalesced-selects", "heavy-page", "profile-guided", "models-")

STUDIES: Mapping[str, Study] = {
    study.name: study
    for study in (
        Study("four-apis", "Four API stacks, 2013", ("four-apis",)),
        Study("rest-stress", "REST servers under survey inserts, 2012", ("rest-stress",)),
        Study("neverblock", "NeverBlock, 2008 and 2009", _NEVERBLOCK),
        Study("link-too-big", "A URL expander over Redis, 2018", ("expander",)),
        Study("ggm", "A fiber server and Rails, 2012", ("ggm",)),
    )
}


def find_study(name: str) -> Study:
    """The study of this name.

    Raises:
        Problem: there is none.
    """
    return pick("study", name, STUDIES, "name one of `fairtrial list studies`")


def usual_trial_seconds(experiment: str) -> float | None:
    """How long a trial of a shipped experiment took on average in the run whose result ships; None: none does."""
    file = shipped("experiments") / "results" / f"{experiment}.json"
    try:
        result = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return float(result["seconds"] / result["trials"])
