"""A cross-examination written to files or to standard output."""

from itertools import groupby
from pathlib import Path

from fairtrial.base.locations import STDOUT
from fairtrial.base.problem import Problem
from fairtrial.report.files import write_output
from fairtrial.report.page import page_text
from fairtrial_cross_examine.contradictions import contradiction_kinds
from fairtrial_cross_examine.examination import Examination
from fairtrial_cross_examine.in_words import names
from fairtrial_cross_examine.report.table import HEAD, LIMITS, table_rows, verdict


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
        write_output(json, examination.model_dump_json(indent=2) + "\n")
    if html is not None:
        write_output(html, examination_page(examination))


TEMPLATE = Path(__file__).with_name("templates") / "examination.html.j2"


def examination_page(examination: Examination) -> str:
    """The whole page. The template escapes everything that came from the files."""
    kinds = contradiction_kinds()
    groups = [
        (kinds[kind], list(contradictions))
        for kind, contradictions in groupby(examination.contradictions, key=lambda each: each.kind)
    ]
    sources = list(dict.fromkeys(run.source for run in examination.runs))
    return page_text(
        TEMPLATE,
        {},
        verdict=verdict(examination),
        sources=names(sources),
        groups=groups,
        names=names,
        head=HEAD,
        rows=table_rows(examination),
        limits=LIMITS,
    )
