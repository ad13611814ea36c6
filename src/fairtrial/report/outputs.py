"""The files that options name, `-` for standard output: looked at before anything is measured, written at the end."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from fairtrial.base.locations import STDOUT
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.text_file import write_output

Paths = Mapping[str, Path | None]
"""By the name of an option, the file that it names; None: it was not given."""


def check_outputs(paths: Paths) -> bool:
    """Refuse what could not be written, before anything is measured.

    Returns:
        Whether one of them is standard output: all else then goes to standard error.

    Raises:
        Problem: a folder is missing or not writable, a file is a folder, or two outputs want standard output.
    """
    files = {option: path for option, path in paths.items() if path is not None}
    if sum(path == STDOUT for path in files.values()) > 1:
        raise Problem("only one output can go to standard output", "name a file for the others")
    for option, path in files.items():
        if path == STDOUT:
            continue
        if path.is_dir():
            raise Problem(f"{printable(str(path))} is a folder", f"name a file in it with {option}")
        if not path.parent.is_dir():
            raise Problem(f"{printable(str(path.parent))}: no such folder", f"create it, or change {option}")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise Problem(f"{printable(str(path))}: cannot be written", f"choose another file with {option}")
    return STDOUT in files.values()


def write_outputs(paths: Paths, texts: Mapping[str, Callable[[], str]]) -> None:
    """Write every output that has a path. Standard output comes last: if it is closed, the files are written.

    Args:
        texts: by the name of an option, what makes its text.

    Raises:
        Problem: a file cannot be written after all.
    """
    for option, path in sorted(paths.items(), key=lambda each: each[1] == STDOUT):
        if path is not None:
            write_output(path, texts[option]())
