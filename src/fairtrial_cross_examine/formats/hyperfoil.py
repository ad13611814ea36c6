"""wrk and wrk2 as Hyperfoil has them: text, as wrk prints it, but for a percentage without its sign.

Which of the two it was is not printed: only the call tells whether it kept a rate, with latencies from the moment at
which a request was due. Latencies are not corrected.
"""

from dataclasses import replace

from fairtrial_cross_examine.formats import wrk
from fairtrial_cross_examine.formats.model import Section
from fairtrial_cross_examine.model import PrintedRun


def read(section: Section) -> PrintedRun:
    """One report."""
    run = wrk.read(section)
    return run if section.command.is_given else run.model_copy(update={"load": None})


FORMAT = replace(
    wrk.FORMAT,
    name="hyperfoil",
    marks=r"^Req/Sec(?:\s+\d[\d.]{0,18}[kMG]?){3}\s+\d[\d.]{0,18}$",
    read=read,
    calls=("wrk", "wrk2"),
)
