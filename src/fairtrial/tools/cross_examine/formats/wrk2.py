"""wrk2: text, as wrk prints it, with a histogram. By its source, `src/wrk.c` of giltene/wrk2.

Its load is a constant rate (`-R`), which it does not print: only the call tells it. Latencies count from the moment at
which a request was due. Latencies of the first seconds, its calibration, are thrown away, so that the histogram has
fewer of them (`Total count`) than there were requests.
"""

from fairtrial.tools.cross_examine.figures import NUMBER, count, exactly, figure
from fairtrial.tools.cross_examine.formats import wrk
from fairtrial.tools.cross_examine.formats.model import Format, Section
from fairtrial.tools.cross_examine.model import PrintedRun

MILLISECOND = 1e-3


def read(section: Section) -> PrintedRun | None:
    """One report of wrk2."""
    run = wrk.read(section)
    if run is None:
        return None
    sample = section.group(rf"Total count\s+=\s+({NUMBER})")
    constant_rate = None if section.command is None else section.command.number("-R", "--rate")
    precise = section.find(rf"^#\[Mean\s+=\s+({NUMBER}), StdDeviation\s+=\s+({NUMBER})")
    more: dict[str, object] = {
        "percentiles": {share: value for share, value in run.times.percentiles.items() if float(share) < 100},
        "sample": None if sample is None else count(sample),
    }
    if precise is not None:
        more |= {"mean": figure(precise[1], MILLISECOND), "deviation": figure(precise[2], MILLISECOND)}
    return run.model_copy(
        update={
            "tool": "wrk2",
            "load": "open",
            "times": run.times.model_copy(update=more),
            "constant_rate_per_second": None if constant_rate is None else exactly(constant_rate),
        }
    )


FORMAT = Format(
    name="wrk2", anchor=wrk.ANCHOR, recognises=lambda text: wrk.WRK2.search(text) is not None, read=read
)
