"""k6: a script tells it what to do."""

import json
from pathlib import Path
from typing import Any

from benches.load import Command, Finished, Load, Percentiles, Tool, Truth

SUMMARY = "k6.json"
MESSAGES = """\
  ws.connect({url}, {{}}, (socket) => {{
    const send = () => socket.send(String(Date.now()));
    socket.on('open', () => {{ {begin} }});
    socket.on('message', (data) => {{ messages.add(1); time.add(Date.now() - Number(data)); {go_on} }});
    socket.setTimeout(() => socket.close(), {milliseconds:g});
  }});
"""
"""Each message is the time at which it is sent, and comes back."""


def script(load: Load, act: str | None = None) -> Path:
    """What each user does again and again: a GET whose body is not kept, or to `act`, which has `URL`."""
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
    imports = ["import http from 'k6/http';", f"const URL = {json.dumps(load.url)};"]
    return _written(load, scenario, imports, act or "http.get(URL);", keeps_bodies=act is not None)


def messages_script(load: Load) -> Path:
    """Each user has a WebSocket, and sends when the message before came back; at a rate, whether it did or not."""
    scenario = {"executor": "per-vu-iterations", "vus": load.connections, "iterations": 1}
    begin, go_on = "send();", "send();"
    if load.rate_per_second is not None:
        begin, go_on = f"socket.setInterval(send, {1000 * load.connections / load.rate_per_second:g});", ""
    imports = [
        "import ws from 'k6/ws';",
        "import { Counter, Trend } from 'k6/metrics';",
        "const messages = new Counter('messages'), time = new Trend('message_time', true);",
    ]
    url = json.dumps(f"ws://{load.address}/")
    act = MESSAGES.format(url=url, begin=begin, go_on=go_on, milliseconds=1000 * load.seconds)
    return _written(load, scenario, imports, act, keeps_bodies=True)


def _written(load: Load, scenario: dict[str, Any], before: list[str], act: str, *, keeps_bodies: bool) -> Path:
    options = {
        "scenarios": {"only": scenario},
        "summaryTrendStats": ["med", "p(95)", "p(99)", "p(99.9)"],
        "discardResponseBodies": not keeps_bodies,
        "insecureSkipTLSVerify": True,
    }
    file = load.scratch / "k6.js"
    lines = [*before, f"export const options = {json.dumps(options)};", f"export default function () {{ {act} }}"]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def running(load: Load, script: Path) -> Command:
    """The command for a script."""
    summary = load.scratch / SUMMARY
    return Command(["k6", "run", "--quiet", f"--summary-export={summary}", str(script)])


def command(load: Load) -> Command:
    return running(load, script(load))


def count(finished: Finished, metric: str = "http_reqs") -> int:
    """What a counter has at the end."""
    return int(json.loads((finished.load.scratch / SUMMARY).read_text())["metrics"][metric]["count"])


def percentiles(finished: Finished, metric: str = "http_req_duration") -> Percentiles:
    return read_summary((finished.load.scratch / SUMMARY).read_text(), metric)


def read_summary(text: str, metric: str = "http_req_duration") -> Percentiles:
    """Percentiles from the exported summary, whose times are in milliseconds."""
    duration = json.loads(text)["metrics"][metric]
    return Percentiles(duration["med"], duration["p(95)"], duration["p(99)"], duration["p(99.9)"])


TOOL = Tool(
    name="k6",
    version_command=["k6", "version"],
    cost=command,
    http2=command,
    closed=Truth("k6", command, percentiles, keeps_rate=False),
    truths=(Truth("k6", command, percentiles),),
)
