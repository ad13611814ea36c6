"""The end of a load by Ctrl-C."""

import json
import signal
import subprocess
from collections.abc import Callable

from tests.command_line import Lab
from tests.tools.load.conftest import Target


def test_ctrl_c_reports_what_was_measured(lab: Lab, serve: Callable[..., Target]) -> None:
    target = serve("--body", "hello")
    command = lab.command("load", target.url, "-d", "1h", "-r", "200", "--warmup", "0", "--json", "x.json")
    process = subprocess.Popen(
        command, cwd=lab.folder, env=lab.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr
    assert "verified/s" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)

    assert process.returncode == 130, err
    assert "warning: interrupted" in out
    assert "verified answers/s" in out
    measured = json.loads((lab.folder / "x.json").read_text())
    assert measured["interrupted"] and measured["verified"] > 0
    assert target.stop()["requests"] >= measured["verified"]
