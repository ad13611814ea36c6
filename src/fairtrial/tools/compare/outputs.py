"""A comparison as JUnit XML, for a CI job, and as Markdown, for a review."""

from fairtrial.base.formatting import bounded_below, figure, level_in_words, span, with_unit
from fairtrial.report.junit import JunitCase, suite_text
from fairtrial.report.markdown import escape, row_text
from fairtrial.tools.compare.comparison import FigureRow, RunComparison

HEAD = ("condition", "metric", "before", "after", "after / before", "interval", "change")


def comparison_junit(comparison: RunComparison, name: str, started_at: str) -> str:
    """A test case for each row: a regression is a failure, a row that was not compared is skipped."""
    cases = []
    for row in comparison.rows:
        words = f"{', '.join(row_cells(row)[2:])} ({', '.join(HEAD[2:])})"
        if row.change == "regression":
            cases.append(JunitCase(row.metric.name, row.condition, "failure", f"regression: {words}", words))
        elif row.change == "not compared":
            cases.append(JunitCase(row.metric.name, row.condition, "skipped", row.reason or "", row.reason or ""))
        else:
            cases.append(JunitCase(row.metric.name, row.condition, None, row.change, words))
    return suite_text(name, started_at, cases)


def comparison_markdown(comparison: RunComparison, title: str) -> str:
    """The table, and what else differs besides the programs."""
    lines = [f"## {escape(title)}", "", row_text(HEAD), "| --- " * len(HEAD) + "|"]
    lines += [row_text([escape(cell) for cell in row_cells(row)]) for row in comparison.rows]
    lines += ["", f"{levels_in_words(comparison)} Margin: {comparison.margin:.0%}.".strip(), ""]
    lines += [escape(scatter_in_words(comparison)), ""]
    if bounds := bounds_in_words(comparison):
        lines += [escape(bounds), ""]
    lines += [f"- {escape(warning)}" for warning in comparison.warnings]
    return "\n".join(lines).rstrip() + "\n"


def levels_in_words(comparison: RunComparison) -> str:
    """At which level the intervals are, and what holds together; empty where nothing was compared."""
    levels = [row.level for row in comparison.rows if row.level is not None]
    if not levels:
        return ""
    of_each, of_all = level_in_words(*levels), level_in_words(comparison.level)
    if of_each == of_all:
        return f"Intervals are at {of_each}."
    return f"Intervals are at {of_each}, so that all changes hold together at {of_all} (Holm's procedure)."


def scatter_in_words(comparison: RunComparison) -> str:
    """The scatter between runs in the intervals, in words."""
    if comparison.runs == (1, 1):
        return (
            f"One run on each side cannot show what moves a whole run, such as another neighbour on the machine: "
            f"intervals take it that whole runs scatter by {comparison.run_spread:.0%} (--run-spread). Compare three "
            "runs of each or more (A1 A2 A3 vs B1 B2 B3) for narrower ones, or try both programs in one experiment."
        )
    before, after = comparison.runs
    return f"Each of {before} and {after} runs is one value: what moves a whole run is in the intervals."


def row_cells(row: FigureRow) -> list[str]:
    """A row as text, in the order of HEAD; a dash where there is no value.

    `> x` is at least x. With lower bounds before the change the ratio is at most what is shown, `< x`; with such
    on both sides it may be anything.
    """
    before, after = (
        "–" if value is None else bounded_below(with_unit(value, row.metric.unit), bounds == "median")
        for value, bounds in zip((row.before, row.after), row.bounds, strict=True)
    )
    ratio, interval = "–", "–"
    if row.ratio is not None and row.bounds != ("median", "median"):
        sign = {"median": "< "}.get(row.bounds[0], "")
        ratio = sign + bounded_below(figure(row.ratio.estimate), row.bounds[1] == "median")
    if row.ratio is not None and row.ratio.interval is not None and "none" in row.bounds:
        low = "" if row.bounds[0] == "none" else "< "
        interval = low + span(row.ratio.interval, open_above=row.bounds[1] != "none")
    return [row.condition, row.metric.label, before, after, ratio, interval, row.change]


def bounds_in_words(comparison: RunComparison) -> str:
    """The meaning of `>` and `<`; empty where there is none."""
    if all(row.bounds == ("none", "none") for row in comparison.rows):
        return ""
    return (
        "> and <: requests had no answer when they were awaited no longer, so that the figure is a lower bound, and a "
        "ratio at least or at most what is shown. A change is only named if it stands all the same."
    )
