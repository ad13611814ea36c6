"""Diagnoses of a cluster: roles, versions, quietness, clocks and links, each with its remedy."""

from collections.abc import Iterator, Mapping, Sequence

from fairtrial.base.formatting import count, plain_in
from fairtrial.base.printable import printable
from fairtrial.base.registry import did_you_mean
from fairtrial.base.units import UNITS
from fairtrial.cluster.facts import Facts
from fairtrial.cluster.fitness import VERSIONS_REMEDY, comparable, version_differences
from fairtrial.cluster.roles import REQUIRED_ROLES, ROLES
from fairtrial.cluster.settings import SETTINGS_REMEDY, differing
from fairtrial.tools.cluster.examine import ExaminedHost, Link
from fairtrial.tools.doctor.model import Diagnosis

IDLE_SHARE = 0.001
"""Of one processor. A server that has one to itself loses at most a thousandth of its goodput to it."""

CLOCK_STEP_SECONDS = 0.128
"""RFC 5905, STEPT: NTP steps a clock that is further off, instead of slewing it; a step may fall into a trial."""


def diagnose_cluster(
    here: Facts,
    scheduler: Facts,
    hosts: Sequence[ExaminedHost],
    links: Sequence[Link],
    *,
    unknown: Mapping[str, Facts],
    encrypted: bool,
) -> Iterator[Diagnosis]:
    """One diagnosis for each property of the cluster that bears on trials; those of hosts only where one is at fault.

    Args:
        here: of this process.
        scheduler: of the scheduler's, with its settings.
        unknown: of workers with another Fairtrial, which could not be examined, by their addresses.
    """
    yield from _roles(hosts)
    yield from _names(hosts)
    yield _machines(hosts)
    examined = {host.address: host.facts for host in hosts}
    yield from _versions(here, {"the scheduler": scheduler, **unknown, **examined})
    yield _once(scheduler)
    yield from _nannies(hosts)
    yield from _idle(hosts, scheduler)
    yield from _clocks(hosts)
    yield from _links(links)
    yield _encryption(encrypted)


def _roles(hosts: Sequence[ExaminedHost]) -> Iterator[Diagnosis]:
    for role, runs in ROLES.items():
        having = sum(role in host.roles for host in hosts)
        if having:
            yield Diagnosis(f"role {role}", "good", f"{count(having, 'worker')}: {runs}")
        elif role in REQUIRED_ROLES:
            yield Diagnosis(
                f"role {role}",
                "missing",
                f"no worker has it: {runs}",
                f"start a worker on a host for it with --resources {role}=1",
                essential=True,
            )
        else:
            yield Diagnosis(f"role {role}", "good", "no host of its own: on the server's")


def _names(hosts: Sequence[ExaminedHost]) -> Iterator[Diagnosis]:
    for host in hosts:
        for name in host.resources:
            if name not in ROLES:
                yield Diagnosis(
                    _where(host),
                    "poor",
                    f"its resource {printable(name, 40)} is no role{did_you_mean(name, list(ROLES))}",
                    f"roles are {', '.join(ROLES)}: --resources server=1",
                )
        if not host.resources:
            yield Diagnosis(
                _where(host), "poor", "it has no role, so nothing runs on it", "start it with --resources load=1"
            )


def _machines(hosts: Sequence[ExaminedHost]) -> Diagnosis:
    """Whether a server shares a machine with load: then it is no better than one machine."""
    servers = {host.facts.boot_id for host in hosts if "server" in host.roles}
    loads = {host.facts.boot_id for host in hosts if "load" in host.roles}
    machines = len({host.facts.boot_id for host in hosts})
    observation = f"{count(len(hosts), 'worker')} on {count(machines, 'machine')}"
    if servers & loads:
        return Diagnosis(
            "machines",
            "poor",
            f"{observation}; load and server share one, with its memory and caches",
            "start the workers for load on a machine of their own",
        )
    return Diagnosis("machines", "good", observation)


def _versions(here: Facts, others: Mapping[str, Facts]) -> Iterator[Diagnosis]:
    unfit = False
    for where, facts in others.items():
        differences = version_differences(here, facts)
        if differences:
            unfit = True
            yield Diagnosis(
                where,
                "missing",
                f"other versions: {'; '.join(differences)}",
                VERSIONS_REMEDY,
                essential=True,
            )
    if not unfit:
        yield Diagnosis("versions", "good", ", ".join(f"{name} {value}" for name, value in comparable(here).items()))


def _once(scheduler: Facts) -> Diagnosis:
    keys = differing(scheduler.settings, "scheduler", "once")
    if keys:
        return Diagnosis(
            "side effects",
            "missing",
            f"the scheduler may do again elsewhere what a lost worker did: {', '.join(keys)}",
            SETTINGS_REMEDY,
            essential=True,
        )
    return Diagnosis("side effects", "good", "once: no retries, no stealing, no copies")


def _nannies(hosts: Sequence[ExaminedHost]) -> Iterator[Diagnosis]:
    for host in hosts:
        if host.nanny:
            yield Diagnosis(
                _where(host), "poor", "a nanny starts it again when it was lost", "start it with --no-nanny"
            )


def _idle(hosts: Sequence[ExaminedHost], scheduler: Facts) -> Iterator[Diagnosis]:
    loud = [host for host in hosts if host.idle_share > IDLE_SHARE]
    for host in loud:
        keys = [
            *differing(host.facts.settings, "workers", "quiet"),
            *differing(scheduler.settings, "scheduler", "quiet"),
        ]
        yield Diagnosis(
            _where(host),
            "poor",
            f"idle, its worker uses {_percent(host.idle_share)} of a processor; trials want "
            f"{_percent(IDLE_SHARE)} at most" + (f". Set otherwise: {', '.join(keys)}" if keys else ""),
            SETTINGS_REMEDY if keys else "end what else uses that worker, and check again",
        )
    if hosts and not loud:
        most = max(host.idle_share for host in hosts)
        yield Diagnosis("idle workers", "good", f"{_percent(most)} of a processor at most")


def _clocks(hosts: Sequence[ExaminedHost]) -> Iterator[Diagnosis]:
    for host in hosts:
        surely = abs(host.clock.ahead_seconds) - host.clock.error_seconds
        if surely > CLOCK_STEP_SECONDS:
            yield Diagnosis(
                _where(host),
                "poor",
                f"its clock is {plain_in(host.clock.ahead_seconds, UNITS['s'])} ahead of this one",
                "run an NTP client there and here (chrony, systemd-timesyncd), and wait until it has stepped",
            )


def _links(links: Sequence[Link]) -> Iterator[Diagnosis]:
    for link in links:
        if link.round_trip_seconds is None:
            yield Diagnosis(
                f"{_where(link.source)} to {_where(link.target)}",
                "missing",
                f"no connection: {printable(link.reason, 100)}",
                "let hosts of a cluster reach each other on all ports: trials use free ones",
                essential=True,
            )


def _encryption(encrypted: bool) -> Diagnosis:
    if encrypted:
        return Diagnosis("encryption", "good", "TLS")
    return Diagnosis(
        "encryption",
        "poor",
        "none: whoever can reach the scheduler or a worker runs programs there",
        "set the cluster up with TLS, unless nobody else is on its network or machine",
    )


def _where(host: ExaminedHost) -> str:
    return host.address


def _percent(share: float) -> str:
    return plain_in(share, UNITS["%"])
