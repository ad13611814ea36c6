"""wrk: text. By its source, `src/wrk.c` of version 4; also as version 1 and Hyperfoil print it.

`requests` counts every complete answer, whatever its status. A connect that fails at once is counted, and this
connection is never tried again (`connect_socket` returns without an event). An answer later than the time-out is
counted as a request and as a time-out, and is in no latency. Every thread has as many connections as every other, so
that a remainder is never opened. Latencies are corrected: for each that is longer than twice the mean interval between
the requests of a connection, shorter ones are added that no request had (`stats_correct`). Where a script sends several
requests at once, there is one latency for all of them (`response_complete`: when none is pending any more). A server
that closes each connection behind its answer without saying so makes a read error of each (`socket_readable` reads the
end before the next request is written). wrk2 of DeathStarBench has the p99 in the column of the maximum.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from fairtrial_cross_examine.command_line import NO_CALL, PrintedCall
from fairtrial_cross_examine.figures import DURATION, NUMBER, as_count, duration, exactly
from fairtrial_cross_examine.figures import size as data_size
from fairtrial_cross_examine.formats.model import Format, Section, share_name
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

TIME = rf"(?:{NUMBER} ?(?:us|µs|ms|s|m|h))"
TOTAL = rf"({NUMBER}) requests in ({TIME}),\s+({NUMBER}[KMGT]?B) read"
ANCHOR = rf"^(?:Overall )?{TOTAL}"
HEADS = (
    r"^(?:Running .{1,40} test @|Making \d{1,15} requests to) .{1,2000}$(?!\s*\d{1,9} connections)",  # autocannon's
    r"^\d{1,6} threads? and \d{1,9} connections?",
    r"^Test Results @ \S",
    r"^Thread Stats\s+Avg\s+Stdev",
    rf"^Latency\s+(?:{TIME}|-?nan\w{{0,3}})\s+(?:{TIME}|-?nan\w{{0,3}})\s+{TIME}\s+-?(?:\d[\d.]{{0,9}}|nan)%?(?![\w.])",
    r"^Latency Distribution \(HdrHistogram - Recorded",
)
TAILS = (r"^Socket errors: connect", r"^Non-2xx or 3xx responses: \d")
DEFAULT_THREADS, DEFAULT_CONNECTIONS = 2, 10
SCRIPT = ("-s", "--script")
PIPELINES = re.compile(r"pipelin", re.IGNORECASE)
OF_WRK2 = re.compile(r"Thread calibration: .*|-+(?:Overall Statistics-+)?")
PAUSES = re.compile(r"delay|pause|sleep|think|wait", re.IGNORECASE)
"""What scripts are named that do so."""


def read(section: Section) -> PrintedRun:
    """One report of wrk; one of wrk2 but for its histogram and its load."""
    total = section.find(ANCHOR)
    setting = section.find(r"^(\d{1,6}) threads? and (\d{1,9}) connections?")
    threads, opened = (int(setting[1]), int(setting[2])) if setting is not None else (0, 0)
    if setting is not None and section.command.whole("-c", "--connections") not in (None, opened):
        section = replace(section, command=NO_CALL)  # it is that of another run
    if setting is None:
        threads = section.command.connections(DEFAULT_THREADS, "-t", "--threads") or 0
        opened = section.command.connections(DEFAULT_CONNECTIONS, "-c", "--connections") or 0
    connections: int | None = threads * (opened // threads) if threads else opened
    pipelined = _pipelined(section.command)
    connections = connections * pipelined if connections and pipelined else None
    counts = section.group(rf"^Socket errors: ((?:\w{{4,7}}\s{NUMBER}(?:,\s+|$)){{1,4}})") or ""
    socket_errors = {kind: as_count(number) for kind, number in re.findall(rf"(\w{{4,7}})\s({NUMBER})", counts)}
    dead = socket_errors.pop("connect", 0)
    status = as_count(section.group(rf"^Non-2xx or 3xx responses: ({NUMBER})") or "0")
    requests = None if total is None else exactly(as_count(total[1]))
    seconds = None if total is None else duration(total[2])
    rate_setting = section.command.rate("-R", "--rate")  # of wrk2
    planned = section.group(rf"^Running ({DURATION}) test @")
    called_for = section.command.seconds("-d", "--duration")
    closings = {} if requests is None else _closings(socket_errors, requests.value, opened)
    return PrintedRun(
        url=section.group(r"^Test Results @ (\S{1,2000})")
        or section.group(r"^(?:Running .{1,40} test @|Making \d{1,15} requests to) (\S{1,2000})"),
        load="closed" if rate_setting == 0 else "open",
        connections=connections,
        may_pause=PAUSES.search(section.command.option(*SCRIPT) or "") is not None,
        pipelined=pipelined if pipelined != 1 else None,
        constant_rate_per_second=_offered(rate_setting, opened / max(threads, 1), seconds) if rate_setting else None,
        planned_seconds=called_for if planned is None else duration(planned),
        seconds=seconds,
        requests=requests,
        rate_per_second=section.figure(rf"^Requests/sec:\s+({NUMBER})"),
        times=_times(section).model_copy(update={"sample": _batches(requests, pipelined)}),
        failures={"non-2xx": status} if status else {},
        unanswered={kind: number for kind, number in socket_errors.items() if number and kind not in closings},
        unclear_failures=closings,
        dead_clients=dead,
        answer_bytes=None if total is None or requests is None else data_size(total[3]).over(requests),
        remarks=[] if pipelined else ["its script pipelines, and how many requests at once is not printed"],
    )


CONNECT_SECONDS = 0.005


def _offered(rate: float, connections_of_a_thread: float, seconds: Figure | None) -> Figure:
    """The rate of wrk2, of which each connection offers its share from when it is opened: one each 5 ms in a thread."""
    unopened_seconds = CONNECT_SECONDS * connections_of_a_thread / 2
    return Figure(value=rate, within=0.0 if seconds is None else rate * unopened_seconds / max(seconds.value, 1e-9))


CLOSING_SHARE = 0.01
"""Of the requests, by which read errors may differ from them, if each answer closes its connection; up to a tenth, if
the last one of each connection may be among them."""


def _closings(socket_errors: Mapping[str, int], requests: float, connections: int) -> dict[str, int]:
    """Read errors that may be no lost requests: about as many as there are answers."""
    read_errors, room = socket_errors.get("read", 0), max(min(connections, requests / 10), CLOSING_SHARE * requests)
    return {"read": read_errors} if read_errors and abs(read_errors - requests) <= room else {}


def is_apart(between: str) -> bool:
    """Whether wrk was stopped after its first lines: but for wrk2, it prints nothing between these and its figures."""
    head, _, rest = between.partition("\n")
    lines = [line for line in rest.split("\n")[:-1] if not OF_WRK2.fullmatch(line)]
    is_setting = re.match(r"(?:Running|Making|\d+ threads?) ", head) is not None
    return is_setting and ("^C" in lines[:-1] or ("" in lines and any(lines)))


def _pipelined(call: PrintedCall) -> int | None:
    """How many requests its script sends at once: the last number behind `--`; None if it sends an unknown number."""
    if not PIPELINES.search(call.option(*SCRIPT) or ""):
        return 1
    behind = list(call.words)[list(call.words).index("--") + 1 :] if "--" in call.words else []
    depths = [int(word) for word in behind if re.fullmatch(r"[1-9]\d{0,4}", word)]
    return depths[-1] if depths else None


def _batches(requests: Figure | None, pipelined: int | None) -> int | None:
    """How many latencies there are, where that is not the requests."""
    return None if requests is None or pipelined in (None, 1) else int(requests.value / (pipelined or 1))


def _times(section: Section) -> RunTimes:
    row = section.find(rf"^Latency\s+({TIME})\s+({TIME})\s+({TIME})(?:\s|$)")
    shares = section.pairs(rf"^(\d{{1,3}}(?:\.\d{{1,6}})?)%\s+({TIME})(?:\s|$)")
    percentiles = {share_name(share): duration(value) for share, value in shares}
    longest = percentiles.pop("100", None)
    if row is None:
        return RunTimes(percentiles=percentiles, maximum=longest)
    mean, deviation, last = (duration(row[place]) for place in (1, 2, 3))
    if section.find(r"^Thread Stats\s+Avg\s+Stdev\s+99%") is not None:
        return RunTimes(mean=mean, deviation=deviation, maximum=longest, percentiles={"99": last, **percentiles})
    return RunTimes(mean=mean, deviation=deviation, maximum=last, percentiles=percentiles)


FORMAT = Format(
    name="wrk",
    anchor=ANCHOR,
    heads=HEADS,
    tails=TAILS,
    read=read,
    is_apart=is_apart,
)
