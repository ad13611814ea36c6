"""Where the outcome goes beside the terminal."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.report.files import write_atomically
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.report.data import csv_text, hgrm_text, json_text

STDOUT = Path("-")


@dataclass(frozen=True)
class Outputs:
    """Files by format, None for none; `-` is standard output, which only one of them can have."""

    json: Path | None = None
    csv: Path | None = None
    hdr: Path | None = None
    html: Path | None = None

    @property
    def take_stdout(self) -> bool:
        """True if standard output is for a program, and people are told on standard error."""
        return STDOUT in (self.json, self.csv, self.hdr, self.html)

    def check(self) -> None:
        """Refuse what could not be written, before the load is offered.

        Raises:
            Problem: a folder is missing or not writable, a file is a folder, or two outputs want standard output.
        """
        wanted = {f"--{name}": path for name, path in vars(self).items() if path is not None}
        if sum(path == STDOUT for path in wanted.values()) > 1:
            raise Problem("only one output can go to standard output", "name a file for the others")
        for option, path in wanted.items():
            if path == STDOUT:
                continue
            if path.is_dir():
                raise Problem(f"{printable(str(path))} is a folder", f"name a file in it with {option}")
            if not path.parent.is_dir():
                raise Problem(f"{printable(str(path.parent))}: no such folder", f"make it, or change {option}")
            if not os.access(path if path.exists() else path.parent, os.W_OK):
                raise Problem(f"{printable(str(path))}: cannot be written", f"choose another file with {option}")

    def write(self, measurement: Measurement) -> None:
        """Write all that was asked for.

        Raises:
            Problem: a file cannot be written after all.
        """
        makers: list[tuple[Path | None, Callable[[], str]]] = [
            (self.json, lambda: json_text(measurement)),
            (self.csv, lambda: csv_text(measurement)),
            (self.hdr, lambda: hgrm_text(measurement.response_times)),
            (self.html, lambda: _html(measurement)),
        ]
        # Standard output comes last: if nobody reads it, the files are there.
        for path, text in sorted(makers, key=lambda maker: maker[0] == STDOUT):
            if path is not None:
                _write(path, text())


def _html(measurement: Measurement) -> str:
    from fairtrial.tools.load.report.html import html_text  # noqa: PLC0415 the chart library takes long to load

    return html_text(measurement)


def _write(path: Path, text: str) -> None:
    try:
        if path == STDOUT:
            sys.stdout.write(text)
            sys.stdout.flush()
        elif path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
        else:
            write_atomically(path, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Problem(
            f"{printable(str(path))}: cannot be written: {(error.strerror or str(error)).lower()}",
            "choose another file",
        ) from error
