"""Writing the outcome of a load to files and standard output."""

import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.report.files import write_text
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.report.exports import measurement_json, percentile_distribution, seconds_csv
from fairtrial.tools.load.request.options import STDOUT, OutputOptions


def check_outputs(outputs: OutputOptions) -> None:
    """Refuse what could not be written, before the load is offered.

    Raises:
        Problem: a folder is missing or not writable, a file is a folder, or two outputs want standard output.
    """
    paths: dict[str, Path] = {f"--{name}": path for name, path in asdict(outputs).items() if path is not None}
    if sum(path == STDOUT for path in paths.values()) > 1:
        raise Problem("only one output can go to standard output", "name a file for the others")
    for option, path in paths.items():
        if path == STDOUT:
            continue
        if path.is_dir():
            raise Problem(f"{printable(str(path))} is a folder", f"name a file in it with {option}")
        if not path.parent.is_dir():
            raise Problem(f"{printable(str(path.parent))}: no such folder", f"create it, or change {option}")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise Problem(f"{printable(str(path))}: cannot be written", f"choose another file with {option}")


def write_outputs(outputs: OutputOptions, measurement: Measurement) -> None:
    """Write every output that has a path.

    Raises:
        Problem: a file cannot be written after all.
    """
    summary = measurement.summary
    formats: list[tuple[Path | None, Callable[[], str]]] = [
        (outputs.json, lambda: measurement_json(measurement)),
        (outputs.csv, lambda: seconds_csv(measurement)),
        (outputs.hdr, lambda: percentile_distribution(measurement.response_times, summary.response_time.at_least)),
        (outputs.html, lambda: _html(measurement)),
    ]
    # Standard output comes last: if it is closed, the files are already written.
    for path, text in sorted(formats, key=lambda output: output[0] == STDOUT):
        if path is not None:
            _write(path, text())


def _html(measurement: Measurement) -> str:
    from fairtrial.tools.load.report.html import load_page  # noqa: PLC0415 the chart library takes long to load

    return load_page(measurement)


def _write(path: Path, text: str) -> None:
    if path == STDOUT:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_text(path, text)
