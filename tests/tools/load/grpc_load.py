"""A load of calls by gRPC, of a workload file that lies in the current folder."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.command_line import Finished

Call = Callable[..., Finished]
FILE = """
[requests.look]
grpc = { proto = "shop.proto", method = "shop.Shop/Look", message = { id = 7 } }
expect.grpc.message = { id = 7, name = "teapot" }
"""
ONCE = ("--http2", "-c", "1", "-n", "1", "--warmup", "0s")


def load(call: Call, url: str, text: str, *options: str) -> tuple[Finished, dict[str, Any]]:
    """Of one request, unless the options say otherwise."""
    Path("shop.workload.toml").write_text(text)
    finished = call("load", "-f", "shop.workload.toml", url, *(options or ONCE), "--json", "load.json", "--plain")
    written = Path("load.json")
    return finished, json.loads(written.read_text()) if written.exists() else {}
