"""The tables of `fairtrial cluster check`: hosts, links between roles, diagnoses, and a conclusion."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairtrial.base.exit_status import ALL_WELL, NOTHING_RAN
from fairtrial.base.formatting import count, figure, figure_in
from fairtrial.base.printable import printable
from fairtrial.base.units import UNITS
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.facts import facts
from fairtrial.cluster.fitness import facts_of
from fairtrial.cluster.roles import link_pairs
from fairtrial.tools.cluster.diagnose import diagnose_cluster
from fairtrial.tools.cluster.examine import ExaminedHost, Link, examine_hosts, measure_links
from fairtrial.tools.doctor.examine import diagnosis_table

MOST_LINKS = 40
"""About half a second each."""


def check_cluster(console: Console, cluster: Cluster, idle_seconds: float) -> int:
    """Examine a cluster, print what was found, and return the exit status.

    Returns:
        `NOTHING_RAN` if something essential is missing, else `ALL_WELL`.
    """
    with console.status(f"watching idle workers for {idle_seconds:g} s"):
        workers = {address: facts_of(cluster, address) for address in cluster.workers()}
        alike = {address: its for address, its in workers.items() if its.is_known}
        hosts = examine_hosts(cluster, alike, idle_seconds)
    pairs = link_pairs(hosts)
    with console.status(f"measuring {count(len(pairs[:MOST_LINKS]), 'link')} between roles"):
        links = list(measure_links(cluster, pairs[:MOST_LINKS]))
    encrypted = all(address.startswith("tls://") for address in [cluster.address, *(host.address for host in hosts)])
    unknown = {address: its for address, its in workers.items() if address not in alike}
    diagnoses = list(
        diagnose_cluster(facts(), facts_of(cluster, None), hosts, links, unknown=unknown, encrypted=encrypted)
    )
    console.print(_host_table(hosts))
    if links:
        console.print(_link_table(links))
    if len(links) < len(pairs):
        console.print(Text(f"{count(len(pairs) - len(links), 'further link')} between roles not measured."))
    console.print(diagnosis_table(diagnoses))
    unfit = any(each.essential and each.health == "missing" for each in diagnoses)
    conclusion = "This cluster is unfit for trials." if unfit else "This cluster is fit for trials."
    console.print(Text(conclusion, style="bold red" if unfit else "bold green"))
    return NOTHING_RAN if unfit else ALL_WELL


def _host_table(hosts: Sequence[ExaminedHost]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("worker", "host", "roles"):
        table.add_column(title)
    for title in ("processors", "Python", "idle worker", "clock ahead"):
        table.add_column(title, justify="right")
    for host in hosts:
        clock = host.clock
        table.add_row(
            Text(printable(host.address, 60)),
            Text(printable(host.facts.host, 40)),
            ", ".join(host.roles) or "none",
            str(len(host.facts.cpus)),
            Text(printable(host.facts.python, 20)),
            figure_in(host.idle_share, UNITS["%"]),
            f"{figure(clock.ahead_seconds * 1e3)} ± {figure_in(clock.error_seconds, UNITS['ms'])}",
        )
    return table


def _link_table(links: Sequence[Link]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("from")
    table.add_column("to")
    table.add_column("round trip", justify="right")
    table.add_column("bandwidth", justify="right")
    for link in links:
        failed = link.round_trip_seconds is None or link.bytes_per_second is None
        table.add_row(
            _end(link.source),
            _end(link.target),
            "none" if failed else figure_in(link.round_trip_seconds or 0, UNITS["ms"]),
            "none" if failed else f"{figure((link.bytes_per_second or 0) * 8 / 1e9)} Gbit/s",
        )
    return table


def _end(host: ExaminedHost) -> Text:
    return Text(f"{', '.join(host.roles)} at {printable(host.address, 60)}")
