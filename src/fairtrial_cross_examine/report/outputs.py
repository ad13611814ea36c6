"""A cross-examination written to files or to standard output."""

import sys
from datetime import datetime
from itertools import groupby
from pathlib import Path

from fairtrial import __version__
from fairtrial.base.problem import Problem
from fairtrial.report.files import write_text
from fairtrial.report.page import page_environment, page_parts
from fairtrial_cross_examine.contradictions import contradiction_kinds
from fairtrial_cross_examine.examination import Examination
from fairtrial_cross_examine.in_words import names
from fairtrial_cross_examine.report.table import HEAD, LIMITS, table_rows, verdict

STDOUT = Path("-")


def check_report_files(json: Path | None, html: Path | None) -> bool:
    """Whether one of the outputs goes to standard output, so that the report has to go elsewhere.

    Raises:
        Problem: both do.
    """
    if json == html == STDOUT:
        raise Problem("only one output can go to standard output", "name a file for the other")
    return STDOUT in (json, html)


def write_report_files(examination: Examination, json: Path | None, html: Path | None) -> None:
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


TEMPLATES = Path(__file__).with_name("templates")


def examination_page(examination: Examination) -> str:
    """The whole page. The template escapes everything that came from the files."""
    kinds = contradiction_kinds()
    groups = [
        (kinds[kind], list(contradictions))
        for kind, contradictions in groupby(examination.contradictions, key=lambda each: each.kind)
    ]
    sources = list(dict.fromkeys(run.source for run in examination.runs))
    return (
        page_environment(TEMPLATES)
        .get_template("examination.html.j2")
        .render(
            verdict=verdict(examination),
            sources=names(sources),
            groups=groups,
            names=names,
            head=HEAD,
            rows=table_rows(examination),
            limits=LIMITS,
            written_at=datetime.now().astimezone().isoformat(sep=" ", timespec="seconds"),
            version=__version__,
            **page_parts({}),
        )
    )
