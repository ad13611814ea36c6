"""h2load: text. By its source, `src/h2load.cc` of nghttp2.

Its rate counts every answer, whatever its status; what it calls `succeeded` has 2xx or 3xx. With `-m`, which it does
not print, a client has so many requests under way: over HTTP/2 without the call, how many these are is not known.
"""

import re

from fairtrial_cross_examine.figures import DURATION, NUMBER, as_count, duration, exactly
from fairtrial_cross_examine.formats.model import Format, Section
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

COLUMNS = {"min": "minimum", "max": "maximum", "mean": "mean", "sd": "deviation"}


def read(section: Section) -> PrintedRun | None:
    """One report of h2load."""
    finished = section.find(rf"^finished in ({DURATION}), ({NUMBER}) req/s, ({NUMBER}[KMGT]?B)/s")
    counts = section.find(
        r"^requests: \d{1,15} total, \d{1,15} started, \d{1,15} done, \d{1,15} succeeded, \d{1,15} failed, "
        r"(\d{1,15}) errored"
    )
    if finished is None or counts is None:
        return None
    statuses = [as_count(number) for number, _ in section.pairs(r"(?:^status codes: |, )(\d{1,15}) ([2-5])xx")]
    answers, failed, errored = sum(statuses), sum(statuses[2:]), as_count(counts[1])
    body = section.group(r"^traffic: .{1,200}\((\d{1,18})\) data")
    command = section.command
    constant_rate = None if command is None else command.number("--rps")
    connections = _connections(section)
    return PrintedRun(
        name=section.name,
        source=section.source,
        tool="h2load",
        load="closed" if constant_rate is None else "open",
        connections=connections,
        constant_rate_per_second=exactly(constant_rate * connections) if constant_rate and connections else None,
        seconds=duration(finished[1]),
        requests=exactly(answers),
        rate_per_second=section.figure(rf"^finished in .{{1,40}}, ({NUMBER}) req/s"),
        times=_times(section),
        failures={"status 4xx or 5xx": failed} if failed else {},
        unanswered={"errored": errored} if errored else {},
        document_bytes=None if body is None else exactly(as_count(body)).over(exactly(answers)),
    )


def _connections(section: Section) -> int | None:
    """Requests under way at the same time: clients times their streams."""
    threads = section.pairs(r"^spawning thread (#\d{1,6}): (\d{1,9}) total client")
    clients = sum(int(number) for _, number in threads)
    if not clients:
        return None
    if section.command is not None:
        return clients * (section.command.whole("-m", "--max-concurrent-streams") or 1)
    return clients if section.find(r"^Application protocol: http/1\.1") is not None else None


def _times(section: Section) -> RunTimes:
    """The row of requests, by the heads of its table, which differ between versions."""
    table = section.find(r"^ +(min .{1,120})\n(?:time for )?request *: *(.{1,200})$")
    if table is None:
        return RunTimes()
    heads = re.split(r"\s{2,}", table[1].strip())
    cells = table[2].split()
    read_cells: dict[str, Figure] = {
        head: duration(cell) for head, cell in zip(heads, cells, strict=False) if re.fullmatch(DURATION, cell)
    }
    shares = {head: head.removeprefix("p") for head in heads if re.fullmatch(r"p\d{1,2}(\.\d+)?", head)}
    shares["median"] = "50"
    return RunTimes.model_validate(
        {
            **{field: read_cells.get(head) for head, field in COLUMNS.items()},
            "percentiles": {share: read_cells[head] for head, share in shares.items() if head in read_cells},
        }
    )


FORMAT = Format(
    name="h2load",
    anchor=re.compile(rf"^finished in {DURATION}, ", re.MULTILINE),
    heads=(re.compile(r"^starting benchmark", re.MULTILINE), re.compile(r"^spawning thread #0:", re.MULTILINE)),
    read=read,
)
