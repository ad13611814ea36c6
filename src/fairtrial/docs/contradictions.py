"""The parts of docs/cross-examine.md: of each kind of contradiction its formula and its thresholds."""

from collections.abc import Mapping

from fairtrial.docs.markdown import prose, thresholds_with_sources
from fairtrial_cross_examine.contradictions import contradiction_kinds
from fairtrial_cross_examine.contradictions.model import ContradictionKind


def contradiction_parts() -> Mapping[str, str]:
    """By the name of the kind."""
    return {name: _section(kind) for name, kind in contradiction_kinds().items()}


def _section(kind: ContradictionKind) -> str:
    rule = prose(f"{kind.title}. **Formula**: {kind.formula}.")
    return f"{rule}\n\n{thresholds_with_sources(kind.thresholds)}".strip()
