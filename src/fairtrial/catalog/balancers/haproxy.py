"""haproxy: one thread, keep-alive to both sides, connections to servers shared between requests."""

from fairtrial.catalog.balancers.model import Balancer

BALANCER = Balancer(
    name="haproxy",
    title="HAProxy",
    template="haproxy.cfg",
    backend="    server stack{number} {address}",
    options=("-db", "-f"),
    package="haproxy",
    version_pattern=r"HAProxy version \S+",
)
