"""The options by which commands write their figures for other programs: the same names, wherever there are any."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from fairtrial.base.document import Document
    from fairtrial.judge.model import Result
    from fairtrial.record.model import TrialRecord
    from fairtrial.report.outputs import Paths

Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="Print all findings and whole sentences, as the report has them."),
]


Json = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Also write it as JSON; - is standard output.")
]


@dataclass(frozen=True)
class DataOptions:
    """Files for programs."""

    json: Json = None
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Also write a row for each figure as CSV; likewise.")
    ] = None

    @property
    def paths(self) -> "Paths":
        return {"--json": self.json, "--csv": self.csv}


@dataclass(frozen=True)
class ReviewOptions:
    """Files for a CI job, and for whoever reviews a change."""

    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Also write the verdicts as JUnit XML, for a CI job.")
    ] = None
    markdown: Annotated[
        Path | None,
        typer.Option("--markdown", metavar="FILE", help="Also write the result as Markdown, for a review."),
    ] = None

    @property
    def paths(self) -> "Paths":
        return {"--junit": self.junit, "--markdown": self.markdown}


@dataclass(frozen=True)
class MonitorOptions:
    """Options for systems that watch others."""

    prometheus: Annotated[
        Path | None,
        typer.Option(
            "--prometheus",
            metavar="FILE",
            hidden=True,
            help="Also write a .prom file for node_exporter's textfile collector.",
        ),
    ] = None
    otlp: Annotated[
        str | None,
        typer.Option(
            "--otlp",
            metavar="URL",
            hidden=True,
            help="When all is done, send figures, verdicts and trials to this OpenTelemetry collector by OTLP over "
            "HTTP; `env`: to the one that OTEL_EXPORTER_OTLP_ENDPOINT names.",
        ),
    ] = None

    @property
    def paths(self) -> "Paths":
        return {"--prometheus": self.prometheus}


@dataclass(frozen=True)
class FurtherReports:
    """All that may be written of a result beside its results folder."""

    paths: "Paths"
    otlp: str | None
    use_stdout: bool
    """Whether standard output is for a program: all else then goes to standard error."""

    @property
    def names(self) -> list[str]:
        """The options that were given."""
        files = [option for option, path in self.paths.items() if path is not None]
        return files if self.otlp is None else [*files, "--otlp"]


NOTHING_FURTHER = FurtherReports({}, None, use_stdout=False)


def print_or_write(json: Path | None, document: "Document", show: "Callable[[Console], object]") -> None:
    """Print what a command found, and write it as JSON if that was asked for.

    Raises:
        Problem: the file cannot be written.
    """
    from rich.console import Console

    from fairtrial.base.document import json_text
    from fairtrial.report.outputs import check_outputs, write_outputs

    use_stdout = check_outputs({"--json": json})
    write_outputs({"--json": json}, {"--json": lambda: json_text(document)})
    show(Console(stderr=use_stdout))


def further_reports(data: DataOptions, review: ReviewOptions, monitor: MonitorOptions) -> FurtherReports:
    """The reports that these options ask for, after a look at whether it can be had.

    Raises:
        Problem: a file could not be written, or OpenTelemetry's SDK is not installed.
    """
    from fairtrial.report.outputs import check_outputs

    paths = {**data.paths, **review.paths, **monitor.paths}
    use_stdout = check_outputs(paths)
    if monitor.otlp is not None:
        from fairtrial.report.otlp import assert_sdk

        assert_sdk()
    return FurtherReports(paths, monitor.otlp, use_stdout)


def write_further(result: "Result", trials: "Sequence[TrialRecord]", reports: FurtherReports) -> None:
    """Write the files whose options were given, and send what is to be sent.

    Raises:
        Problem: a file cannot be written, or nobody takes what is sent.
    """
    from fairtrial.base.csv_text import csv_text
    from fairtrial.base.document import json_text
    from fairtrial.report.junit import junit_text
    from fairtrial.report.markdown import markdown_text
    from fairtrial.report.outputs import write_outputs
    from fairtrial.report.prometheus import prometheus_text
    from fairtrial.report.rows import ResultFigure, figures_of

    write_outputs(
        reports.paths,
        {
            "--json": lambda: json_text(result),
            "--csv": lambda: csv_text(ResultFigure, figures_of(result)),
            "--junit": lambda: junit_text(result),
            "--markdown": lambda: markdown_text(result),
            "--prometheus": lambda: prometheus_text(result),
        },
    )
    if reports.otlp is not None:
        from fairtrial.report.otlp import send

        send(result, trials, reports.otlp)
