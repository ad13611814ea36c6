"""The connection to a running Dask cluster: refused where others could listen in, silent where Dask would log.

Nothing is pickled but names of Python's own and plain values: a function that a worker cannot import ends that worker,
and one that another version of Python has compiled can hang it. What runs there is sent as source text.
"""

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from ipaddress import ip_address
from operator import methodcaller
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

CONNECT_WITHIN_SECONDS = 10.0
ANSWER_WITHIN_SECONDS = 30.0
"""A worker answers within milliseconds. One that is stopped, or whose link is down, never does."""
READY_WITHIN_SECONDS = 900.0
"""The first use of the engine on a host builds it, which takes minutes."""
LOOK_EVERY_SECONDS = 1.0

INSTALL = "pip install 'fairtrial[cluster]'; in a checkout: make set-up"
CALL = "(exec(source), globals()[function](**arguments))[1]"
"""Evaluated on the other side, with these names as its globals."""

Program = Literal["engine", "facts", "lab", "link"]
"""A file of `sent/`."""


class Cluster:
    """A connected cluster.

    Args:
        client: a `distributed.Client`.
        address: of its scheduler.
    """

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self.address = address

    def workers(self) -> dict[str, Mapping[str, Any]]:
        """What the scheduler knows about each worker, by the worker's address."""
        workers: dict[str, Mapping[str, Any]] = self._client.scheduler_info(n_workers=-1)["workers"]
        return workers

    def call(self, worker: str, program: Program, function: str, **arguments: Any) -> Any:
        """Call a function of a sent program in a worker, and return what it returns: plain values.

        Raises:
            Problem: the worker did not answer in time, or is lost.
            OSError: the function raised it.
        """
        namespace = {"source": _source(program), "function": function, "arguments": arguments}
        return self._answer(worker, eval, CALL, namespace)

    def hold(self, worker: str, program: Program, function: str, **arguments: Any) -> "RemoteObject":
        """Call a function in a worker and leave what it returns there, until it is released or this process ends.

        It is called once: neither again when it fails, nor elsewhere when its worker is lost.
        """
        return RemoteObject(self._client, worker, self._submitted(worker, program, function, arguments))

    def compute(self, worker: str, program: Program, function: str, **arguments: Any) -> Any:
        """Call a function that takes its time in a worker, and return what it returns: plain values.

        Raises:
            Problem: the worker is lost, or needed a quarter of an hour.
        """
        future = self._submitted(worker, program, function, arguments)
        return _result(self._client, worker, future, future, READY_WITHIN_SECONDS)

    def _submitted(self, worker: str, program: Program, function: str, arguments: Mapping[str, Any]) -> Any:
        namespace = {"source": _source(program), "function": function, "arguments": arguments}
        return self._client.submit(eval, CALL, namespace, **_once(worker))

    def subscribe(self, topic: str, on_event: Callable[[], None]) -> None:
        """Have a function called, by another thread, whenever a worker logs an event of this topic."""
        self._client.subscribe_topic(topic, lambda _event: on_event())

    def unsubscribe(self, topic: str) -> None:
        """Call it no more."""
        with suppress(ValueError, OSError):  # with the connection, it ended
            self._client.unsubscribe_topic(topic)

    def clock(self, worker: str) -> float:
        """The worker's wall clock, in seconds since 1970."""
        answer: float = self._answer(worker, time.time)
        return answer

    def monotonic_clock(self, worker: str) -> float:
        """The clock of the worker's host that nobody sets, in seconds since that was started."""
        answer: float = self._answer(worker, time.monotonic)
        return answer

    def call_on_scheduler(self, program: Program, function: str, **arguments: Any) -> Any:
        """The same as `call`, in the scheduler's process."""
        namespace = {"source": _source(program), "function": function, "arguments": arguments}
        with _answer_of(f"the scheduler at {self.address}"):
            return self._client.sync(
                self._client._run_on_scheduler, eval, CALL, namespace, callback_timeout=ANSWER_WITHIN_SECONDS
            )

    def _answer(self, worker: str, function: Any, *arguments: Any) -> Any:
        with _answer_of(f"the worker at {worker}"):
            return self._client.sync(self._answer_while_there, worker, function, arguments)

    async def _answer_while_there(self, worker: str, function: Any, arguments: tuple[Any, ...]) -> Any:
        """What the worker answers. Dask alone would try for half a minute to reach one that is lost."""
        until = time.monotonic() + ANSWER_WITHIN_SECONDS
        answers = asyncio.ensure_future(self._client._run(function, *arguments, workers=[worker]))
        try:
            while (left := until - time.monotonic()) > 0:
                if (await asyncio.wait({answers}, timeout=min(left, LOOK_EVERY_SECONDS)))[0]:
                    return answers.result()[worker]
                if worker not in (await self._client.scheduler.identity(n_workers=-1))["workers"]:
                    raise _worker_lost(worker)
            raise TimeoutError
        finally:
            answers.cancel()


