"""How long each database takes to load a table and to start from what was kept: `python -m benches.services`.

Run it with the project's environment, alone on the machine: `.venv/bin/python -m benches.services --rows 1000000`.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

from fairtrial.base.locations import cache_folder
from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.workloads.random_item import items
from fairtrial.engine.binary import engine_binary
from fairtrial.experiment.model import DatasetOptions

DATABASES = ("sqlite", "postgresql", "mariadb", "mongodb", "redis", "memcached")


def up_seconds(name: str, rows: int) -> tuple[float, float]:
    """Seconds until the service is up with the table `items`, and of these until its last row was sent."""
    began = time.perf_counter()
    last_row = began

    def on_rows(_table: str, _rows: int) -> None:
        nonlocal last_row
        last_row = time.perf_counter()

    service = pick_service(name)
    with service.up([items(DatasetOptions(), rows)], "default", on_rows):
        return time.perf_counter() - began, last_row - began


def main() -> None:
    """Print a table: each service with nothing kept, then again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the table `items`")
    parser.add_argument("--services", nargs="+", choices=DATABASES, default=DATABASES)
    chosen = parser.parse_args()
    engine_binary()
    kept = cache_folder()
    print(f"| service | rows | sent after | up, first time | up, later |\n{'| --- ' * 5}|")
    for name in chosen.services:
        with tempfile.TemporaryDirectory() as cache:
            # All that is kept but data: those are what is measured.
            for name_kept in ("engine", "tools"):
                Path(cache, name_kept).symlink_to(kept / name_kept)
            os.environ["FAIRTRIAL_CACHE"] = cache
            try:
                first, sent = up_seconds(name, chosen.rows)
                later, _ = up_seconds(name, chosen.rows)
            except Problem as problem:
                print(f"| {name} | {chosen.rows:,} | {problem.reason} | | |", flush=True)
                continue
        print(f"| {name} | {chosen.rows:,} | {sent:.1f} s | {first:.1f} s | {later:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
