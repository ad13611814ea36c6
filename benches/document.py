"""The tables of docs/benchmarks.md and benches/measured.md."""

import platform
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from benches.load import Percentiles

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "docs/benchmarks.md", ROOT / "benches/measured.md")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def milliseconds(value: float | None) -> str:
    """A figure of three digits, or that there is none."""
    if value is None:
        return "not stated"
    return f"{value:.3g}" if value < 10 else f"{value:.1f}"


def percentiles_table(expected: Percentiles, rows: Sequence[tuple[str, Percentiles]]) -> str:
    """Stated percentiles: a row for each generator, below the true values."""

    def cells(percentiles: Percentiles) -> list[str]:
        return [milliseconds(each) for each in (percentiles.p50, percentiles.p95, percentiles.p99, percentiles.p999)]

    return table(
        ["", "p50, ms", "p95, ms", "p99, ms", "p99.9, ms"],
        [
            ["by arithmetic", "that of no stall", *cells(expected)[1:]],
            *([label, *cells(percentiles)] for label, percentiles in rows),
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
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    names = re.findall(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return f"{len(names)} × {names[0]}" if names else platform.machine()
