"""The connection to a running Dask cluster: refused where others could listen in, silent where Dask would log.

Functions are pickled by their names, so a worker needs the same Fairtrial: `fairtrial.cluster.fitness` compares
versions first, by functions of Python's own.
"""

import asyncio
import concurrent.futures
import logging
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, TypeVar
from urllib.parse import urlsplit

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster import programs
from fairtrial.cluster.addresses import assert_safe, worker_name
from fairtrial.cluster.programs import HostCommand, Output

CONNECT_WITHIN_SECONDS = 10.0
ANSWER_WITHIN_SECONDS = 30.0
"""A worker answers within milliseconds. One that is stopped, or whose link is down, never does."""
READY_WITHIN_SECONDS = 900.0
"""The first use of the engine on a host builds it, which takes minutes."""
CLOSE_WITHIN_SECONDS = 10.0
CLOCK_READINGS = 20

INSTALL = "pip install 'fairtrial[cluster]'; in a checkout: make set-up"

T = TypeVar("T")


class Cluster:
    """A connected cluster.

    Args:
        client: an asynchronous `distributed.Client`.
        address: of its scheduler.
        loop: the event loop of the client, which runs in a thread of its own.
    """

    def __init__(self, client: Any, address: str, loop: asyncio.AbstractEventLoop) -> None:
        self._client, self.address, self._loop = client, address, loop
        self._scheduler = f"the scheduler at {address}"
        self._secret = token_hex(8)
        self._presences: dict[str, asyncio.Task[_Presence]] = {}

    def workers(self) -> dict[str, Mapping[str, Any]]:
        """Each worker as the scheduler knows it, by the worker's address."""
        return self._result(self._workers())

    def call(self, worker: str, function: Callable[..., T], *arguments: Any) -> T:
        """Call a quick function in a worker, and return what it returns.

        It is called once: neither again when it fails, nor elsewhere when its worker is lost.

        Raises:
            Problem: the worker did not answer in time, or is lost. It and others: the function raised them.
        """
        answer: T = self._result(self._answer(worker, ANSWER_WITHIN_SECONDS, function, *arguments))
        return answer

    def compute(self, worker: str, function: Callable[..., T], *arguments: Any) -> T:
        """The same for a function that takes its time, up to a quarter of an hour."""
        answer: T = self._result(self._answer(worker, READY_WITHIN_SECONDS, programs.in_thread, function, *arguments))
        return answer

    def call_unknown(self, worker: str | None, function: Callable[..., T], *arguments: Any) -> T:
        """The same as `call` where it is not known yet that the same Fairtrial is installed.

        Args:
            worker: its address; None: the scheduler.
        """
        answer: T = self._result(self._answer_of_unknown(worker, function, arguments))
        return answer

    def clock(self, worker: str, clock: Callable[[], float] = time.time) -> ClockOffset:
        """The offset of a worker's clock, by the exchange with the shortest round trip, of which half is the error.

        RFC 5905, section 8, has the same arithmetic. Raises Problem: as `call`.

        Args:
            clock: the wall clock, or `time.monotonic`, which nobody sets: by that, engines tell when they sent
                requests.
        """

        def exchange() -> ClockOffset:
            here, started = clock(), time.perf_counter()
            answer = self.call(worker, clock)
            half = (time.perf_counter() - started) / 2
            return ClockOffset(answer - (here + half), half)

        return min((exchange() for _ in range(CLOCK_READINGS)), key=lambda offset: offset.error_seconds)

    def start(self, worker: str, command: HostCommand) -> "RemoteProgram":
        """Start a program on the host of a worker.

        Raises:
            Problem: the worker is lost, or did not answer in time.
        """
        return RemoteProgram(self, worker, self._on_programs(worker, ANSWER_WITHIN_SECONDS, programs.start, command))

    def call_program(self, worker: str, number: int, within_seconds: float | None, method: str, *arguments: Any) -> Any:
        """Call a method of a program on the host of a worker. Raises Problem: as `call`."""
        return self._on_programs(worker, within_seconds, programs.call_program, number, method, *arguments)

    def _on_programs(
        self, worker: str, within_seconds: float | None, function: Callable[..., Any], *arguments: Any
    ) -> Any:
        """Call a function of `programs`, none of which raises: an error is the end of the worker or the way to it."""
        try:
            return self._result(self._answer(worker, within_seconds, function, self._token(worker), *arguments))
        except (OSError, KeyError) as error:
            raise _worker_lost(worker) from error

    def _token(self, worker: str) -> str:
        """By which the programs of this client are known in a worker."""
        return f"{self._secret}-{worker}"

    def _result(self, answer: Coroutine[Any, Any, T]) -> T:
        waiting = asyncio.run_coroutine_threadsafe(answer, self._loop)
        try:
            return waiting.result()
        except concurrent.futures.CancelledError as error:
            raise Problem("the connection to the cluster is closed", "run again", NOTHING_RAN) from error
        except KeyboardInterrupt:
            waiting.cancel()
            raise

    async def _workers(self) -> dict[str, Mapping[str, Any]]:
        identity = await _answer_of(self._scheduler, self._client.scheduler.identity())
        workers: dict[str, Mapping[str, Any]] = identity["workers"]
        return workers

    async def _answer_of_unknown(
        self, worker: str | None, function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> Any:
        if worker is None:
            return await _answer_of(self._scheduler, self._client.run_on_scheduler(function, *arguments))
        answers = self._client.run(function, *arguments, workers=[worker])
        return (await _answer_of(worker_name(worker), answers))[worker]

    async def _answer(
        self, worker: str, within_seconds: float | None, function: Callable[..., Any], *arguments: Any
    ) -> Any:
        """The result of a function in a worker. If the worker is lost before, that is noticed at once."""
        from distributed.comm.core import CommClosedError  # noqa: PLC0415 an optional part

        end = (await self._present(worker)).end
        if end.done():
            raise _worker_lost(worker)
        answer = asyncio.ensure_future(self._client.run(function, *arguments, workers=[worker]))
        try:
            await asyncio.wait({answer, end}, timeout=within_seconds, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()[worker]
        except CommClosedError as error:
            raise _worker_lost(worker) from error
        finally:
            answer.cancel()
        raise _worker_lost(worker) if end.done() else _unanswered(worker_name(worker), within_seconds)

    async def _present(self, worker: str) -> "_Presence":
        """The presence in a worker, which is there from the first call on."""
        if worker not in self._presences:
            self._presences[worker] = asyncio.ensure_future(self._begin(worker))
        return await asyncio.shield(self._presences[worker])

    async def _begin(self, worker: str) -> "_Presence":
        if worker not in await self._workers():
            raise _worker_lost(worker)
        # Done in this worker alone, and once.
        once = {"workers": [worker], "allow_other_workers": False, "pure": False, "retries": 0}
        token = self._token(worker)
        future = self._client.submit(programs.present, token, key=f"fairtrial-{token}", **once)
        await _answer_of(worker_name(worker), future.exception())
        if future.status != "finished":
            raise _worker_lost(worker)
        return _Presence(future, asyncio.ensure_future(self._stay(worker)))

    async def _stay(self, worker: str) -> None:
        """Return when the worker is lost, or the connection to the scheduler: then nothing ends this call but that."""
        with suppress(OSError, KeyError):
            await self._client.run(programs.stay, self._token(worker), workers=[worker])


@dataclass(frozen=True)
class _Presence:
    """An object that is kept in a worker for as long as this one is kept here."""

    future: Any
    end: "asyncio.Task[None]"


class RemoteProgram:
    """A program on a host. It ends with this process, its worker, and either's connection to the scheduler."""

    def __init__(self, cluster: Cluster, worker: str, number: int) -> None:
        self._cluster, self.worker, self._number = cluster, worker, number
        self.status: int | None = None
        """the exit status, once all its lines have been read"""
        self.errors = b""
        """the end of its standard error, likewise"""
        self.is_released = False

    def lines(self, within_seconds: float | None = None) -> Iterator[bytes]:
        """The lines that it prints, as they come.

        Args:
            within_seconds: each has to come so soon; None: whenever it comes.

        Raises:
            Problem: its worker is lost, or the connection to the scheduler; none has come in time.
        """
        while self.status is None:
            output: Output = self._cluster.call_program(self.worker, self._number, within_seconds, "take")
            yield from output.lines
            self.status, self.errors = output.status, output.errors

    def say(self, line: str) -> None:
        """Write a line to its standard input."""
        self._tell("say", line)

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        self._tell("signal", int(number))

    def release(self) -> None:
        """Let it go: it ends, with all that it started."""
        self.is_released = True
        self._tell("end")

    def _tell(self, method: str, *arguments: Any) -> None:
        with suppress(Problem):  # its worker is lost, which whoever reads its output has found or will find as well
            self._cluster.call_program(self.worker, self._number, ANSWER_WITHIN_SECONDS, method, *arguments)


def _worker_lost(worker: str) -> Problem:
    return Problem(
        f"{worker_name(worker)} is lost, and with it what ran there",
        "see whether its host can be reached; start the worker again, and then run again",
        NOTHING_RAN,
    )


def _unanswered(whom: str, seconds: float | None) -> Problem:
    return Problem(
        f"{printable(whom, 80)} did not answer within {seconds:g} s",
        "see whether its process is stopped, and whether its host can be reached; start it again",
        NOTHING_RAN,
    )


async def _answer_of(whom: str, answer: Awaitable[Any]) -> Any:
    """An answer to wait for. Raises Problem: it does not come."""
    from distributed.comm.core import CommClosedError  # noqa: PLC0415 an optional part

    try:
        return await asyncio.wait_for(answer, ANSWER_WITHIN_SECONDS)
    except (TimeoutError, CommClosedError) as error:
        raise _unanswered(whom, ANSWER_WITHIN_SECONDS) from error


@contextmanager
def connected(address: str, *, unencrypted: bool, security: Any = None) -> Iterator[Cluster]:
    """Connect to a scheduler, and disconnect at the end: what runs for this process on its hosts ends then.

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
        import distributed  # noqa: F401, PLC0415 an optional part
    except ImportError as error:
        raise Problem("clusters need Dask's `distributed`, which is not installed", INSTALL, NOTHING_RAN) from error
    assert_safe(address, "the scheduler", unencrypted=unencrypted)
    with silent_dask(), _event_loop() as loop:
        try:
            _assert_listened_at(address)
            client = asyncio.run_coroutine_threadsafe(_connect(address, security), loop).result()
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            reason = printable(" ".join(str(error).split()), 200)
            raise Problem(
                f"no scheduler can be reached at {printable(address, 80)}: {reason}",
                "check the address, and that its scheduler runs; the certificates of a cluster with TLS are named in "
                "Dask's configuration, distributed.comm.tls",
                NOTHING_RAN,
            ) from error
        try:
            cluster = Cluster(client, address, loop)
            for worker in cluster.workers():
                assert_safe(worker, "a worker", unencrypted=unencrypted)
            yield cluster
        finally:
            asyncio.run_coroutine_threadsafe(_close(client), loop).result()


async def _connect(address: str, security: Any) -> Any:
    from distributed import Client  # noqa: PLC0415 an optional part

    make: Any = Client  # it has no types
    return await make(
        address, asynchronous=True, timeout=CONNECT_WITHIN_SECONDS, set_as_default=False, security=security
    )


async def _close(client: Any) -> None:
    with suppress(TimeoutError, OSError):
        await asyncio.wait_for(client.close(), CLOSE_WITHIN_SECONDS)
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


@contextmanager
def _event_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop in a thread of its own."""
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)  # what Dask was still at when it was cancelled at the end
    thread = threading.Thread(target=loop.run_forever, name="cluster", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def security_of(arguments: Mapping[str, Any]) -> Any:
    """A `distributed.Security`; None without arguments: then Dask's configuration counts."""
    if not arguments:
        return None
    from distributed import Security  # noqa: PLC0415 an optional part

    make: Any = Security  # it has no types
    return make(**arguments)


def _assert_listened_at(address: str) -> None:
    """Raises OSError at once where nobody listens: Dask would try again for all its time."""
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    socket.create_connection((parts.hostname, parts.port), timeout=CONNECT_WITHIN_SECONDS).close()


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
