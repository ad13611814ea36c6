"""From a URL to the engine's plan."""

import ipaddress
import socket
from urllib.parse import urlsplit

from fairtrial.engine.plan import EngineLoad, EnginePlan, Request, StopAfterRequests, StopAfterSeconds
from fairtrial.placement.cpus import local_placement
from fairtrial.printable import printable
from fairtrial.problem import Problem

REMEDY = "write http://HOST[:PORT]/PATH"


def plan_for(url: str, *, connections: int, requests: int | None, seconds: float) -> EnginePlan:
    """A closed load on one URL; ends after `requests`, or after `seconds` where that is None.

    Raises:
        Problem: the URL is not one that the engine can request, or its host has no address.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or 80
    except ValueError as error:
        raise Problem(f"{printable(url)}: {error}", REMEDY) from error
    if parts.scheme != "http" or not parts.hostname:
        why = "TLS is not supported yet" if parts.scheme == "https" else "not an http URL"
        raise Problem(f"{printable(url)}: {why}", REMEDY)
    if parts.username or parts.password:
        raise Problem("a URL with credentials is not taken", "leave them out of the URL")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not target.isascii() or not target.isprintable() or " " in target:
        raise Problem(f"{printable(url)}: the path holds characters that a request line cannot", "percent-encode them")
    placement = local_placement()
    return EnginePlan(
        address=_address(parts.hostname, port),
        host=parts.netloc,
        requests=[Request(name=target, path=target)],
        load=EngineLoad(connections=connections),
        stop=StopAfterRequests(requests=requests) if requests else StopAfterSeconds(seconds=seconds),
        threads=min(len(placement.load_cpus), connections),
        cpus=placement.load_cpus,
    )


def _address(host: str, port: int) -> str:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise Problem(f"{printable(host)}: no address found: {error.strerror}", "check the host's name") from error
    ip = str(found[0][4][0])
    return f"[{ip}]:{port}" if ipaddress.ip_address(ip.partition("%")[0]).version == 6 else f"{ip}:{port}"
