"""The workers of python-flask's variants, seen from outside: gunicorn takes others than it was told without a word."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import psutil

from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.folder import ready
from fairtrial.catalog.stacks.requests import BuildRequest, StartRequest
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.catalog.stacks.run import start_process
from fairtrial.engine.process_tree import processes_below
from tests.machine.needs import needs

STACK = find_stacks()["python-flask"]

AT_ONCE = 24
"""More than the threads of their own that gevent's fibers take to look up addresses: ten at most."""

PROCESSES = 3


class Upstream:
    """A server that answers nobody until it is told to."""

    def __init__(self) -> None:
        self._waiting, self._may_answer = 0, False
        self._changed = threading.Condition()

    def hold(self) -> None:
        """Wait as one of those that are not answered yet."""
        with self._changed:
            self._waiting += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._may_answer, timeout=30)

    def await_waiting(self, count: int) -> None:
        """Return once so many wait."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._waiting >= count, timeout=9), f"{self._waiting} wait"

    def answer(self) -> None:
        """Answer all, and whoever comes."""
        with self._changed:
            self._may_answer = True
            self._changed.notify_all()


@contextmanager
def upstream() -> Iterator[tuple[str, Upstream]]:
    """The URL of an upstream, and its controls."""
    controls = Upstream()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            controls.hold()
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Not every request."""

    class Server(ThreadingHTTPServer):
        request_queue_size = AT_ONCE

    with Server(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{running.server_address[1]}/", controls
        finally:
            controls.answer()
            running.shutdown()
            thread.join()


def threads_of_workers(variant: str, concurrency: int, tmp_path: Path) -> list[int]:
    """How many kernel threads each process of gunicorn has while so many requests wait for the upstream."""
    built = ready(BuildRequest(STACK, tmp_path / "log", lambda: None, versions=installed_versions(STACK))).folder
    most = str(concurrency)
    settings = {"WEB_CONCURRENCY": "1", "MAX_CONCURRENCY": most, "MAX_THREADS": most, "UPSTREAM_POOL": most}
    with upstream() as (url, controls):
        running = start_process(
            StartRequest(
                STACK,
                STACK.variants[variant],
                built,
                settings={**settings, "UPSTREAM_URL": url},
                cpus=[],
                log=tmp_path / "log",
            )
        )
        try:
            with ThreadPoolExecutor(concurrency) as pool:
                asked = [
                    pool.submit(httpx.get, f"{running.url}/fan-out", trust_env=False, timeout=20)
                    for _ in range(concurrency)
                ]
                try:
                    controls.await_waiting(concurrency)
                    threads = [
                        process.num_threads()
                        for process in processes_below(running.process.pid)
                        if "gunicorn" in process.cmdline() and _is_worker(process)
                    ]
                finally:
                    controls.answer()
                assert [answer.result().status_code for answer in asked] == [200] * concurrency
        finally:
            running.process.stop()
    return threads


def _is_worker(process: psutil.Process) -> bool:
    parent = process.parent()
    return parent is not None and "gunicorn" in parent.cmdline()


def test_the_default_serves_each_request_in_a_thread(cache: Path, tmp_path: Path) -> None:
    (threads,) = threads_of_workers("default", AT_ONCE, tmp_path)
    assert threads >= AT_ONCE


@needs("nginx")
def test_sync_serves_each_request_in_a_process(cache: Path, tmp_path: Path) -> None:
    """Told of more threads than one, gunicorn would run its threaded worker for it."""
    assert threads_of_workers("sync", PROCESSES, tmp_path) == [1] * PROCESSES


def test_gevent_serves_each_request_in_a_fiber(cache: Path, tmp_path: Path) -> None:
    (threads,) = threads_of_workers("gevent", AT_ONCE, tmp_path)
    assert threads < AT_ONCE
