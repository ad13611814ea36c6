"""nginx: one worker, keep-alive to both sides, no logs of requests, nothing buffered to disk, nothing of the system."""

from fairtrial.catalog.balancers.model import Balancer

BALANCER = Balancer(
    name="nginx",
    title="nginx",
    template="nginx.conf",
    backend="        server {address} max_fails=0;",
    options=("-p", "./", "-e", "stderr", "-c"),
    package="nginx-light",
    version_pattern=r"nginx/\S+",
)
