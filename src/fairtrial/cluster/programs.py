"""Programs that a client has on a host: this runs inside a Dask worker, and what it starts ends with the client.

The client submits `present`, and Dask keeps what that returns for as long as client, scheduler and worker are there.
When Dask lets it go, its programs end. The rest are plain functions, which `Client.run` calls: those that wait are
coroutines, so that nobody asks again and again, and a trial has its host to itself. None of them raises, as Dask logs
the arguments of what fails, and a program's input may hold secrets.
"""

import asyncio
import json
import os
import pickle
import signal
import subprocess
import sys
import time
import weakref
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

PYTHON = ""
"""As the first argument: the interpreter of the worker."""
FAILED = 127
"""The exit status of a program that could not be started, as a shell has it."""
LONGEST_LINE_BYTES = 1 << 30
"""A message or a part of a summary is a line."""
ERROR_BYTES = 1 << 14
"""So much of the end of a program's standard error is sent."""


def to_line(value: object) -> str:
    """A value as a line without its end: as pickle has it, as all that Dask carries."""
    return b64encode(pickle.dumps(value)).decode()


def from_line(line: str | bytes) -> Any:
    """The value of a line."""
    return pickle.loads(b64decode(line))  # noqa: S301 whoever writes it may start programs on this host


@dataclass(frozen=True)
class HostCommand:
    """A program to start."""

    arguments: list[str]
    text: str = field(repr=False)
    """the first of its standard input, whole lines"""
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """content by name: each becomes a file in memory, whose path takes the place of the quoted name in the text"""
    has_credentials: bool = False
    """whether a line before the text has the certificates of the worker, with which it can connect to the scheduler"""
    keeps_input: bool = True
    """whether its input goes on after the text"""
    grace_seconds: float = 0.0
    """for so long it may take to end once its input has ended; 0: it is killed"""
    quiet_seconds: float = 0.0
    """while it measures, news of its progress is so far apart at least"""


@dataclass(frozen=True)
class Output:
    """The text that a program has printed since it was last asked."""

    lines: Sequence[bytes]
    errors: bytes = b""
    """the end of its standard error, once it has ended"""
    status: int | None = None
    """None while it runs or has more to print, then its exit status"""


class HostProgram:
    """A program that runs, and what it has printed. It belongs to the event loop of the worker."""

    def __init__(self, command: HostCommand) -> None:
        self._command, self._keeps_input = command, command.keeps_input
        self._input: asyncio.WriteTransport | None = None
        self._lines: list[bytes] = []
        self._errors = b""
        self._status: int | None = None
        self._news = asyncio.Event()
        self._told_at = time.monotonic()

    async def start(self) -> None:
        """Start it. Why it cannot be started is told as if it had printed that."""
        loop = asyncio.get_running_loop()
        try:
            self._process, text = _started(self._command)
        except Exception as error:
            self._end_with(str(error).encode(), FAILED)
            return
        lines, errors = asyncio.StreamReader(LONGEST_LINE_BYTES), asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), self._process.stdout)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(errors), self._process.stderr)
        # What is written when the program has ended is lost, which its output says as well.
        self._input, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._process.stdin)
        self._input.write(text.encode())
        if not self._keeps_input:
            self._input.close()
        self._reading = asyncio.ensure_future(self._read(lines, errors))

    async def take(self) -> Output:
        """Wait until it has printed something, or ended, and return that."""
        await self._news.wait()
        self._news.clear()
        lines, self._lines = self._lines, []
        return Output(lines, self._errors, self._status)

    def say(self, line: str) -> None:
        """Write a line to its standard input, unless it has ended."""
        if self._input is not None:
            self._input.write(line.encode() + b"\n")

    def signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self._status is None:
            self._process.send_signal(number)

    def end(self) -> None:
        """End its input, and itself if that does not do."""
        self._keeps_input = False
        if self._input is not None:
            self._input.close()
        if self._status is None:
            asyncio.get_running_loop().call_later(self._command.grace_seconds, self.signal, signal.SIGKILL)

    async def _read(self, lines: asyncio.StreamReader, errors: asyncio.StreamReader) -> None:
        end = asyncio.ensure_future(_end_of(errors))
        async for line in lines:
            if not line.endswith(b"\n"):
                break  # it was killed
            self._lines.append(line[:-1])
            is_progress = b'"progress"' in line[:40] and b'"phase":"window"' in line[:120]
            if not is_progress or time.monotonic() - self._told_at >= self._command.quiet_seconds:
                self._told_at = time.monotonic()
                self._news.set()
        self._end_with(await end, await asyncio.to_thread(self._process.wait))

    def _end_with(self, errors: bytes, status: int) -> None:
        self._errors, self._status = errors, status
        self._news.set()


