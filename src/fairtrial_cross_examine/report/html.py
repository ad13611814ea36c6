"""A cross-examination as one HTML page that opens without a network."""

from datetime import datetime
from itertools import groupby
from pathlib import Path

from fairtrial import __version__
from fairtrial.report.page import page_environment, page_parts
from fairtrial_cross_examine.contradictions import all_kinds
from fairtrial_cross_examine.examination import Examination
from fairtrial_cross_examine.in_words import names
from fairtrial_cross_examine.report.table import HEAD, LIMITS, rows, verdict

TEMPLATES = Path(__file__).with_name("templates")


def examination_page(examination: Examination) -> str:
    """The whole page. The template escapes everything that came from the files."""
    kinds = all_kinds()
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
            rows=rows(examination),
            limits=LIMITS,
            written_at=datetime.now().astimezone().isoformat(sep=" ", timespec="seconds"),
            version=__version__,
            **page_parts({}),
        )
    )
