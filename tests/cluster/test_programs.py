"""Programs in a worker: what they print is told at once, their progress rarely, and nothing of them stays."""

import asyncio
import gc
import signal
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from fairtrial.cluster import programs
from fairtrial.cluster.programs import HostCommand, HostProgram, Output, from_line

PEM = "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n"


def run(test: Callable[[], Awaitable[Any]]) -> Any:
    async def bounded() -> Any:
        return await asyncio.wait_for(test(), 20)

    return asyncio.run(bounded())


def python(code: str, text: str = "", **more: Any) -> HostCommand:
    return HostCommand(["python3", "-c", f"import sys, os, signal, time\n{code}"], text, **more)


async def started(command: HostCommand) -> HostProgram:
    program = HostProgram(command)
    await program.start()
    return program


async def all_of(program: HostProgram) -> Output:
    """What it prints until its end."""
    lines: list[bytes] = []
    while True:
        output = await program.take()
        lines += output.lines
        if output.status is not None:
            return Output(lines, output.errors, output.status)


def test_what_it_prints_and_its_end() -> None:
    code = "print(sys.stdin.read().upper() + 'no whole line', end=''); print('a reason', file=sys.stderr); sys.exit(3)"

    async def test() -> Output:
        return await all_of(await started(python(code, "text\n", keeps_input=False)))

    assert run(test) == Output([b"TEXT"], b"a reason\n", 3)


def test_one_that_cannot_be_started_says_so() -> None:
    async def test() -> Output:
        program = await started(HostCommand(["/nowhere/program"], ""))
        program.say("nobody reads this")
        program.signal(signal.SIGKILL)
        program.end()
        return await program.take()

    output = run(test)
    assert output.status == 127 and b"/nowhere/program" in output.errors


def test_files_are_in_memory_and_their_paths_in_the_text() -> None:
    async def test() -> Output:
        command = python("print(open(eval(sys.stdin.readline())).read())", '"name"\n', files={"name": b"content"})
        return await all_of(await started(command))

    assert run(test).lines == [b"content"]


def test_it_is_told_lines_and_signals() -> None:
    code = "print(input(), flush=True)\nsignal.pause()"

    async def test() -> Output:
        program = await started(python(code))
        program.say("word")
        assert (await program.take()).lines == [b"word"]
        program.signal(signal.SIGTERM)
        return await all_of(program)

    assert run(test).status == -signal.SIGTERM


def test_of_progress_in_a_window_nothing_is_told_until_something_else_is() -> None:
    progress = '{"event":"progress","phase":"window"}'
    code = f"print('''{progress}''', flush=True); input(); print('closed', flush=True)"

    async def test() -> None:
        program = await started(python(code, quiet_seconds=60.0))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(program.take(), 1.0)
        program.say("go on")
        assert (await program.take()).lines == [progress.encode(), b"closed"]

    run(test)


@pytest.mark.parametrize(
    ("code", "grace_seconds", "status"),
    [
        ("sys.stdin.read(); sys.exit(5)", 60.0, 5),
        ("signal.pause()", 0.5, -signal.SIGKILL),
        ("signal.pause()", 0.0, -signal.SIGKILL),
    ],
)
def test_when_dask_lets_a_presence_go_its_programs_end(code: str, grace_seconds: float, status: int) -> None:
    """By the end of their input, if they have time for that, and else at once."""

    async def test() -> int | None:
        presence = await programs.present("a token")
        stay = asyncio.ensure_future(programs.stay("a token"))
        number = await programs.start("a token", python(f"print(1, flush=True)\n{code}", grace_seconds=grace_seconds))
        await programs.call_program("a token", number, "take")
        program = presence.programs[number]
        assert not stay.done()
        del presence
        gc.collect()
        await stay
        with pytest.raises(KeyError):
            await programs.start("a token", python(""))
        return (await all_of(program)).status

    assert run(test) == status


def test_a_presence_stays_on_its_host() -> None:
    import pickle

    async def test() -> None:
        with pytest.raises(TypeError, match="stay on their host"):
            pickle.dumps(await programs.present("another token"))

    run(test)


def test_certificates_go_to_the_standard_input_alone() -> None:
    names = ("ca_file", "client_cert", "client_key", "worker_cert", "worker_key")
    security = SimpleNamespace(**{f"tls_{name}": PEM if name != "client_key" else None for name in names})
    code = "print(sys.stdin.readline()); print(sys.argv, dict(os.environ))"

    async def test() -> Output:
        presence = await programs.present("token")
        command = python(code, "task\n", has_credentials=True)
        number = await programs.start("token", command, dask_worker=SimpleNamespace(security=security))
        return await all_of(presence.programs[number])

    first, *others = run(test).lines
    rest = b"".join(others)
    assert from_line(first) == dict.fromkeys(("tls_ca_file", "tls_client_cert", "tls_client_key"), PEM)
    assert b"secret" not in rest and first not in rest
    assert "secret" not in repr(HostCommand([], PEM))
