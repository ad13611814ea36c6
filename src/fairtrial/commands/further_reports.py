"""The options `--junit`, `--markdown` and `--verbose`, which several commands have."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fairtrial.judge.model import Result

JUnit = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Also write the verdicts as JUnit XML, for a CI job.")
]
Markdown = Annotated[
    Path | None, typer.Option("--markdown", metavar="FILE", help="Also write the result as Markdown, for a review.")
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print all findings and whole sentences, as the report has them.")
]


def write_further(result: "Result", *, junit: Path | None, markdown: Path | None) -> None:
    """Write the files whose options were given.

    Raises:
        Problem: a file cannot be written.
    """
    from fairtrial.report.files import write_text
    from fairtrial.report.junit import junit_text
    from fairtrial.report.markdown import markdown_text

    for path, text in ((junit, junit_text), (markdown, markdown_text)):
        if path is not None:
            write_text(path, text(result))
