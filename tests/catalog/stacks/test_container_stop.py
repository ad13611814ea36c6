"""What is known of a container that SIGTERM does not end."""

import subprocess
import sys
from collections.abc import Sequence

import pytest

from fairtrial.catalog.stacks.container_run import deaf_to_sigterm
from fairtrial.record.processes import Stop
from tests.lines import line_with

WAITS = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
print("up", flush=True)
input()
"""
"""As tini and systemd do, which then take the signal by sigtimedwait or signalfd."""


@pytest.mark.parametrize(
    ("command", "deaf"),
    [
        (["sh", "-c", "echo up; read line; :"], "sh"),
        (["sh", "-c", "trap : TERM; echo up; read line; :"], ""),
        ([sys.executable, "-c", WAITS], ""),
        (["sh", "-c", "echo up; exec cat"], "cat"),
    ],
)
def test_a_first_process_that_handles_no_sigterm_is_named(command: Sequence[str], deaf: str) -> None:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        if deaf == "cat":
            process.stdin.write(b"that it runs\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"that it runs\n"
        assert deaf_to_sigterm(process.pid) == deaf
        process.stdin.close()
    assert deaf_to_sigterm(process.pid) == "", "it has ended"


def test_a_stop_says_why_it_was_forced(snapshot: object) -> None:
    assert line_with(Stop(seconds=5, forced=True, unheard_by="sh").why_forced, "sh, the first") == snapshot
    assert Stop(seconds=5, forced=True).why_forced == Stop(seconds=1, forced=False, unheard_by="sh").why_forced == ""
