"""Answers whose bodies are looked into: packed ones, which are unpacked, and streams of events."""

import functools
import gzip
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from benches.bench import Bench
from benches.load import Command, Load
from benches.nginx import Nginx
from benches.tables.contest import Contest, ours, table_of, theirs
from benches.tools import hey, k6, locust, oha, wrk

BODIES = 16
"""They differ: where an answer has the bytes of the one before, the engine does not unpack it again."""
EVENTS = 50
LAST = "[DONE]"
OF_NODE = "process.stdout.write(require('zlib').brotliCompressSync(require('fs').readFileSync(0)))"


def _by_node(text: bytes) -> bytes:
    return subprocess.run(["node", "-e", OF_NODE], input=text, capture_output=True, check=True).stdout


PACKED: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "br": _by_node}


def body(number: int) -> bytes:
    """Some 16 KiB of JSON, as long as the others."""
    return json.dumps([{"id": 1000 * number + at + 100_000, "name": f"item {at:03}"} for at in range(400)]).encode()


@functools.cache
def packed(coding: str) -> list[bytes]:
    """All bodies in a coding."""
    return [PACKED[coding](body(number)) for number in range(BODIES)]


def stream() -> str:
    """A stream of short events, such as a language model sends."""
    events = [json.dumps({"number": number, "text": f" word {number}"}) for number in range(EVENTS)]
    return "".join(f"data: {event}\n\n" for event in [*events, LAST])


def _no_nginx() -> str | None:
    return None if Nginx.is_installed() else "nginx is not installed"


def _lack(coding: str) -> Callable[[], str | None]:
    return lambda: "Node is not installed" if coding == "br" and shutil.which("node") is None else _no_nginx()


def _of_packed(coding: str) -> Contest:
    def server(bench: Bench, folder: Path) -> Nginx:
        for number, text in enumerate(packed(coding)):
            (folder / f"{number}.packed").write_bytes(text)
        return Nginx(
            bench.target_cpu,
            folder,
            tls=False,
            http2=False,
            answer=(
                f"root {folder}; types {{ }} default_type application/json; "
                f"add_header Content-Encoding {coding}; rewrite ^ /$which.packed break;"
            ),
            more='split_clients "$request_id" $which { '
            + "".join(f"{100 / BODIES:g}% {number}; " for number in range(1, BODIES))
            + "* 0; }",
        )

    def of_k6(load: Load) -> Command:
        return k6.running(load, k6.script(load, f"http.get(URL, {{headers: {{'Accept-Encoding': '{coding}'}}}});"))

    size = len(body(0))
    headers = [["accept-encoding", coding]]
    expect = {"status": [200], "body_bytes": {"min": size, "max": size}}
    # Of these, Go's own client unpacks gzip alone.
    unpack_by_go = [theirs(hey.TOOL, hey.cost, hey.answered)] if coding == "gzip" else []
    return Contest(
        name=f"{coding}, 16 KiB unpacked",
        server=server,
        ways=[
            ours({"requests": [{"path": "/", "headers": headers, "expect": expect}]}),
            *unpack_by_go,
            theirs(k6.TOOL, of_k6, k6.count, k6.percentiles),
        ],
        connections=16,
        rate_per_second=500.0,
        lack=_lack(coding),
    )


def _of_events() -> Contest:
    def server(bench: Bench, folder: Path) -> Nginx:
        (folder / "stream").write_text(stream(), encoding="utf-8")
        answer = f"root {folder}; types {{ }} default_type text/event-stream; rewrite ^ /stream break;"
        return Nginx(bench.target_cpu, folder, tls=False, http2=False, answer=answer)

    def of_k6(load: Load) -> Command:
        return k6.running(load, k6.script(load, "http.get(URL).body.split('\\n\\n');"))

    expected = {"kind": "events", "min": EVENTS, "max": EVENTS, "sequence": "/number", "first": 0, "last": LAST}
    request = {"path": "/", "expect": {"status": [200], "body": expected}}
    return Contest(
        name=f"Streams of {EVENTS} events",
        server=server,
        ways=[
            ours({"requests": [request]}),
            ours({"requests": [{"path": "/"}]}, name="fairtrial: a body", percentiles=None),
            theirs(wrk.TOOL, wrk.cost, wrk.answered, name="wrk: a body"),
            theirs(oha.TOOL, _oha, oha.answered, oha.percentiles, name="oha: a body"),
            theirs(k6.TOOL, of_k6, k6.count, k6.percentiles, name="k6: a body, split at empty lines"),
            # It makes no 500 streams a second.
            theirs(locust.TOOL, _locust, locust.answered, name="Locust: a line at a time"),
        ],
        connections=16,
        rate_per_second=500.0,
        lack=_no_nginx,
    )


def _oha(load: Load) -> Command:
    return oha.cost(load) if load.rate_per_second is None else oha.corrected(load)


def _locust(load: Load) -> Command:
    return locust.events(load, EVENTS + 1)


PACKED_TABLE = table_of("packed", "16 connections to nginx", [_of_packed(coding) for coding in PACKED])
EVENTS_TABLE = table_of("events", "16 connections to nginx", [_of_events()])
