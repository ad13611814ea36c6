"""nginx as a server of TLS and HTTP/2, which counts the requests that it answers."""

import re
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

from fairtrial.base.loopback import LOOPBACK, free_port, listens
from fairtrial.lab.placement import bound_to

CERTIFICATES = Path(__file__).resolve().parent.parent / "tests/tools/load/certificates"
STARTS_WITHIN_SECONDS = 20.0


class Nginx:
    """nginx on a processor of its own: by default, `ok` for every request.

    Over TLS 1.3, without tickets, by HTTP/1.1 or HTTP/2, as the client asks by ALPN; without TLS by HTTP/2 alone, or
    without `http2` by HTTP/1.1 alone. `answer`: of its location; `more`: of its configuration.
    """

    def __init__(
        self,
        cpu: int,
        folder: Path,
        *,
        tls: bool = True,
        http2: bool = True,
        answer: str = "return 200 'ok';",
        more: str = "",
        requests_per_connection: int = 1_000_000_000,
    ) -> None:
        self._port, self._status_port = free_port(), free_port()
        tls_keys = (
            f"ssl_certificate {CERTIFICATES}/server.pem; ssl_certificate_key {CERTIFICATES}/server.key; "
            "ssl_protocols TLSv1.3; ssl_session_tickets off;"
        )
        temporary = "".join(
            f"  {name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        protocols = f"{'ssl ' if tls else ''}{'http2' if http2 else ''}"
        (folder / "nginx.conf").write_text(
            f"daemon off; master_process off; pid {folder}/pid;\n"
            "events { worker_connections 4096; }\n"
            f"http {{\n  access_log off; keepalive_requests {requests_per_connection};\n{temporary}"
            f"  {tls_keys if tls else ''}\n  {more}\n"
            f"  server {{ listen {LOOPBACK}:{self._port} {protocols}; location / {{ {answer} }} }}\n"
            f"  server {{ listen {LOOPBACK}:{self._status_port}; stub_status; }}\n}}\n"
        )
        command = ["nginx", "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
        with bound_to([cpu]):
            self._process = subprocess.Popen(command)
        self.pid = self._process.pid
        patience = time.monotonic() + STARTS_WITHIN_SECONDS
        while not (listens(self._port) and listens(self._status_port)):
            if time.monotonic() > patience or self._process.poll() is not None:
                self._process.kill()
                raise RuntimeError(f"nginx does not listen: {(folder / 'error.log').read_text()}")
            time.sleep(0.02)
        self._served_before = self._requests()

    @staticmethod
    def is_installed() -> bool:
        """Whether it is on PATH."""
        return shutil.which("nginx") is not None

    @property
    def address(self) -> str:
        """Host and port."""
        return f"{LOOPBACK}:{self._port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait()

    def served(self) -> int:
        """Answered requests, without those that asked for this number."""
        return self._requests() - self._served_before - 1

    def _requests(self) -> int:
        with urllib.request.urlopen(f"http://{LOOPBACK}:{self._status_port}/", timeout=10) as answer:
            text = answer.read(4096).decode()
        counts = re.search(r"^ \d+ \d+ (\d+)", text, re.MULTILINE)
        if counts is None:
            raise RuntimeError(f"nginx states no requests: {text!r}")
        return int(counts.group(1))
