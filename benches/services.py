"""Measures how long each database takes to load a table, and to start with a cached one: `python -m benches.services`.

Run it with the project's environment on an idle machine: `.venv/bin/python -m benches.services --rows 1000000`.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

from fairtrial.base.locations import cache_folder
from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import ServiceStart
from fairtrial.catalog.workloads.random_item import items
from fairtrial.engine.binary import engine_binary
from fairtrial.experiment.model import DatasetOptions

DATABASES = ("sqlite", "postgresql", "mariadb", "mongodb", "redis", "memcached")


def up_seconds(name: str, rows: int) -> tuple[float, float]:
    """Seconds until the service is up with the table `items`, and until the table's last row was sent."""
    started_at = time.perf_counter()
    last_row_at = started_at

    def on_rows(_table: str, _rows: int) -> None:
        nonlocal last_row_at
        last_row_at = time.perf_counter()

    service = pick_service(name)
    with service.start(ServiceStart(items(DatasetOptions(), rows).tables, on_rows=on_rows)):
        return time.perf_counter() - started_at, last_row_at - started_at


def main() -> None:
    """Print a table: each service with an empty cache, then with the cached table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the table `items`")
    parser.add_argument("--services", nargs="+", choices=DATABASES, default=DATABASES)
    options = parser.parse_args()
    engine_binary()
    user_cache = cache_folder()
    print(f"| service | rows | sent after | up, first time | up, later |\n{'| --- ' * 5}|")
    for name in options.services:
        with tempfile.TemporaryDirectory() as cache:
            # The whole cache but data: loading those is what is measured.
            for kind in ("engine", "tools"):
                Path(cache, kind).symlink_to(user_cache / kind)
            os.environ["FAIRTRIAL_CACHE"] = cache
            try:
                first, sent = up_seconds(name, options.rows)
                later, _ = up_seconds(name, options.rows)
            except Problem as problem:
                print(f"| {name} | {options.rows:,} | {problem.reason} | | |", flush=True)
                continue
        print(f"| {name} | {options.rows:,} | {sent:.1f} s | {first:.1f} s | {later:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
