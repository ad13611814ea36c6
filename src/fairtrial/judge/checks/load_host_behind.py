from collections.abc import Iterator, Sequence

from fairtrial.base.printable import printable
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.record.load_hosts import LoadHostAccount


@check(
    "load-host-behind",
    looks_at="answers of each load host for its part of the load: its connections, or the requests that were "
    "due in an open load",
    remedy="use load hosts that are alike and equally far from the server; see what else runs there, and on its link",
    lacking=Threshold(
        0.05,
        "share of the load",
        "what is missing beside hosts that are all as good as the best: the size of the differences that claims are "
        "about",
    ),
    least=Threshold(
        0.5,
        "share of what the best host had",
        "below half, most of what the host was to offer was not",
    ),
)
def load_host_behind(load_hosts: list[LoadHostAccount], *, lacking: float, least: float) -> Iterator[Finding]:
    """A load host that did less than its share of a load that several offered: the figure is then rather the others'.

    At most one finding for each trial.
    """
    shares = shares_of(load_hosts)
    if not shares:
        return
    behind = min(shares, key=lambda worker: shares[worker])
    missing = 1 - sum(shares.values()) / len(shares)
    refused = shares[behind] < least
    if refused or missing >= lacking:
        yield finding(
            "refusal" if refused else "warning",
            f"the load host {printable(behind, 60)} had {shares[behind]:.0%} of the answers that the best of "
            f"{len(shares)} had for as much of the load: {missing:.0%} of the load is missing beside that of hosts "
            "that are all as good",
        )


def shares_of(hosts: Sequence[LoadHostAccount]) -> dict[str, float]:
    """By worker, a host's answers for its part of the load, over those of the best host: 1 for that one.

    Its part is the requests that were due there in an open load, whose arrivals are divided evenly, and else its
    connections. Empty where nothing can be compared.
    """
    open_load = any(host.is_open for host in hosts)
    parts = {host.worker: host.offered if open_load else host.connections for host in hosts}
    if len(hosts) < 2 or not all(parts.values()):
        return {}
    rates = {host.worker: host.answers / parts[host.worker] for host in hosts}
    best = max(rates.values())
    return {worker: rate / best for worker, rate in rates.items()} if best > 0 else {}
