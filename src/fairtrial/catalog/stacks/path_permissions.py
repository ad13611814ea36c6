"""The folders on the way to what a stack needs, through which another user may not go."""

import os
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path


def programs_of(command: str, folder: Path) -> list[Path]:
    """The folders in which programs are looked for, and where the one of this name lies, links followed."""
    folders = [Path(entry) for entry in os.environ.get("PATH", os.defpath).split(os.pathsep)]
    location = folder / command if os.sep in command else shutil.which(command)
    programs = [] if location is None else [Path(location), Path(location).resolve()]
    return [path for path in [*folders, *programs] if path.is_absolute() and path.exists()]


def closed_above(paths: Iterable[Path]) -> list[Path]:
    """Every folder above these paths that only its owner or group may go through, outer ones first."""
    above = {folder for path in paths for each in (path, path.resolve()) for folder in each.parents}
    closed = {folder.resolve() for folder in above if not folder.stat().st_mode & stat.S_IXOTH}
    return sorted(closed, key=lambda folder: len(folder.parts))
