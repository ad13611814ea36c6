"""The table of diagnoses, the conclusion and the exit status; runtimes of stacks."""

import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from fairtrial.base.cache import once
from fairtrial.base.exit_status import ALL_WELL, NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.engine import binary
from fairtrial.tools.doctor.examine import examine_machine, print_diagnoses
from fairtrial.tools.doctor.model import Diagnosis
from fairtrial.tools.doctor.runtimes import diagnose_engine, diagnose_stack

STACK = """
title = "A stack"
language = "Python"
framework = "none"
server = "none"
concurrency = "none"
workloads = ["random-item"]
services = ["sqlite"]
build = []
run = ["python3", "server.py"]
[[requires]]
command = [{command}]
remedy = "install it"
"""

GOOD = Diagnosis("processors", "good", "2: enough")
POOR = Diagnosis("swap", "poor", "1.5 GiB in use", "free memory [now]")
ABSENT_STACK = Diagnosis("stack ruby-puma", "missing", "`ruby` is not on this machine", "install Ruby")
NO_ENGINE = Diagnosis("load engine", "missing", "no `cargo` on PATH", "install Rust", essential=True)


def printed(*diagnoses: Diagnosis) -> tuple[str, int]:
    file = io.StringIO()
    status = print_diagnoses(Console(file=file, width=120), diagnoses)
    return file.getvalue(), status


@pytest.mark.parametrize(
    ("diagnoses", "status"),
    [
        ([GOOD, POOR], ALL_WELL),
        ([GOOD, ABSENT_STACK], ALL_WELL),
        ([ABSENT_STACK, ABSENT_STACK], ALL_WELL),
        ([ABSENT_STACK, NO_ENGINE], NOTHING_RAN),
    ],
)
def test_the_conclusion_and_the_exit_status(diagnoses: list[Diagnosis], status: int, snapshot: object) -> None:
    text, actual = printed(*diagnoses)
    assert text.splitlines()[-1] == snapshot
    assert actual == status


def test_each_diagnosis_has_its_remedy_below_it_and_brackets_are_text() -> None:
    text, _ = printed(GOOD, POOR)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[:3] == ["good processors 2: enough", "poor swap 1.5 GiB in use", "free memory [now]"]


def test_stacks_that_lack_the_same_share_a_row_and_so_do_those_that_lack_nothing(snapshot: object) -> None:
    lacking = [replace(ABSENT_STACK, subject=f"stack ruby-{name}") for name in ("puma", "thin")]
    java = Diagnosis("stack java-spring", "missing", "`java` is not on this machine", "install a JDK")
    fit = [Diagnosis(f"stack {name}", "good", "1.0") for name in ("go", "node")]
    file = io.StringIO()
    print_diagnoses(Console(file=file, width=120), [GOOD, *fit, *lacking, java], verbose=False)
    assert [" ".join(line.split()) for line in file.getvalue().splitlines()] == snapshot


def test_everything_is_examined(cache: Path) -> None:
    subjects = [diagnosis.subject for diagnosis in examine_machine([], print)]
    assert subjects[0] == "processors" and subjects[-1] == "load engine"


def test_the_runtimes_of_stacks(tmp_path: Path, cache: Path) -> None:
    for name, command in (("here", f'"{sys.executable}", "--version"'), ("absent", '"no-such-runtime", "--version"')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "stack.toml").write_text(STACK.format(command=command))
    stacks = find_stacks([tmp_path])
    told: list[str] = []
    *_, absent, here = examine_machine([stacks["absent"], stacks["here"]], told.append)
    assert told == ["this machine", "absent, stack 1 of 2", "here, stack 2 of 2"], "before each is asked"
    assert (absent.subject, absent.health, absent.remedy) == ("stack absent", "missing", "install it")
    assert not absent.essential
    assert (here.subject, here.health) == ("stack here", "good")
    assert here.observation.startswith("Python 3.")


def test_a_variant_whose_own_build_requires_more_is_examined_apart(tmp_path: Path) -> None:
    manifest = STACK.format(command=f'"{sys.executable}", "--version"') + (
        "[variants.settings-alone]\nenv = {}\n[variants.compiled]\nbuild = []\n"
        '[[variants.compiled.requires]]\ncommand = ["no-such-compiler"]\nremedy = "install the compiler"\n'
    )
    (tmp_path / "twice").mkdir()
    (tmp_path / "twice" / "stack.toml").write_text(manifest)
    own, compiled = diagnose_stack(find_stacks([tmp_path])["twice"])
    assert (own.subject, own.health) == ("stack twice", "good")
    assert (compiled.subject, compiled.health) == ("stack twice:compiled", "missing")
    assert compiled.remedy == "install the compiler"


def test_the_engine_cannot_be_built_without_cargo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("FAIRTRIAL_ENGINE", raising=False)
    diagnosis = diagnose_engine()
    assert (diagnosis.health, diagnosis.essential) == ("missing", True)
    assert "rustup" in diagnosis.remedy
    for name in ("cargo", "rustc", "cc"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho '{name} 1.94.0'\n")
        program.chmod(0o755)
    diagnosis = diagnose_engine()
    assert (diagnosis.health, diagnosis.observation) == ("good", "built with cargo 1.94.0")


@pytest.fixture
def engine_in_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for an engine that was built, in a cache of its own."""
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path))
    for variable in ("FAIRTRIAL_ENGINE", "FAIRTRIAL_GUARD"):
        monkeypatch.delenv(variable, raising=False)
    binary.engine_binary.cache_clear()

    def build(name: str, folder: Path) -> None:
        (folder / name).write_text("#!/bin/sh\necho engine 1\n")
        (folder / name).chmod(0o755)

    monkeypatch.setattr(binary, "_build", build)
    monkeypatch.setattr(once, "_found_good", set())
    path = binary.engine_binary()
    binary.engine_binary.cache_clear()
    once._found_good.clear()  # as in the next process
    return path


def test_an_engine_that_runs_is_good(engine_in_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert diagnose_engine().health == "good"
    monkeypatch.setenv("PATH", "/nowhere")
    assert "could not be built again" in diagnose_engine().observation and diagnose_engine().health == "good"
    binary.engine_binary.cache_clear()


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\nec"])
def test_an_engine_that_was_cut_off_is_noticed_and_built_again(engine_in_cache: Path, content: bytes) -> None:
    engine_in_cache.write_bytes(content)
    diagnosis = diagnose_engine()
    assert diagnosis.health == "poor"
    assert f"fairtrial-engine: {len(content)} bytes instead of 24" in diagnosis.observation
    assert binary.engine_binary().read_text().endswith("echo engine 1\n")
    binary.engine_binary.cache_clear()


def test_an_engine_that_does_not_run_is_missing(
    engine_in_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, snapshot: object
) -> None:
    """Named by the user, or sealed as it is by an older version: nothing says what it should be."""
    empty = tmp_path / "empty"
    empty.touch(mode=0o755)
    monkeypatch.setenv("FAIRTRIAL_ENGINE", str(empty))
    diagnosis = diagnose_engine()
    assert diagnosis.health == "missing" and diagnosis.essential
    assert diagnosis.observation == snapshot
    with pytest.raises(Problem, match="does not run"):
        binary.engine_binary()
