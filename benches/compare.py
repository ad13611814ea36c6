"""Measures the tables of docs/benchmarks.md again: `make bench`, or `python benches/compare.py --help`."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benches import document, measure  # noqa: E402
from benches.load import Tool  # noqa: E402
from benches.processes import version  # noqa: E402
from benches.tools import all_tools  # noqa: E402

TABLES = ("cost", "sizes", "truth", "scale")
SCALED = ("gcannon", "wrk")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compares load generators.")
    parser.add_argument(
        "--engine", type=Path, default=ROOT / "engine/target/release/fairtrial-engine", help="the engine to use"
    )
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--tools", nargs="+", metavar="PART", help="only tools whose name contains one of these")
    parser.add_argument("--rounds", type=int, default=5, help="of the tables cost and sizes")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each run for cost, sizes and scale")
    parser.add_argument(
        "--body-bytes", type=int, nargs="+", default=[200, 16 << 10, 64 << 10, 1 << 20], help="of the sizes table"
    )
    parser.add_argument("--truth-seconds", type=float, default=20.0, help="of each run for truth; a multiple of 2")
    parser.add_argument("--connections", type=int, nargs="+", default=[64, 1000, 16000], help="of the scale table")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    return parser.parse_args()


def installed(tools: Sequence[Tool], wanted: Sequence[str] | None) -> list[tuple[Tool, str]]:
    """The installed tools among the wanted ones, with their versions."""
    selected = [tool for tool in tools if not wanted or any(part in tool.name for part in wanted)]
    versions = [(tool, version(tool)) for tool in selected]
    for tool, text in versions:
        if text is None:
            print(f"not installed, left out: {tool.name}", file=sys.stderr)
    return [(tool, text) for tool, text in versions if text is not None]


def main() -> int:
    options = arguments()
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        print("two processors are needed: one for the generator, one for the target", file=sys.stderr)
        return 2
    available = installed(all_tools(options.engine), options.tools)
    if not available or not options.engine.exists():
        print(f"no engine at {options.engine}: cargo build --release, or --engine", file=sys.stderr)
        return 2
    tools = [tool for tool, _ in available]
    versions = [(tool.name, text) for tool, text in available]

    def bench(seconds: float) -> measure.Bench:
        return measure.Bench(
            options.engine, cpus[0], cpus[1], options.rounds, seconds, lambda line: print(line, file=sys.stderr)
        )

    parts: dict[str, str] = {}
    if "cost" in options.tables:
        rows = measure.measure_cost(bench(options.seconds), tools)
        what = f"{options.rounds} rounds of {options.seconds:g} s in alternation"
        parts["cost"] = f"{document.host_facts(versions, what)}\n\n{document.cost_table(rows)}"
    if "sizes" in options.tables:
        bodies = measure.measure_sizes(bench(options.seconds), options.body_bytes)
        what = (
            f"{options.rounds} rounds of {options.seconds:g} s in alternation, {measure.SIZES_CONNECTIONS} connections"
        )
        ours = [(name, text) for name, text in versions if name == versions[0][0]]
        parts["sizes"] = f"{document.host_facts(ours, what)}\n\n{document.sizes_table(bodies)}"
    if "truth" in options.tables:
        percentiles = measure.measure_truth(bench(options.truth_seconds), tools)
        what = f"{options.truth_seconds:g} s each"
        parts["truth"] = f"{document.host_facts(versions, what)}\n\n{document.truth_table(percentiles)}"
    if "scale" in options.tables:
        others = [tool for tool in tools if tool.name in SCALED]
        sizes = measure.measure_scale(bench(options.seconds), options.connections, others)
        what = f"{options.seconds:g} s each"
        compared = [(name, text) for name, text in versions if name in (versions[0][0], *SCALED)]
        parts["scale"] = f"{document.host_facts(compared, what)}\n\n{document.scale_table(sizes)}"
    for name, part in parts.items():
        print(f"\n## {name}\n\n{part}")
    if options.write:
        page = ROOT / "docs/benchmarks.md"
        text = page.read_text()
        for name, part in parts.items():
            text = document.replace_part(text, name, part)
        page.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
