"""Measures the tables of docs/benchmarks.md again: `make bench`, or `python benches/compare.py --help`."""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benches import document  # noqa: E402
from benches.bench import Bench  # noqa: E402
from benches.load import Tool  # noqa: E402
from benches.processes import version  # noqa: E402
from benches.tables import TABLES  # noqa: E402
from benches.tools import all_tools  # noqa: E402
from fairtrial.docs.pages import replace_part  # noqa: E402


def arguments() -> argparse.Namespace:
    names = [table.name for table in TABLES]
    of_pages = [table.name for table in TABLES if table.has_page]
    parser = argparse.ArgumentParser(description="Compares load generators.")
    parser.add_argument(
        "--engine", type=Path, default=ROOT / "engine/target/release/fairtrial-engine", help="the engine to use"
    )
    parser.add_argument("--tables", nargs="+", choices=names, default=of_pages)
    parser.add_argument("--tools", nargs="+", metavar="PART", help="only tools whose name contains one of these")
    parser.add_argument("--rounds", type=int, help="of each table; by default its own number")
    parser.add_argument("--seconds", type=float, help="of each run at the highest rate; by default the table's own")
    parser.add_argument("--base", metavar="REVISION", help="of git: the engine of the table `before`")
    parser.add_argument("--write", action="store_true", help="put the tables into their pages")
    return parser.parse_args()


def installed(tools: Sequence[Tool], wanted: Sequence[str] | None) -> list[tuple[Tool, str]]:
    """The installed tools among the wanted ones, with their versions."""
    selected = [tool for tool in tools if not wanted or any(part in tool.name for part in wanted)]
    versions = [(tool, version(tool)) for tool in selected]
    for tool, text in versions:
        if text is None:
            print(f"not installed, left out: {tool.name}", file=sys.stderr)
    return [(tool, text) for tool, text in versions if text is not None]


def engine_of(revision: str) -> Path:
    """The engine of a revision, built for release in a folder that is kept.

    Raises:
        CalledProcessError: there is none of this name, or it cannot be built.
    """
    named = ["git", "-C", str(ROOT), "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"]
    commit = subprocess.run(named, check=True, capture_output=True, text=True).stdout.strip()
    folder = ROOT / "build/engines" / commit
    engine = folder / "engine/target/release/fairtrial-engine"
    if not engine.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        sources = subprocess.run(["git", "-C", str(ROOT), "archive", commit], check=True, capture_output=True)
        subprocess.run(["tar", "-x"], input=sources.stdout, check=True, cwd=folder)
        subprocess.run(["cargo", "build", "--quiet", "--locked", "--release"], check=True, cwd=folder / "engine")
    return engine


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
    base = engine_of(options.base) if options.base else None
    for each in TABLES:
        if each.name not in options.tables:
            continue
        seconds = each.seconds if each.keeps_seconds else options.seconds or each.seconds
        table = replace(each, rounds=options.rounds or each.rounds, seconds=seconds)
        compared = [(tool, text) for tool, text in available if table.compares(tool)]
        if not compared:
            print(f"{table.name}: none of these generators is in this table", file=sys.stderr)
            continue
        print(f"{table.name}: about {table.minutes:.1f} minutes", file=sys.stderr)
        bench = Bench(
            engine=options.engine,
            generator_cpu=cpus[0],
            target_cpu=cpus[1],
            rounds=table.rounds,
            seconds=table.seconds,
            report=lambda line: print(line, file=sys.stderr),
            base=base,
        )
        what = f"{table.facts}; {table.rounds} rounds of {table.seconds:g} s in alternation"
        facts = document.host_facts([(tool.name, text) for tool, text in compared], what)
        part = f"{facts}\n\n{table.text(bench, [tool for tool, _ in compared])}"
        print(f"\n## {table.name}\n\n{part}", flush=True)
        if options.write and table.has_page:
            page = next(page for page in document.PAGES if f"<!-- {table.name} -->" in page.read_text())
            page.write_text(replace_part(page.read_text(), table.name, part))
    return 0


if __name__ == "__main__":
    sys.exit(main())
