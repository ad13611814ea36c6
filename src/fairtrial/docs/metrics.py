"""The parts of pages about metrics: their table in docs/claims.md, and the columns of reports in docs/glossary.md."""

from collections.abc import Iterable, Mapping
from itertools import groupby

from fairtrial.docs.markdown import as_sentence, bullets, code, markdown_table
from fairtrial.judge.metrics import METRICS, SERVED, TIMES, Metric, find_metric
from fairtrial.report.columns import ALWAYS, IF_MEASURED, MEANINGS, START_AND_MEMORY, Column


def claims_parts() -> Mapping[str, str]:
    """The table of all metrics that a claim may name."""
    metrics = [*METRICS.values(), *(find_metric(f"{kind}_p50") for kind in TIMES if f"{kind}_p50" not in METRICS)]
    alike = groupby(metrics, key=lambda metric: (metric.meaning, metric.key.removeprefix(metric.name)))
    rows = [_row(list(group)) for _, group in alike]
    return {"metrics": markdown_table(("metric", "unit", "better", "loads", "by request", "meaning"), rows)}


def glossary_parts() -> Mapping[str, str]:
    """An entry for each column of the tables that holds a figure but goodput."""
    by_key = {metric.key: metric for metric in METRICS.values()}
    columns = (*ALWAYS, *IF_MEASURED, *START_AND_MEMORY)
    return {"columns": bullets(_entry(column, by_key[column.key]) for column in columns)}


def _row(metrics: list[Metric]) -> tuple[str, ...]:
    """The row of metrics that differ in nothing but their percentile."""
    first = metrics[0]
    names = ", ".join(code(metric.name) for metric in metrics)
    if any(first.name.startswith(f"{kind}_p") for kind in TIMES):
        names += ", any other percentile"
    return (
        names,
        "per second" if first.unit == "per_second" else first.unit,
        "higher" if first.higher_is_better else "lower",
        _loads(first.loads),
        _apart(first),
        (as_sentence(first.meaning) + _stands_despite(first.despite)).rstrip("."),
    )


def _apart(metric: Metric) -> str:
    """Whether a claim may name the request, or the journey, that a metric is of."""
    if metric.read_journey is not None:
        return "by journey"
    return "no" if metric.read_share is None else "yes"


def _loads(loads: frozenset[str] | None) -> str:
    if loads is None:
        return "all"
    return "of servers" if loads == SERVED else ", ".join(code(load) for load in sorted(loads))


def _stands_despite(checks: Iterable[str]) -> str:
    links = ", ".join(f"[{name}](checks.md#{name})" for name in sorted(checks))
    return f" It stands despite a refusal by {links}" if links else ""


def _entry(column: Column, metric: Metric) -> str:
    meaning = MEANINGS.get(column.title, metric.label)
    return f"**{column.title}**, in {column.unit}: {meaning}, {code(metric.name)}"
