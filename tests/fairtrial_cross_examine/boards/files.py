"""Files in the form in which boards publish theirs, with figures and names of our own."""

import json
from typing import Any

ARENA_ROW: dict[str, Any] = {
    "framework": "sparrow",
    "language": "Go",
    "rps": 120_000,
    "avg_latency": "4.20ms",
    "p99_latency": "19.30ms",
    "connections": 512,
    "threads": 64,
    "duration": "5s",
    "pipeline": 1,
    "reconnects": 0,
    "status_2xx": 600_000,
    "status_3xx": 0,
    "status_4xx": 0,
    "status_5xx": 0,
}
POWER_RUN = {
    "latencyAvg": "2.05ms",
    "latencyMax": "40.10ms",
    "latencyStdev": "1.10ms",
    "totalRequests": 110_000,
    "startTime": 1_700_000_000,
    "endTime": 1_700_000_015,
}
BY_WRK = {
    "duration_ms": 15_100_000,
    "total_requests": 300_000.333,
    "total_requests_per_s": 20_000.333,
    "minimum_latency": 40,
    "maximum_latency": 90_000,
    "average_latency": 3_100.667,
    "standard_deviation": 2_000.333,
    "percentile_50": 2_800.5,
    "percentile_75": 3_500,
    "percentile_90": 5_200,
    "percentile_99": 11_000,
    "percentile_99.999": 80_000,
}
BY_OHA = {label: -1 for label in BY_WRK if not label.startswith("percentile_")} | {
    "total_requests_per_s": 20_000.5,
    "percentile50": 0.0028,
    "percentile75": 0.0035,
    "percentile90": 0.0052,
    "percentile99": 0.011,
}


def arena_framework(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The file of one framework: by profile and connections, what differs from an honest row."""
    return {"framework": "sparrow", "results": {key: ARENA_ROW | changes for key, changes in rows.items()}}


def arena_profile(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    """The file of one profile, as a list."""
    return [ARENA_ROW | changes for changes in rows]


def power_round(runs: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The results of a round: by test, the runs of one framework, each what differs from an honest one."""
    return {
        "frameworks": ["sparrow"],
        "concurrencyLevels": [16, 512],
        "pipelineConcurrencyLevels": [256, 1024],
        "queryIntervals": [1, 20],
        "duration": 15,
        "rawData": {
            "slocCounts": {"sparrow": 120},
            **{test: {"sparrow": [POWER_RUN | changes for changes in each]} for test, each in runs.items()},
        },
    }


def benchmarker(values: dict[str, Any], level: int = 64) -> dict[str, Any]:
    """The figures of one framework at one level."""
    metrics = [{"level": level, "label": label, "value": value, "framework_id": 7} for label, value in values.items()]
    return {
        "metrics": [*metrics, {"level": 0, "label": "memory_idle_bytes", "value": 9, "framework_id": 7}],
        "frameworks": [{"id": 7, "label": "sparrow", "language": "go"}],
    }


def text_of(document: object) -> str:
    return json.dumps(document)
