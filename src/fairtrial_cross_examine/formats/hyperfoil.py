"""wrk and wrk2 as Hyperfoil has them: text, as wrk prints it, but for a percentage without its sign.

Which of the two it was is not printed: only the call tells whether it kept a rate, with latencies from the moment at
which a request was due. Latencies are not corrected.
"""

import re

from fairtrial_cross_examine.formats import wrk
from fairtrial_cross_examine.formats.model import Format, Section
from fairtrial_cross_examine.model import PrintedRun

ROW = re.compile(r"^Req/Sec(?:\s+\d[\d.]{0,18}[kMG]?){3}\s+\d[\d.]{0,18}$", re.MULTILINE)


def read(section: Section) -> PrintedRun | None:
    """One report."""
    run = wrk.read(section)
    load = None if run is None or section.command is None else run.load
    return None if run is None else run.model_copy(update={"load": load})


FORMAT = Format(
    name="hyperfoil",
    anchor=wrk.ANCHOR,
    heads=wrk.HEADS,
    tails=wrk.TAILS,
    recognises=lambda text: ROW.search(text) is not None,
    read=read,
    calls=("wrk", "wrk2"),
)
