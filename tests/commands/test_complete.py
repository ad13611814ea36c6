"""Shell completion: names as well as options, and within the time that nobody notices."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.workloads import workloads
from fairtrial.commands import complete
from fairtrial.experiment.files import shipped_experiments
from fairtrial.tools.provision.inventory import provided

BY_FUNCTION: dict[str, Iterable[str]] = {
    "experiment_names": shipped_experiments(),
    "stack_names": find_stacks(),
    "workload_names": workloads(),
    "service_names": provided(),
}


@pytest.mark.parametrize("function", BY_FUNCTION)
def test_the_names_of_files_are_those_of_what_they_define(function: str) -> None:
    assert getattr(complete, function)("") == sorted(BY_FUNCTION[function])


def completed(*words: str) -> list[str]:
    """What bash is offered for the last of these words."""
    variables = {
        "_FAIRTRIAL_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["fairtrial", *words]),
        "COMP_CWORD": str(len(words)),
    }
    command = [sys.executable, "-m", "fairtrial"]
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["expl"], ["explain"]),
        (["run", "quick"], ["quickstart"]),
        (["run", "--stack", "rust-b"], ["rust-batch"]),
        (["check", "--workload", "random"], ["random-item"]),
        (["check", "--service", "post"], ["postgresql"]),
        (["services", "install", "ha"], ["haproxy"]),
        (["explain", "not-w"], ["not-warm"]),
        (["init", "--ci", "gitl"], ["gitlab"]),
    ],
)
def test_a_shell_completes(words: list[str], offered: list[str]) -> None:
    assert completed(*words) == offered


@pytest.mark.parametrize(
    ("code", "slow"),
    [
        (
            "from fairtrial.commands import app, complete; complete.stack_names('')",
            {"httpx", "rich.console", "fairtrial.experiment.model", "fairtrial.catalog.stacks.model"},
        ),
        (
            "from pathlib import Path; from rich.console import Console; "
            "from fairtrial.commands.next_steps import print_next_steps; print_next_steps(Console(), Path('.'))",
            {"fairtrial.judge.model"},
        ),
    ],
)
def test_what_takes_long_to_load_is_not_loaded(code: str, slow: set[str], tmp_path: Path) -> None:
    """By a completion, and where `fairtrial` alone says what comes next: the rest of the time is Python's."""
    code = f"import sys; {code}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert (slow | {"numpy", "jinja2"}).isdisjoint(done.stdout.split())
