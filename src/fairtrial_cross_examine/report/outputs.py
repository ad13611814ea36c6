"""A cross-examination written to files or to standard output."""

import sys
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.report.files import write_text
from fairtrial_cross_examine.examination import Examination
from fairtrial_cross_examine.report.html import examination_page

STDOUT = Path("-")


def check_outputs(json: Path | None, html: Path | None) -> bool:
    """Whether one of the outputs goes to standard output, so that the report has to go elsewhere.

    Raises:
        Problem: both do.
    """
    if json == html == STDOUT:
        raise Problem("only one output can go to standard output", "name a file for the other")
    return STDOUT in (json, html)


def write_outputs(examination: Examination, json: Path | None, html: Path | None) -> None:
    """Write the outputs that have a path; `-` is standard output.

    Raises:
        Problem: a file cannot be written.
    """
    if json is not None:
        _write(json, examination.model_dump_json(indent=2) + "\n")
    if html is not None:
        _write(html, examination_page(examination))


def _write(path: Path, text: str) -> None:
    if path == STDOUT:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_text(path, text)
