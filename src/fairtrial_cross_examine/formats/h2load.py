"""h2load: text. By its source, `src/h2load.cc` of nghttp2.

Its rate counts every answer, whatever its status; what it calls `succeeded` has 2xx or 3xx. What it calls `failed` has
answers of other statuses in it, and all that is `errored` or had a `timeout`. With `-m`, which it does not print, a
client has so many requests under way: over HTTP/2 without the call, how many these are is not known.
"""

import re

from fairtrial_cross_examine.caps import CAPS
from fairtrial_cross_examine.figures import DURATION, NUMBER, as_count, as_figure, duration, exactly
from fairtrial_cross_examine.formats.model import Format, Section
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

STATUSES = 4
"""2xx to 5xx: where fewer are listed, the line was cut off."""
TRAFFIC = (
    r"^traffic: (?:\S{1,20} \()?(\d{1,18})(?:\)| bytes) total,\s[\w.]{1,20} [^,\n]{1,100},\s"
    r"(?:\S{1,20} \()?(\d{1,18})(?:\)| bytes) data"
)
"""The bytes stand in brackets; older versions print them alone, the oldest without what was saved of headers."""
WARMED_UP = r"^Warm-up |^time for connect:\s+0us\s+0us\s"
"""All connects were before the time that it measures."""
COLUMNS = {"min": "minimum", "max": "maximum", "mean": "mean", "sd": "deviation"}


def read(section: Section) -> PrintedRun:
    """One report of h2load."""
    finished = section.find(rf"^finished in ({DURATION}), ({NUMBER}) req/s")
    counts = section.find(
        rf"^requests: ({NUMBER}) total,[\s\w,]{{1,100}}?\s({NUMBER})\ssucceeded,\s({NUMBER})\sfailed,\s"
    )
    line = section.group(rf"^status codes: ((?:{NUMBER}\s[1-5]xx(?:,\s|$)){{1,5}})") or ""
    statuses = {status: as_count(number) for number, status in re.findall(rf"({NUMBER})\s([1-5]xx)", line)}
    answers, failed = sum(statuses.values()), statuses.get("4xx", 0) + statuses.get("5xx", 0)
    whole = len(statuses) == STATUSES
    unanswered = max(as_count(counts[3]) - failed, 0) if counts is not None and whole else 0
    traffic = section.find(TRAFFIC)
    bodies = None if traffic is None else exactly(as_count(traffic[2]))
    command = section.command
    called_for = command.seconds("-D", "--duration")
    warm_up = section.group(rf"with ({DURATION}) of warm-up time") or command.option("--warm-up-time")
    measured = section.group(rf"of warm-up time and ({DURATION}) of main duration")
    seconds = None if finished is None else duration(finished[1])
    if section.find(WARMED_UP) or (
        warm_up and not re.fullmatch(r"0\D*", warm_up)
    ):  # requests are those behind it; time and bytes, all
        traffic = bodies = None
        seconds = called_for if measured is None else duration(measured)
    constant_rate = command.rate("--rps")
    clients, connections = _connections(section)
    return PrintedRun(
        load="closed" if constant_rate == 0 else "open",
        connections=connections,
        may_pause=command.has("-r", "--rate", "--timing-script-file"),
        constant_rate_per_second=exactly(constant_rate * clients) if constant_rate and clients else None,
        planned_seconds=called_for,
        seconds=seconds,
        requests=exactly(answers) if whole else None,
        rate_per_second=None if finished is None else as_figure(finished[2]),
        times=_times(section).model_copy(
            update={"sample": CAPS["h2load"].most if answers > CAPS["h2load"].most else None}
        ),
        failures={"status 4xx or 5xx": failed} if failed else {},
        unanswered={"errored": unanswered} if unanswered else {},
        document_bytes=None if bodies is None else bodies.over(exactly(answers)),
        bodies_bytes=bodies,
        all_bytes=None if traffic is None else exactly(as_count(traffic[1])),
    )


def _connections(section: Section) -> tuple[int, int | None]:
    """Clients, and requests under way at the same time: clients times their streams."""
    threads = section.pairs(r"^spawning thread (#\d{1,6}): (\d{1,9}) (?:total|concurrent) client")
    clients = sum(int(number) for _, number in threads)
    streams: int | None = 1 if section.find(r"^Application protocol: http/1\.1") is not None else None
    if section.command.is_given:
        clients = clients or section.command.connections(1, "-c", "--clients") or 0
        streams = section.command.connections(1, "-m", "--max-concurrent-streams")
    return clients, clients * streams if clients and streams else None


def _times(section: Section) -> RunTimes:
    """The row of requests, by the heads of its table, which differ between versions."""
    table = section.find(r"^(min\s.{1,120})\n(?:time for )?request\s*:\s*(.{1,200})$")
    if table is None:
        return RunTimes()
    heads = re.findall(r"\+/- sd|\S+", table[1])
    cells = table[2].split()
    read_cells: dict[str, Figure] = {
        head: duration(cell) for head, cell in zip(heads, cells, strict=False) if re.fullmatch(DURATION, cell)
    }
    shares = {head: head.removeprefix("p") for head in heads if re.fullmatch(r"p\d{1,2}(\.\d+)?", head)}
    shares["median"] = "50"
    times = {field: read_cells.get(head) for head, field in COLUMNS.items()}
    return RunTimes.of(times, {share: read_cells.get(head) for head, share in shares.items()})


FORMAT = Format(
    name="h2load",
    anchor=rf"^finished in {DURATION}, ",
    heads=(r"^starting benchmark", r"^spawning thread #0:"),
    tails=(
        r"^requests: \d{1,15} total, ",
        r"^status codes: \d",
        r"^traffic: (?:\S{1,20} \(\d|\d{1,18} bytes total)",
        r"^(?:time for )?request\s*:\s",
    ),
    read=read,
    is_apart=lambda between: "^C" in between.splitlines(),  # which ends it without its figures
)
