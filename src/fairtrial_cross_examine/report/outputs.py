"""A cross-examination written to files or to standard output."""

from itertools import groupby
from pathlib import Path

from fairtrial.base.csv_text import csv_text
from fairtrial.base.document import json_text
from fairtrial.report.outputs import Paths, write_outputs
from fairtrial.report.page import page_text
from fairtrial_cross_examine.boards.verdicts import ExaminedRow
from fairtrial_cross_examine.contradictions import contradiction_kinds
from fairtrial_cross_examine.examination import Examination
from fairtrial_cross_examine.in_words import names
from fairtrial_cross_examine.report.boards import HEAD as BOARDS_HEAD
from fairtrial_cross_examine.report.boards import board_cells, unread_title
from fairtrial_cross_examine.report.rows import PrintedFigure, figures_of
from fairtrial_cross_examine.report.table import GAPS_TITLE, HEAD, LIMITS, gaps, table_rows, verdict


def write_examination(paths: Paths, examination: Examination) -> None:
    """Write the outputs that have a path; `-` is standard output.

    Raises:
        Problem: a file cannot be written.
    """
    write_outputs(
        paths,
        {
            "--json": lambda: json_text(examination),
            "--csv": lambda: (
                csv_text(ExaminedRow, examination.rows)
                if examination.rows
                else csv_text(PrintedFigure, figures_of(examination.runs))
            ),
            "--html": lambda: examination_page(examination),
        },
    )


TEMPLATE = Path(__file__).with_name("templates") / "examination.html.j2"


def examination_page(examination: Examination) -> str:
    """The whole page. The template escapes everything that came from the files."""
    kinds = contradiction_kinds()
    groups = [
        (kinds[kind], list(contradictions))
        for kind, contradictions in groupby(examination.contradictions, key=lambda each: each.kind)
    ]
    sources = list(
        dict.fromkeys([*(run.source for run in examination.runs), *(row.source for row in examination.rows)])
    )
    boards = list(board_cells(examination.rows))
    return page_text(
        TEMPLATE,
        {},
        verdict=verdict(examination),
        sources=names(list(dict.fromkeys(sources))),
        groups=groups,
        names=names,
        gaps=gaps(examination),
        gaps_title=unread_title(examination.unread_rows) if examination.unread_rows else GAPS_TITLE,
        head=BOARDS_HEAD if boards else HEAD,
        rows=boards or table_rows(examination),
        limits=LIMITS,
    )