async def _end_of(stream: asyncio.StreamReader) -> bytes:
    end = b""
    while content := await stream.read(1 << 12):
        end = (end + content)[-ERROR_BYTES:]
    return end


def _started(command: HostCommand) -> "tuple[subprocess.Popen[bytes], str]":
    """The process, and the text for it."""
    text, descriptors = command.text, []
    try:
        for name, content in command.files.items():
            descriptors.append(os.memfd_create(name))
            with open(descriptors[-1], "wb", closefd=False) as file:
                file.write(content)
            text = text.replace(json.dumps(name), json.dumps(f"/proc/self/fd/{descriptors[-1]}"))
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            [command.arguments[0] or sys.executable, *command.arguments[1:]],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
            pass_fds=descriptors,
        )
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    return process, text


class Presence:
    """The programs of one client on this host. They end when this object goes."""

    def __init__(self) -> None:
        self.programs: list[HostProgram] = []
        self.end = asyncio.Event()
        weakref.finalize(self, _end, asyncio.get_running_loop(), self.programs, self.end)

    def __reduce__(self) -> Any:
        """It stays on its host."""
        raise TypeError("programs stay on their host")


_presences: "weakref.WeakValueDictionary[str, Presence]" = weakref.WeakValueDictionary()
"""by the token of the client"""


def _end(loop: asyncio.AbstractEventLoop, programs: list[HostProgram], end: asyncio.Event) -> None:
    def end_all() -> None:
        for program in programs:
            program.end()
        end.set()

    with suppress(RuntimeError):  # the worker ends, and with it the input of each program, or the program itself
        loop.call_soon_threadsafe(end_all)


async def present(token: str) -> Presence:
    """Submitted by a client: its presence, under a token that nobody else knows."""
    presence = _presences[token] = Presence()
    return presence


async def stay(token: str) -> None:
    """Wait until Dask has let a presence go."""
    await _presences[token].end.wait()


async def start(token: str, command: HostCommand, dask_worker: Any = None) -> int:
    """Start a program; return the number by which further calls name it. Why it cannot be started, its output says.

    Args:
        dask_worker: is given by Dask, by this name.
    """
    if command.has_credentials:
        command = replace(command, text=f"{to_line(_credentials(dask_worker.security))}\n{command.text}")
    programs, program = _presences[token].programs, HostProgram(command)
    programs.append(program)
    await program.start()
    return programs.index(program)


def _credentials(security: Any) -> dict[str, str]:
    """Paths or PEM texts, as arguments of a `distributed.Security`; none where the cluster is not encrypted."""
    texts = {
        "tls_ca_file": security.tls_ca_file,
        "tls_client_cert": security.tls_client_cert or security.tls_worker_cert,
        "tls_client_key": security.tls_client_key or security.tls_worker_key,
    }
    return {name: text for name, text in texts.items() if text}


async def call_program(token: str, number: int, method: str, *arguments: Any) -> Any:
    """Call a method of a program."""
    answer = getattr(_presences[token].programs[number], method)(*arguments)
    return await answer if asyncio.iscoroutine(answer) else answer


async def in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function that takes its time, while the worker goes on answering."""
    return await asyncio.to_thread(function, *arguments)
