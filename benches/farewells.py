"""What a server's farewells cost an open load over HTTP/2: response times beside the same server that says none.

`.venv/bin/python -m benches.farewells` offers 500/s, one connection with 10 streams, to nginx before a server that
takes 300 ms for one request in 200 and 1 ms for the others: once with nginx's default of 1,000 requests to a
connection, once without a limit. The 99th percentile is of fast requests, and is to be the same. Run nothing else
meanwhile.
"""

import argparse
from typing import Any

from benches.bench import scratch
from benches.load import Command, Load
from benches.nginx import Nginx
from benches.processes import Target, run
from benches.tools.engine import plan, summary
from fairtrial.engine.binary import engine_binary

GENERATOR_CPU, SERVER_CPU = 0, 1
LIMITS = {"1,000 requests a connection": 1000, "no limit": 1_000_000_000}
DELAYS = "two-point:1ms:300ms:0.005"


def measured(seconds: float, requests_per_connection: int) -> dict[str, Any]:
    """The engine's summary of one load; it raises ValueError if there were errors."""
    engine = engine_binary()
    with scratch() as folder, scratch() as server, Target(engine, SERVER_CPU, ["--delay", DELAYS]) as target:
        answer = f"proxy_pass http://{target.address};"
        nginx = Nginx(SERVER_CPU, server, tls=False, answer=answer, requests_per_connection=requests_per_connection)
        with nginx:
            load = Load(nginx.address, 1, seconds, 500.0, folder, streams=10)
            command = Command([str(engine), "run"], plan(load, "auto", warmup_seconds=1.0))
            return summary(run(command, load, [GENERATOR_CPU]).stdout)


def main() -> None:
    """Print a table: a row for each limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="of each load")
    options = parser.parse_args()
    print(f"| the server takes | p50, ms | p95, ms | p99, ms | connects | retried |\n{'| --- ' * 6}|")
    for words, limit in LIMITS.items():
        window = measured(options.seconds, limit)
        percentiles = window["response_time"]["percentiles"]
        times = " | ".join(f"{percentiles[name] * 1e3:.2f}" for name in ("50", "95", "99"))
        print(f"| {words} | {times} | {window['connects']} | {window['retried']} |")


if __name__ == "__main__":
    main()
