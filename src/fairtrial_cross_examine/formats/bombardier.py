"""bombardier: text, and JSON (`--format json`). By its sources, above all `internal/test_info.go`.

Every request counts and has a time, also one without an answer, which is among the `others`. `Reqs/sec` is a mean of
rates that it takes every 10 ms or so, however long each took: it is the rate within the deviation of these. The
deviation of the latencies counts times that are the same only once, and is too small: it is not read. The text has no
time but the planned one, which it exceeds by at most the last answer; the options of the call, a limit of the rate
among them, are in the JSON only.
"""

import re
from collections.abc import Mapping
from typing import Any

from fairtrial_cross_examine.figures import DURATION, NUMBER, as_count, as_figure, duration, exactly, number
from fairtrial_cross_examine.formats.model import BUT_SECONDS, Format, Section
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

MICROSECOND = 1e-6
FIELDS = {"mean": "mean", "max": "maximum"}
DEFAULT_CONNECTIONS = 125
CUT_SECONDS = 1.0
"""Of the time that its bar of progress shows, the fraction is cut off."""
INTRODUCTION = r"^Bombarding (\S{1,2000}) (?:for (\S{1,30})|with \d{1,15} request(?:s|\(s\))) using (\d{1,9}) conn"


def read(section: Section) -> PrintedRun:
    """One report of bombardier in text."""
    codes = dict(section.pairs(r"\b([1-5]xx|others) - (\d{1,15})"))
    rates = section.find(rf"^\s*Reqs/sec\s+({NUMBER})\s+({NUMBER})\s+{NUMBER}$")
    latency = section.find(rf"^\s*Latency\s+({DURATION})\s+{DURATION}\s+({DURATION})$")
    introduction, command = section.find(INTRODUCTION), section.command
    limit = command.number("-r", "--rate")
    called_for = command.connections(DEFAULT_CONNECTIONS, "-c", "--connections")
    connections = called_for if introduction is None else int(introduction[3])
    maximum = None if latency is None else duration(latency[2])
    before_2xx = section.text.partition("Latency Distribution (2xx)")[0]
    shares = re.findall(rf"^\s*(\d{{1,2}})%\s+({DURATION})$", before_2xx, re.MULTILINE)
    return PrintedRun(
        url=None if introduction is None else introduction[1],
        load="closed" if command.is_given and limit is None else None,
        connections=connections or None,
        constant_rate_per_second=exactly(limit) if limit else None,
        seconds=_seconds(section, introduction, maximum),
        requests=exactly(sum(map(as_count, codes.values()))) if "others" in codes else None,  # else it was cut off
        rate_per_second=None if rates is None else _sampled(as_figure(rates[1]), as_figure(rates[2])),
        times=RunTimes(
            mean=None if latency is None else duration(latency[1]),
            maximum=maximum,
            percentiles={share: duration(value) for share, value in shares},
        ),
        failures=_failures({code: as_count(answers) for code, answers in codes.items()}),
    )


def _seconds(section: Section, introduction: re.Match[str] | None, longest: Figure | None) -> Figure | None:
    """The planned time and at most the longest answer; or what the bar of progress showed at its end."""
    if introduction is not None and introduction[2] and longest is not None:
        return Figure(value=duration(introduction[2]).value, within=longest.high)
    at_the_end = section.group(rf"100\.00%(?: \S{{1,20}}/s)? ({DURATION})$")
    return None if at_the_end is None else Figure(value=duration(at_the_end).value, within=CUT_SECONDS)


def read_json(document: Any) -> list[PrintedRun]:
    """The document of bombardier; none if it is another tool's."""
    result = document.get("result") if isinstance(document, dict) else None
    if not isinstance(result, dict) or "spec" not in document or not {"timeTakenSeconds", "req2xx"} <= result.keys():
        return []
    spec, latency, rps = document["spec"], result.get("latency", {}), result.get("rps", {})
    codes = {code: int(result[f"req{code}"]) for code in ("1xx", "2xx", "3xx", "4xx", "5xx")}
    codes["others"] = int(result["others"])
    requests = exactly(sum(codes.values()))
    rate, deviation, read_bytes = number(rps.get("mean")), number(rps.get("stddev")), number(result.get("bytesRead"))
    limit, connections = number(spec.get("rate")), spec.get("numberOfConnections")
    return [
        PrintedRun(
            url=str(spec.get("url")),
            load="closed" if limit is None else None,
            connections=int(connections) if connections else None,
            constant_rate_per_second=limit,
            seconds=number(result["timeTakenSeconds"]),
            requests=requests,
            rate_per_second=None if rate is None or deviation is None else _sampled(rate, deviation),
            times=RunTimes.of(
                {field: number(latency.get(key), MICROSECOND) for key, field in FIELDS.items()},
                {share: number(value, MICROSECOND) for share, value in latency.get("percentiles", {}).items()},
            ),
            failures=_failures(codes),
            answer_bytes=None if read_bytes is None else read_bytes.over(requests),
        )
    ]


def _failures(codes: Mapping[str, int]) -> dict[str, int]:
    """Failures by kind. Those without an answer have a time all the same."""
    kinds = {"4xx": "status 4xx", "5xx": "status 5xx", "others": "no answer"}
    return {kind: codes[code] for code, kind in kinds.items() if codes.get(code)}


def _sampled(rate: Figure, deviation: Figure) -> Figure:
    """A mean over samples that lasted for different times: it differs from the rate by at most their deviation, if
    that of the lengths of the samples is no more than their mean (by Cauchy's and Schwarz's inequality)."""
    return Figure(value=rate.value, within=rate.within + deviation.high)


FORMAT = Format(
    name="bombardier",
    anchor=r"^Statistics\s+Avg\s+Stdev\s+Max$",
    heads=(r"^Bombarding \S",),
    tails=(r"^Reqs/sec\s", r"^HTTP codes:"),
    read=read,
    read_json=read_json,
    in_json=r'"(?:numberOfConnections|timeTakenSeconds)"\s*:',
    always=BUT_SECONDS,
    beside=("seconds",),
)
