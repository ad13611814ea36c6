"""k6: a script tells it what to do."""

import json
from pathlib import Path
from typing import Any

from benches.load import Command, Finished, Load, Percentiles, Tool, Truth

SUMMARY = "k6.json"


def script(load: Load) -> Path:
    scenario: dict[str, Any] = {"executor": "constant-vus", "vus": load.connections}
    if load.rate_per_second is not None:
        scenario = {
            "executor": "constant-arrival-rate",
            "rate": round(load.rate_per_second),
            "timeUnit": "1s",
            "preAllocatedVUs": load.connections,
            "maxVUs": 8 * load.connections,
        }
    if load.streams:  # a virtual user has a connection of its own, and one request on it at a time
        scenario["vus"] *= load.streams
    scenario["duration"] = f"{load.seconds:g}s"
    options = {
        "scenarios": {"only": scenario},
        "summaryTrendStats": ["med", "p(95)", "p(99)", "p(99.9)"],
        "discardResponseBodies": True,
        "insecureSkipTLSVerify": True,
    }
    file = load.scratch / "k6.js"
    lines = [
        "import http from 'k6/http';",
        f"export const options = {json.dumps(options)};",
        f"export default function () {{ http.get({json.dumps(load.url)}); }}",
    ]
    file.write_text("\n".join(lines) + "\n")
    return file


def command(load: Load) -> Command:
    summary = load.scratch / SUMMARY
    return Command(["k6", "run", "--quiet", f"--summary-export={summary}", str(script(load))])


def percentiles(finished: Finished) -> Percentiles:
    return read_summary((finished.load.scratch / SUMMARY).read_text())


def read_summary(text: str) -> Percentiles:
    """Percentiles from the exported summary, whose times are in milliseconds."""
    duration = json.loads(text)["metrics"]["http_req_duration"]
    return Percentiles(duration["med"], duration["p(95)"], duration["p(99)"], duration["p(99.9)"])


TOOL = Tool(
    name="k6",
    version_command=["k6", "version"],
    cost=command,
    http2=command,
    closed=Truth("k6", command, percentiles, keeps_rate=False),
    truths=(Truth("k6", command, percentiles),),
)
