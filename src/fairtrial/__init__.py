"""Fairtrial: performance claims about HTTP API stacks, on trial.

In a notebook, `fairtrial.read(place)` gives the tables of a result as data frames: docs/formats.md.
"""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairtrial.report.frames import ResultFrames

__all__ = ["read"]
__version__: str


def read(place: str | Path) -> "ResultFrames":
    """The figures, verdicts and trials of a run, as data frames.

    Args:
        place: a results folder or a record that xz compressed, which are judged by today's checks; or a `.json` file
            that `--json` wrote, which is taken as it is.

    Raises:
        Problem: nothing can be read there, or it is no result of this version.
    """
    from fairtrial.report.frames import read_result  # noqa: PLC0415 what reads it takes long to load

    return read_result(Path(place))


def __getattr__(name: str) -> str:
    """The version, looked up when it is asked for: what reads it takes long to load."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # noqa: PLC0415

    return version("fairtrial")
