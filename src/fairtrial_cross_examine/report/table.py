"""The runs as a table: what was read of each."""

from fairtrial.base.exit_status import IN_DOUBT
from fairtrial.base.formatting import count
from fairtrial_cross_examine.examination import Examination
from fairtrial_cross_examine.in_words import grouped, printed_name, rate, time
from fairtrial_cross_examine.model import Figure, PrintedRun

HEAD = ("run", "load", "requests", "seconds", "rate", "mean", "max", "failed")
LIMITS = (
    "What a cross-examination finds, the output itself refutes. What it does not find can still be wrong: it sees "
    "neither what the server was asked, nor what it answered, nor how two runs of the same would differ."
)


def table_rows(examination: Examination) -> list[list[str]]:
    """The cells of each run, in the order of HEAD; a dash where nothing was printed."""
    return [_cells(run) for run in examination.runs]


GAPS_TITLE = "What was not read, and how the rest was"


def gaps(examination: Examination) -> list[tuple[str, str]]:
    """The figures that are missing, ambiguous or remarkable in a run or in a row, by its name."""
    gaps_of_runs = [(f"{row.source}: {row.row}", row.why) for row in examination.unread_rows]
    for run in examination.runs:
        if run.not_read:
            gaps_of_runs.append((run.name, f"not read, though {run.tool} prints it: {', '.join(run.not_read)}"))
        gaps_of_runs += [(run.name, f"ambiguous, and not taken: {line}") for line in run.ambiguous]
        gaps_of_runs += [
            (run.name, f"{number:,} {kind}: these may have had an answer or not, and are held against nothing")
            for kind, number in run.unclear_failures.items()
        ]
        gaps_of_runs += [(run.name, remark) for remark in run.remarks]
    return gaps_of_runs


def verdict(examination: Examination) -> str:
    """How many contradictions there are in how many runs."""
    of = count(len(examination.rows), "row") if examination.rows else count(len(examination.runs), "run")
    if not examination.contradictions:
        partly = examination.exit_status == IN_DOUBT
        return f"No contradiction in what was read of {of}" if partly else f"No contradiction in {of}"
    return f"{count(len(examination.contradictions), 'contradiction')} in {of}"


def load_in_words(run: PrintedRun) -> str:
    """`wrk, closed, 100 connections`."""
    parts = [run.tool]
    if run.load is not None:
        parts.append("closed" if run.load == "closed" else "at a rate")
    if run.connections is not None:
        parts.append(count(run.connections // (run.pipelined or 1), "connection"))
    if run.pipelined is not None:
        parts.append(f"{run.pipelined:,} requests at a time")
    if run.runs is not None:
        parts.append(count(run.runs, "run"))
    return printed_name(", ".join(parts))


def _cells(run: PrintedRun) -> list[str]:
    of_kinds = (run.failures, run.unanswered, run.unclear_failures)
    failed = run.dead_clients + sum(sum(kinds.values()) for kinds in of_kinds)
    return [
        printed_name(run.name),
        load_in_words(run),
        "–" if run.requests is None else grouped(run.requests.value),
        _time(run.seconds),
        "–" if run.rate_per_second is None else rate(run.rate_per_second.value),
        _time(run.times.mean),
        _time(run.times.maximum),
        f"{failed:,}" if failed else "–",
    ]


def _time(figure: Figure | None) -> str:
    return "–" if figure is None else time(figure.value)
