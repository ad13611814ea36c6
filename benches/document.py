"""The tables of docs/benchmarks.md."""

import platform
import re
import statistics
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from benches.load import Percentiles
from benches.measure import DRIVERS, EXPECTED, CostRow, ScaleRow, SizeRow


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def cost_table(rows: Sequence[CostRow]) -> str:
    """Processor time per request: a row for each generator."""
    first = rows[0].name
    return table(
        ["generator", "CPU per request, µs (median)", "lowest to highest", f"{first} over it, paired"],
        [
            [
                row.name,
                f"{row.median_us:.2f}",
                f"{min(row.costs_us):.2f} to {max(row.costs_us):.2f}",
                f"{row.median_ratio:.2f}",
            ]
            for row in rows
        ],
    )


def sizes_table(rows: Sequence[SizeRow]) -> str:
    """Processor time per answer of each size, by driver."""
    return table(
        ["body, bytes", *(f"{driver}, µs (median)" for driver in DRIVERS), "io_uring over epoll, paired"],
        [
            [
                f"{row.body_bytes:,}",
                *(f"{statistics.median(row.costs_us[driver]):.2f}" for driver in DRIVERS),
                f"{row.median_ratio:.2f}",
            ]
            for row in rows
        ],
    )


def truth_table(rows: Sequence[tuple[str, Percentiles]]) -> str:
    """Stated percentiles: a row for each generator, below the true values."""

    def cell(milliseconds: float | None) -> str:
        if milliseconds is None:
            return "not stated"
        return f"{milliseconds:.3g}" if milliseconds < 10 else f"{milliseconds:.1f}"

    def cells(percentiles: Percentiles) -> list[str]:
        return [cell(each) for each in (percentiles.p50, percentiles.p95, percentiles.p99, percentiles.p999)]

    expected = ["by arithmetic", "that of no stall", *cells(EXPECTED)[1:]]
    return table(
        ["", "p50, ms", "p95, ms", "p99, ms", "p99.9, ms"],
        [expected, *([label, *cells(percentiles)] for label, percentiles in rows)],
    )


def scale_table(rows: Sequence[ScaleRow]) -> str:
    """Cost, rate and memory: a row for each generator and number of connections."""

    def per_connection(row: ScaleRow) -> str:
        smallest = next(other for other in rows if other.name == row.name)
        more = row.connections - smallest.connections
        if more <= 0 or row.threads > 1:
            return "—"
        return f"{(row.most_memory_bytes - smallest.most_memory_bytes) / more:.0f} bytes"

    return table(
        [
            "generator",
            "connections",
            "threads",
            "CPU per request, µs",
            "requests/s",
            "most memory, MiB",
            "per added connection",
        ],
        [
            [
                row.name,
                f"{row.connections:,}",
                str(row.threads),
                f"{row.cost_us:.2f}",
                f"{row.requests_per_second:,.0f}",
                f"{row.most_memory_bytes / 2**20:.1f}",
                per_connection(row),
            ]
            for row in rows
        ],
    )


def host_facts(versions: Sequence[tuple[str, str]], what: str) -> str:
    """A paragraph with the date, the machine, what was measured, and the versions of the tools."""
    tools = "; ".join(f"{name} {version}".strip() for name, version in versions)
    return (
        f"Measured {date.today().isoformat()} on {processor()}, {platform.system()} {platform.release()}; "
        f"{what}.\nWith {tools}."
    )


def processor() -> str:
    """Number and model of the processors: `2 × AMD EPYC`."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.machine()
    names = re.findall(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return f"{len(names)} × {names[0]}" if names else platform.machine()


def replace_part(text: str, name: str, part: str) -> str:
    """`text` with `part` between the markers `<!-- name -->` and `<!-- /name -->`."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, has_begin, rest = text.partition(begin)
    _, has_end, after = rest.partition(end)
    if not has_begin or not has_end:
        raise ValueError(f"there is no {begin} … {end}")
    return f"{before}{begin}\n{part}\n{end}{after}"
