"""The profilers, one file each: a module that defines `PROFILER`."""

from fairtrial.base.registry import defined_in
from fairtrial.lab.profile.profilers.model import Profiler

PROFILERS: dict[str, Profiler] = defined_in(__name__, __path__, "PROFILER")
"""By name."""


def profiler_for(program: str) -> Profiler | None:
    """The profiler that is meant for programs with an executable of this name, or None."""
    suitable = [profiler for profiler in PROFILERS.values() if profiler.suits(program)]
    return min(suitable, key=lambda profiler: profiler.general, default=None)
