"""nginx: one worker, keep-alive to both sides, no logs of requests, no buffering to disk."""

import re
import shutil
import subprocess
from collections.abc import Sequence

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.balancers.model import Balancer
from fairtrial.catalog.services.model import Missing

PROGRAM = "nginx"
CONFIGURATION = """
daemon off;
master_process on;
worker_processes 1;
pid nginx.pid;
error_log stderr error;
events {{ worker_connections 8192; }}
http {{
    access_log off;
    client_body_temp_path client;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    keepalive_requests 1000000;
    proxy_max_temp_file_size 0;
    upstream stack {{
{backends}
        keepalive 256;
        keepalive_requests 1000000;
    }}
    server {{
        listen {host}:{port} backlog=4096;
        location / {{
            proxy_pass http://stack;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $host;
        }}
    }}
}}
"""


def configuration(port: int, backends: Sequence[int], host: str = LOOPBACK, backends_host: str = LOOPBACK) -> str:
    """The text of the file: round robin over the backends' ports."""
    servers = "\n".join(f"        server {backends_host}:{backend} max_fails=0;" for backend in backends)
    return CONFIGURATION.format(host=host, port=port, backends=servers)


def command(file: str) -> list[str]:
    """The command that runs nginx in the foreground with this file, and with nothing of the system's."""
    return [PROGRAM, "-p", "./", "-e", "stderr", "-c", file]


def missing() -> Missing | None:
    """None if it is on the PATH."""
    if shutil.which(PROGRAM):
        return None
    return Missing("there is no nginx on the PATH", ["nginx-light"], "fairtrial services install nginx")


def version() -> str | None:
    """Its name and version, in its own words; None if it is not installed."""
    if missing():
        return None
    output = subprocess.run([PROGRAM, "-v"], capture_output=True, text=True, check=False, timeout=10).stderr
    version = re.search(r"nginx/\S+", output)
    return version.group() if version else None


BALANCER = Balancer("nginx", "nginx", configuration, command, missing, version)
