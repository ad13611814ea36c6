"""What servers allocate that allocate a known number for each answer, in whole runs."""

import subprocess
from pathlib import Path

import pytest

from fairtrial.record.profile import Profile, read_profiles
from tests.command_line import Lab
from tests.machine.needs import needs

SERVERS = Path(__file__).parents[3] / "fixtures" / "allocating"
CONTENDER = """
[contenders.{name}]
directory = "."
command = {command}
env = {{ {env} }}
"""
BYTES = 200_000


def profiled(lab: Lab, name: str, command: list[str], env: str) -> Profile:
    """The line of a run of this contender."""
    more = CONTENDER.format(name=name, command=command, env=env)
    file = lab.experiment(name, workload="plaintext", service="none", seconds=0.3, data="", more=more)
    finished = lab.fairtrial("run", file, "--profile")
    assert finished.results is not None, finished.err
    (line,) = read_profiles(finished.results).lines
    assert line.failure is None, line.failure
    return line


@needs("node")
def test_node_tells_its_bytes_beside_options_of_its_own(lab: Lab) -> None:
    line = profiled(
        lab, "node", ["node", str(SERVERS / "server.js")], f'NUMBERS = "{BYTES // 8}", NODE_OPTIONS = "--no-warnings"'
    )
    assert line.allocations is not None and line.allocations.bytes is not None, line.notes
    assert line.allocations.bytes / line.allocations.verified == pytest.approx(BYTES + 5_000, rel=0.1)
    assert "node-cpu-profile" in {sampled.profiler for sampled in line.stacks}


@needs("ruby-threads")
def test_ruby_tells_the_objects_of_each_of_its_processes_beside_options_of_its_own(lab: Lab) -> None:
    env = 'OBJECTS = "500", PROCESSES = "3", RUBYOPT = "-W0"'
    line = profiled(lab, "ruby", ["ruby", str(SERVERS / "server.rb")], env)
    assert line.allocations is not None and line.allocations.objects is not None, line.notes
    assert line.allocations.objects / line.allocations.verified == pytest.approx(510, rel=0.1)
    assert line.allocations.bytes is None


@needs("go-nethttp")
def test_go_tells_between_which_bounds_its_bytes_are(lab: Lab) -> None:
    program = lab.folder / "go-server"
    subprocess.run(["go", "build", "-ldflags=-s -w", "-o", program, SERVERS / "main.go"], check=True)
    line = profiled(lab, "go", [str(program)], f'BYTES = "{BYTES}", GODEBUG = "http2server=0"')
    told = line.allocations
    assert told is not None and told.bytes is not None and told.least_bytes is not None, line.notes
    assert 0.9 * told.least_bytes < (BYTES + 8_000) * told.verified < 1.1 * told.bytes
    assert told.least_bytes > 0.6 * told.bytes
    assert line.system_calls is not None
