"""Which experiments belong to which published study: by how their names begin.

A study has a page, experiments/studies/NAME.md, with each of its sentences, the claims that try it and what came out.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from fairtrial.base.locations import shipped

PAGES = Path(__file__).resolve().parent.parent / "experiments" / "studies"

STUDIES: Mapping[str, Sequence[str]] = {
    "four-apis": ("four-apis",),
    "rest-stress": ("rest-stress",),
    "neverblock": ("neverblock", "fibers-threads", "coalesced-selects", "heavy-page", "profile-guided", "models-"),
    "link-too-big": ("expander",),
    "ggm": ("ggm",),
}
"""By study, the beginnings of its experiments' names."""


def experiments_of(study: str) -> list[Path]:
    """The shipped experiments of a study, by name."""
    files = sorted(shipped("experiments").glob("*.toml"))
    return [file for file in files if file.stem.startswith(tuple(STUDIES[study]))]
