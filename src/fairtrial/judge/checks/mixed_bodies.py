from collections.abc import Iterator

from fairtrial.base.printable import printable
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, finding
from fairtrial.record.engine_summary import EngineSummary


@check(
    "mixed-bodies",
    looks_at="right answers with status 304 or 206 (RFC 9110, sections 15.4.5 and 15.3.7), request by request, beside "
    "right answers with a whole body",
    remedy="expect one status of each request: without 304 and 206 in `expect.status`, such answers are errors; send "
    "conditions and ranges in requests of their own",
    of_loads=True,
)
def mixed_bodies(engine: EngineSummary) -> Iterator[Finding]:
    """Right answers to one request of which some have a whole body, and others none or a part of one.

    A warning: goodput counts them alike, and they are not the same work.
    """
    for share in engine.mix:
        without, parts = share.not_modified or 0, share.partial or 0
        kinds = {"had no body (304)": without, "had a part of one (206)": parts}
        if without + parts > 0 and max(without, parts) < share.verified:
            counted = " and ".join(f"{number:,} {kind}" for kind, number in kinds.items() if number)
            evidence = f"of {share.verified:,} right answers to {printable(share.name)} {counted}"
            yield finding("warning", f"{evidence}: less work than a whole body, and counted as goodput")
