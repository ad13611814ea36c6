"""The folder that a run leaves behind."""

import time
from pathlib import Path

from fairtrial.base.problem import Problem


def new_results_folder(parent: Path, name: str) -> Path:
    """`parent/NAME-TIME`, made; a second run within the same second gets a number behind it.

    Raises:
        Problem: it cannot be made or written.
    """
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    try:
        for number in range(100):
            folder = parent / (stem if number == 0 else f"{stem}-{number}")
            try:
                folder.mkdir(parents=True)
            except FileExistsError:
                if parent.is_dir():
                    continue
                raise
            (folder / "logs").mkdir()
            return folder
    except OSError as error:
        raise Problem(
            f"results cannot be written to {parent}: {error.strerror}", "choose another folder with --out DIR"
        ) from error
    raise Problem(f"{parent}: a hundred results of this second", "choose another folder with --out DIR")


def remove_if_empty(folder: Path) -> None:
    """Take a results folder away again if nothing was put into it."""
    for path in (folder / "logs", folder):
        try:
            path.rmdir()
        except OSError:
            return
