"""wrk: text. By its source, `src/wrk.c` of version 4.

`requests` counts every complete answer, whatever its status. A connect that fails at once is counted, and this
connection is never tried again (`connect_socket` returns without an event). An answer later than the time-out is
counted as a request and as a time-out, and is in no latency. Every thread has as many connections as every other, so
that a remainder is never opened. Latencies are corrected: for each that is longer than twice the mean interval between
the requests of a connection, shorter ones are added that no request had (`stats_correct`).
"""

import re

from fairtrial_cross_examine.figures import DURATION, NUMBER, as_count, duration, exactly
from fairtrial_cross_examine.figures import size as data_size
from fairtrial_cross_examine.formats.model import Format, Section, share_name
from fairtrial_cross_examine.model import PrintedRun, RunTimes

ANCHOR = re.compile(r"^ *Running .{1,40} test @ .{1,2000}\n\s+\d{1,6} threads? and \d{1,9} connections?", re.MULTILINE)
WRK2 = re.compile(r"Thread calibration:|HdrHistogram - ")


def read(section: Section) -> PrintedRun | None:
    """One report of wrk; one of wrk2 but for its histogram and its load."""
    total = section.find(rf"^\s+({NUMBER}) requests in ({DURATION}), ({NUMBER}[KMGT]?B) read")
    setting = section.find(r"^\s+(\d{1,6}) threads? and (\d{1,9}) connections?")
    if total is None or setting is None:
        return None
    threads, connections = int(setting[1]), int(setting[2])
    used = threads * (connections // threads) if threads else connections
    counts = section.group(r"^\s+Socket errors: (.{1,200})") or ""
    socket_errors = {kind: as_count(number) for kind, number in re.findall(r"(\w{1,20}) (\d{1,15})", counts)}
    dead = socket_errors.pop("connect", 0)
    status = as_count(section.group(r"^\s+Non-2xx or 3xx responses: (\d{1,15})") or "0")
    requests = exactly(as_count(total[1]))
    rate_setting = None if section.command is None else section.command.number("-R", "--rate")  # of wrk2
    return PrintedRun(
        name=section.name,
        source=section.source,
        tool="wrk",
        url=section.group(r"^ *Running .{1,40} test @ (\S{1,2000})"),
        load="closed" if rate_setting is None else "open",
        connections=used or None,
        constant_rate_per_second=None if rate_setting is None else exactly(rate_setting),
        seconds=duration(total[2]),
        requests=requests,
        rate_per_second=section.figure(rf"^Requests/sec:\s+({NUMBER})"),
        times=_times(section),
        failures={"non-2xx": status} if status else {},
        unanswered={kind: number for kind, number in socket_errors.items() if number},
        dead_clients=dead,
        answer_bytes=data_size(total[3]).over(requests),
    )


def _times(section: Section) -> RunTimes:
    row = section.find(rf"^\s+Latency\s+({DURATION})\s+({DURATION})\s+({DURATION})\s+[\d.]{{1,9}}%")
    shares = section.pairs(rf"^\s+(\d{{1,2}}(?:\.\d{{1,6}})?)%\s+({DURATION})\s*$")
    percentiles = {share_name(share): duration(value) for share, value in shares}
    if row is None:
        return RunTimes(percentiles=percentiles)
    mean, deviation, maximum = (duration(row[place]) for place in (1, 2, 3))
    return RunTimes(mean=mean, deviation=deviation, maximum=maximum, percentiles=percentiles)


FORMAT = Format(name="wrk", anchor=ANCHOR, recognises=lambda text: WRK2.search(text) is None, read=read)
