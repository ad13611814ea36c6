"""What a user at a terminal sees."""

import os
import pty
import subprocess

from tests.command_line import Lab


def at_a_terminal(lab: Lab, *arguments: str) -> str:
    """Run a command with a terminal for its output, and return all that it drew."""
    leader, follower = pty.openpty()
    environment = {**lab.environment, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    with subprocess.Popen(
        lab.command(*arguments), cwd=lab.folder, env=environment, stdout=follower, stderr=follower, stdin=follower
    ):
        os.close(follower)
        drawn = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the other side is closed: Linux says EIO
                break
            if not part:
                break
            drawn += part
    os.close(leader)
    return drawn.decode()


def test_the_live_line_tells_trial_stage_rate_and_time(lab: Lab) -> None:
    names = [lab.stack("one"), lab.stack("two", build=[["python3", "-c", "pass"]])]
    drawn = at_a_terminal(lab, "run", str(lab.experiment(*names)), *map(str, lab.named(*names)))

    assert "Traceback" not in drawn
    for words in (
        "building two",
        "trial 2/2",
        "measuring",
        "/s",
        "elapsed 0:0",
        "remaining 0:0",
    ):
        assert words in drawn
    assert "block 1: 2 trials done" in drawn, "one line stays for each block"
