"""The page of a claim: then and now, over machines, its other results, and its badge."""

from collections.abc import Sequence

from fairtrial.base.printable import printable
from fairtrial.judge.model import ClaimResult
from fairtrial.report.charts import verdict_chart
from fairtrial.report.markdown import claim_in_words
from fairtrial_docket.entries import ClaimEntry
from fairtrial_docket.pages.over_machines import machines_chart, over_machines
from fairtrial_docket.pools import Pool
from fairtrial_docket.site import Site

LETTER_PIXELS = 6.2
"""Of Verdana at 11 pixels, on average; `textLength` fits the text to its place."""


def write_claim(site: Site, entry: ClaimEntry, others: Sequence[ClaimEntry], pool: Pool | None) -> None:
    """Write it with its badge. `others` are results of a claim of the same name and text, this one among them."""
    over = None if pool is None else over_machines(pool, entry.claim)
    charts = {"verdict": verdict_chart(entry.claim)}
    charts["machines"] = None if over is None else machines_chart(over, entry.claim)
    site.page(
        entry.page,
        "claim.html.j2",
        {name: chart for name, chart in charts.items() if chart is not None},
        entry=entry,
        over=over,
        others=[] if over is not None and over.rows == len(others) else others,
        then=then,
        now=now,
    )
    right = " ".join([entry.claim.verdict, *([] if entry.claim.estimate is None else [now(entry.claim)])])
    site.page(entry.badge, "badge.svg.j2", left="fairtrial", right=printable(right, 60), letter=LETTER_PIXELS,
              verdict=entry.claim.verdict)  # fmt: skip


def then(claim: ClaimResult) -> str:
    """The published figure, in words."""
    return printable(claim_in_words(claim).published)


def now(claim: ClaimResult) -> str:
    """The measured figure, with its interval."""
    return "no figure" if claim.estimate is None else claim_in_words(claim).measured
