"""The smaller commands, as a user calls them."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.workloads import workloads
from fairtrial.commands.list import _print
from fairtrial.experiment.files import shipped_experiments
from fairtrial.experiment.studies import STUDIES
from tests.called_here import Call
from tests.command_line import Lab


def test_list(lab: Lab, call: Call) -> None:
    assert "random-item" in call("list", "workloads").out
    assert "sqlite" in call("services").out
    assert "quickstart" in call("list", "experiments").out
    lab.stack("mine")
    every = call("list", "--stacks", lab.stacks)
    assert every.status == 0
    for name in ("mine", "go-nethttp", "random-item", "quickstart", "fairtrial list stacks"):
        assert name in every.out
    assert "ggm" in every.out and "ggm-latency" not in every.out, "the experiments of studies are many"
    own = call("list", "stacks", "--stacks", lab.stacks).out
    assert "mine" in own
    assert "go-nethttp" in own


def test_doctor_names_what_is_missing_and_how_to_get_it(lab: Lab) -> None:
    lab.stack("mine", more='[[requires]]\ncommand = ["no-such-runtime"]\nremedy = "apt install no-such-runtime"')
    finished = lab.fairtrial("doctor", "--stacks", lab.stacks)

    assert finished.status == 0
    assert "stacks" in finished.out and "mine: " in finished.out
    assert len(finished.out.splitlines()) <= 24, finished.out
    assert "apt install no-such-runtime" in finished.out
    for subject in ("processors", "open files", "swap", "frequency governor", "load engine", "cache"):
        assert subject in finished.out


def test_doctor_without_a_rust_toolchain(lab: Lab, tmp_path: Path) -> None:
    lab.environment |= {"PATH": str(tmp_path), "FAIRTRIAL_CACHE": str(tmp_path / "cache")}
    del lab.environment["FAIRTRIAL_ENGINE"]
    finished = lab.fairtrial("doctor")

    assert finished.status == 4
    assert "rustup" in finished.out


def test_check_prints_every_clause(lab: Lab) -> None:
    finished = lab.fairtrial("check", lab.stack("mine"), "--stacks", lab.stacks)

    assert finished.status == 0, finished.out
    for clause in ("health", "keep-alive", "listens-on-host", "random-row", "uuid-row", "uuid-malformed", "stops"):
        assert f"✓ {clause}:" in finished.out


def test_check_takes_a_folder_and_tells_what_is_broken(lab: Lab) -> None:
    lab.stack("mine", "answers-anything")
    finished = lab.fairtrial("check", lab.stacks / "mine")

    assert finished.status == 3
    assert "✗ unknown-path:" in finished.out
    assert "status 200" in finished.out


def test_check_of_a_stack_that_does_not_start(lab: Lab) -> None:
    finished = lab.fairtrial("check", lab.stack("mine", "dies-at-start"), "--stacks", lab.stacks)

    assert finished.status == 4
    assert "the database said" in finished.err
    assert "\x1b" not in finished.err


@pytest.mark.parametrize("kind", ["stacks", "workloads", "experiments", "studies"])
def test_a_list_fits_the_screen_with_every_name_in_one_piece(
    call: Call, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = call("list", kind, "--all").out.splitlines()
    names = {
        "stacks": find_stacks(),
        "workloads": workloads(),
        "experiments": shipped_experiments(),
        "studies": STUDIES,
    }[kind]
    assert [line.split()[0] for line in lines if line[:1] not in ("", " ")] == list(names)
    assert max(map(len, lines)) <= 60 and "…" not in "".join(lines)


@pytest.mark.parametrize("kind", ["stacks", "workloads", "experiments", "studies"])
def test_a_list_is_one_screen_unless_all_is_asked_for(call: Call, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """46 lines of 80 columns, the command and a prompt among them; what is left out is said, and how to see it."""
    monkeypatch.setenv("COLUMNS", "80")
    brief, whole = call("list", kind).out.splitlines(), call("list", kind, "--all").out.splitlines()
    assert len(brief) <= 44
    assert (brief == whole) != (f"More of some: fairtrial list {kind} WORD; of all: --all" in brief)
    assert kind != "experiments" or any("more are of studies: fairtrial list studies" in line for line in brief)


def test_of_those_in_which_words_occur_all_is_listed(call: Call) -> None:
    found = call("list", "stacks", "express", "PostgreSQL").out
    assert found.split()[0] == "node-express" and "variants: default" in found and "python" not in found
    nothing = call("list", "stacks", "cobol\x1b")
    assert nothing.status == 2 and r"cobol\x1b: in none of the stacks" in nothing.err


def test_the_list_of_studies(call: Call, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert [line.rstrip() for line in call("list", "studies").out.splitlines()] == snapshot


def test_a_list_that_fits_is_a_table() -> None:
    console = Console(width=40, file=StringIO())
    _print(console, {"stack": ["a", "b"], "class": ["engine", "engine"], "title": ["Short", "Shorter"]})
    assert console.file.getvalue().splitlines()[0].split() == ["stack", "class", "title"]  # type: ignore[attr-defined]