class RemoteObject:
    """An object in a worker, which lives as long as this one, this process and the worker."""

    def __init__(self, client: Any, worker: str, future: Any) -> None:
        self._client, self._worker, self._future = client, worker, future

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method of it, as soon as it is there, and return what it returns: plain values.

        Raises:
            Problem: the worker is lost, or did not answer in time.
        """
        from distributed.client import ClosedClientError  # noqa: PLC0415 an optional part

        try:
            called = self._client.submit(methodcaller(method, *arguments), self._future, **_once(self._worker))
        except ClosedClientError as error:
            raise _worker_lost(self._worker) from error
        return _result(self._client, self._worker, called, self._future, ANSWER_WITHIN_SECONDS)

    def assert_there(self) -> None:
        """Raise a Problem if its worker is lost, or the connection to the scheduler. Nobody is asked."""
        if self._future.status in ("lost", "cancelled", "error") or self._client.status != "running":
            raise _worker_lost(self._worker)

    def release(self) -> None:
        """Let it go. What it holds there ends."""
        _let_go(self._future)


def _result(client: Any, worker: str, future: Any, of: Any, within_seconds: float) -> Any:
    """What a future comes to, as long as what it is asked `of` is there; if not, that is let go."""
    from distributed.client import FutureCancelledError  # noqa: PLC0415 an optional part
    from distributed.scheduler import KilledWorker  # noqa: PLC0415

    until = time.monotonic() + within_seconds
    while time.monotonic() < until:
        try:
            return future.result(timeout=LOOK_EVERY_SECONDS)
        # An answer that comes just as the time is up ends Dask's `sync` with neither a result nor an error
        # (distributed 2026.8.0), and its last line fails. The answer is there: it is asked for again.
        except (TimeoutError, UnboundLocalError):
            if of.status == "lost" or client.status != "running":
                break
        except (FutureCancelledError, KilledWorker, OSError):
            break
    _let_go(of)
    raise _worker_lost(worker)


def _let_go(future: Any) -> None:
    from distributed.client import ClosedClientError  # noqa: PLC0415 an optional part

    with suppress(ClosedClientError, TimeoutError, OSError):  # with the connection, everything was let go
        future.cancel()


def _worker_lost(worker: str) -> Problem:
    return Problem(
        f"the worker at {printable(worker, 60)} is lost, and with it what ran there",
        "see whether its host can be reached; start the worker again, and then run again",
        NOTHING_RAN,
    )


def _once(worker: str) -> dict[str, Any]:
    """How Dask is told to do something in this worker alone, and once."""
    return {"workers": [worker], "allow_other_workers": False, "pure": False, "retries": 0}


@contextmanager
def _answer_of(whom: str) -> Iterator[None]:
    """Within, an answer that does not come is a `Problem`."""
    from distributed.comm.core import CommClosedError  # noqa: PLC0415 an optional part

    try:
        yield
    except (TimeoutError, KeyError, CommClosedError) as error:
        raise Problem(
            f"{printable(whom, 80)} did not answer within {ANSWER_WITHIN_SECONDS:g} s",
            "see whether its process is stopped, and whether its host can be reached; start it again",
            NOTHING_RAN,
        ) from error


@contextmanager
def connected(address: str, *, unencrypted: bool, security: Any = None) -> Iterator[Cluster]:
    """Connect to a scheduler, and disconnect at the end. Nothing on the cluster is stopped.

    Certificates of a cluster with TLS are those of Dask's own configuration (`distributed.comm.tls`).

    Args:
        address: `tls://HOST:PORT` or `tcp://HOST:PORT`.
        unencrypted: whether a connection without TLS may leave this machine.
        security: the `distributed.Security` to connect with, instead of Dask's configuration.

    Raises:
        Problem: `distributed` is not installed; the address is malformed; the connection, or that of a worker, is
            unencrypted and leaves this machine; nobody answers.
    """
    try:
        import distributed  # noqa: PLC0415 an optional part
    except ImportError as error:
        raise Problem("clusters need Dask's `distributed`, which is not installed", INSTALL, NOTHING_RAN) from error
    assert_safe(address, "the scheduler", unencrypted=unencrypted)
    with silent_dask():
        try:
            _assert_listened_at(address)
            make_client: Any = distributed.Client  # some of its methods have no types
            client = make_client(address, timeout=CONNECT_WITHIN_SECONDS, set_as_default=False, security=security)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            reason = printable(" ".join(str(error).split()), 200)
            raise Problem(
                f"no scheduler can be reached at {printable(address, 80)}: {reason}",
                "check the address, and that its scheduler runs; the certificates of a cluster with TLS are named in "
                "Dask's configuration, distributed.comm.tls",
                NOTHING_RAN,
            ) from error
        try:
            cluster = Cluster(client, address)
            for worker in cluster.workers():
                assert_safe(worker, "a worker", unencrypted=unencrypted)
            yield cluster
        finally:
            client.close()


def assert_safe(address: str, whose: str, *, unencrypted: bool) -> None:
    """Refuse an address that is none, or is without TLS and beyond loopback.

    Raises:
        Problem: it is refused.
    """
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if parts.scheme not in ("tcp", "tls") or not host or not port:
        raise Problem(
            f"{printable(address, 80)} is no address of a Dask cluster", "write tls://HOST:PORT or tcp://HOST:PORT"
        )
    if parts.scheme == "tcp" and not unencrypted and not _is_loopback(host):
        raise Problem(
            f"the connection to {whose} at {printable(address, 80)} is unencrypted: whoever can reach it runs programs "
            "on all hosts",
            "set the cluster up with TLS (https://distributed.dask.org/en/stable/tls.html), or pass --unencrypted if "
            "nobody else is on its network",
        )


def _assert_listened_at(address: str) -> None:
    """Raises OSError at once where nobody listens: Dask would try again for all its time."""
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    socket.create_connection((parts.hostname, parts.port), timeout=CONNECT_WITHIN_SECONDS).close()


def host_of(address: str) -> str:
    """The IP address or host name in `tcp://HOST:PORT`."""
    return urlsplit(address).hostname or ""


def _is_loopback(host: str) -> bool:
    """Whether all that a name or an address stands for is loopback. What cannot be resolved is not."""
    try:
        addresses = {info[4][0] for info in socket.getaddrinfo(host, None, proto=socket.IPPROTO_TCP)}
        return bool(addresses) and all(ip_address(str(each).partition("%")[0]).is_loopback for each in addresses)
    except (OSError, ValueError):
        return False


@cache
def _source(program: Program) -> str:
    return (Path(__file__).parent / "sent" / f"{program}.py").read_text()


@contextmanager
def silent_dask() -> Iterator[None]:
    """Within, Dask logs nothing: what matters becomes a `Problem`."""
    # Dask gives some of its loggers levels of their own, which that of their parent does not change.
    names = ["distributed", *(name for name in logging.root.manager.loggerDict if name.startswith("distributed."))]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
