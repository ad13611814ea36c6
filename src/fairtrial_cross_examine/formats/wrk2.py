"""wrk2: text, as wrk prints it, with a histogram. By its source, `src/wrk.c` of giltene/wrk2.

Its load is a constant rate (`-R`), which it does not print: only the call tells it. Latencies count from the moment at
which a request was due; with `--u_latency` it prints a second histogram, of those from the moment at which it was sent,
which are not read. Latencies of the first seconds, its calibration, are thrown away, so that the histogram has fewer of
them (`Total count`) than there were requests. Its time-outs count connections, each as often as it is looked at, and
idle ones, too: they are no requests, and are not read.
"""

import re
from dataclasses import replace

from fairtrial_cross_examine.figures import MILLISECOND, NUMBER, as_count, as_figure
from fairtrial_cross_examine.formats import wrk
from fairtrial_cross_examine.formats.model import Section
from fairtrial_cross_examine.model import PrintedRun

UNCORRECTED = re.compile(
    r"^Latency Distribution \(HdrHistogram - Uncorrected.*?(?=^-{20}|^Latency Distribution|^\d[\d,]* requests in |\Z)",
    re.MULTILINE | re.DOTALL,
)


def read(section: Section) -> PrintedRun:
    """One report of wrk2."""
    section = replace(section, text=UNCORRECTED.sub("", section.text))
    run = wrk.read(section)
    sample = section.group(rf"Total count\s+=\s+({NUMBER})")
    precise = section.find(rf"^#?\[Mean\s+=\s+({NUMBER}), StdDeviation\s+=\s+({NUMBER})")
    more: dict[str, object] = {"sample": None if sample is None else as_count(sample)}
    if precise is not None:
        more |= {"mean": as_figure(precise[1], MILLISECOND), "deviation": as_figure(precise[2], MILLISECOND)}
    return run.model_copy(
        update={
            "load": "open",
            "times": run.times.model_copy(update=more),
            "unanswered": {kind: number for kind, number in run.unanswered.items() if kind != "timeout"},
        }
    )


FORMAT = replace(
    wrk.FORMAT,
    name="wrk2",
    marks=r"Thread calibration:|HdrHistogram - |^Thread Stats\s+Avg\s+Stdev\s+99%|^Test Results @|^Req/Sec\s+-?nan\s",
    read=read,
    always=("requests", "seconds", "rate", "mean"),  # the maximum is not in all versions
    calls=("wrk2", "wrk"),  # after its build its program is named `wrk`
)
