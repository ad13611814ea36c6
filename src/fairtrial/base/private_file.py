"""Files that only their owner can read: they may hold what a stack was told in confidence."""

import os
from pathlib import Path
from typing import BinaryIO, Literal

MODE = 0o600


def opened_privately(path: Path, mode: Literal["ab", "wb"], buffering: int = -1) -> BinaryIO:
    """Open a file to write to it. If that makes it, only its owner can read it.

    Raises:
        OSError: as `open`.
    """
    opened: BinaryIO = open(path, mode, buffering, opener=lambda name, flags: os.open(name, flags, MODE))  # noqa: SIM115
    return opened
