"""The files of examples/ work."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from fairtrial.catalog.stacks.contenders import with_contenders
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.experiment.files import load_experiment
from fairtrial.plan.make import make_plan
from tests.command_line import CALM, Lab
from tests.docs.pages import DOCS, EXAMPLES
from tests.machine.needs import needs

EXPERIMENTS = sorted(EXAMPLES.glob("*.toml"))
COPIES = ("rust", "java", "node")
"""Folders of servers of gRPC with a copy of `aio/shop.proto`."""

PUBLIC = [file for file in sorted((EXAMPLES / "public-entries").glob("*.toml")) if "workload" not in file.name]


def test_the_first_stack_keeps_its_contract(lab: Lab) -> None:
    finished = lab.fairtrial("check", EXAMPLES / "first-stack", timeout_seconds=300)

    assert finished.status == 0, finished.out + finished.err
    assert "✗" not in finished.out


def test_the_first_experiment_runs_and_judges_its_claims(lab: Lab) -> None:
    experiment = lab.folder / "first-experiment.toml"
    experiment.write_text((EXAMPLES / "first-experiment.toml").read_text() + CALM)

    finished = lab.fairtrial("run", experiment, "--stacks", EXAMPLES, "--quick", "--blocks", "1", timeout_seconds=300)

    assert finished.status in (0, 1, 3), finished.err
    outcomes = {condition["outcome"] for condition in finished.result["conditions"]}
    assert outcomes == {"valid"}, finished.out
    claims = {claim["id"]: claim for claim in finished.result["claims"]}
    assert claims["standard-library-is-faster"]["estimate"] is not None
    assert claims["median-within-budget"]["estimate"] is not None


@pytest.mark.parametrize("file", EXPERIMENTS, ids=lambda file: file.stem)
def test_every_example_experiment_is_accepted(file: Path) -> None:
    make_plan(load_experiment(file), find_stacks([EXAMPLES]), file)


def test_the_experiment_on_an_api_of_one_s_own_runs(lab: Lab) -> None:
    folder = lab.folder / "own-api"
    shutil.copytree(EXAMPLES / "own-api", folder)
    file = folder / "experiment.toml"
    # Beside other tests, the pace may rise until the limit of the warm-up, which refuses the trial.
    file.write_text(file.read_text().replace("[load]", "[load]\nwarmup_limit_seconds = 0.6") + CALM)

    command = ("run", folder / "experiment.toml", "--stacks", folder, "--stack", "shop", "--quick", "--blocks", "1")
    finished = lab.fairtrial(*command)

    assert finished.status in (0, 1, 3), finished.err
    (condition,) = finished.result["conditions"]
    assert condition["outcome"] == "valid", finished.out
    assert [request["name"] for request in condition["requests"]] == ["browse", "look", "order"]
    (claim,) = finished.result["claims"]
    assert claim["id"] == "orders-are-quick"


def test_the_servers_of_grpc_speak_the_same() -> None:
    ours, *copies = ((EXAMPLES / "grpc" / folder / "shop.proto").read_text() for folder in ("aio", *COPIES))
    assert copies == [ours] * len(COPIES)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(("go", "aio", "node"), marks=needs("go-nethttp", "node-http")),
        pytest.param(("rust", "java"), marks=needs("rust-axum", "java-spring")),  # their cold builds take a minute
    ],
    ids="-".join,
)
def test_servers_of_grpc_keep_their_contract_and_are_compared(lab: Lab, names: Sequence[str]) -> None:
    folder = lab.folder / "grpc"
    shutil.copytree(EXAMPLES / "grpc", folder)
    file = folder / "experiment.toml"
    # A JVM beside other tests gets faster beyond any limit of the warm-up. One of a fixed length is not looked at.
    file.write_text(
        file.read_text().replace("[load]", "[load]\nwarmup_seconds = 0.5\nwarmup_limit_seconds = 0.5") + CALM
    )
    experiment = (file, *(word for name in names for word in ("--stack", name)))

    checked = lab.fairtrial("check", *experiment, timeout_seconds=600)
    finished = lab.fairtrial("run", *experiment, "--quick", "--blocks", "1", timeout_seconds=120)

    assert checked.status == 0, checked.out + checked.err
    assert checked.out.count("✓ look-in-vain: ") == len(names) and "(NOT_FOUND" in checked.out
    assert "close" not in checked.out, "HTTP/1.1 is asked nothing"
    assert finished.status in (0, 1, 3), finished.err
    outcomes = {condition["contender"]: condition["outcome"] for condition in finished.result["conditions"]}
    assert outcomes == dict.fromkeys(names, "valid"), finished.out
    if "go" in names:
        assert finished.result["claims"][0]["estimate"] > 1
    examined = {finding["check"]: finding["examined"] for finding in finished.result["findings"]}
    assert not any(examined[check] for check in ("ledger", "stale", "writes-stored", "answered-while-held"))


@needs("postgresql", "node-express", "python-fastapi")
def test_the_commands_on_two_services_are_carried_out(lab: Lab) -> None:
    """The page's commands, on a copy. The last is the one before it with longer trials, and is not run."""
    folder = lab.folder / "examples" / "two-services"
    shutil.copytree(EXAMPLES / "two-services", folder)
    with (folder / "experiment.toml").open("a") as file:
        file.write(CALM)
    commands = re.findall(r"^    fairtrial (.+)$", (DOCS / "two-services.md").read_text(), re.MULTILINE)
    copy, install, check, quick, run = (command.split() for command in commands)
    assert copy == ["init", "--examples"]
    assert quick == [*run, "--quick"]

    assert lab.fairtrial(*install).status == 0
    checked = lab.fairtrial(*check, timeout_seconds=300)
    assert checked.status == 0 and "✗" not in checked.out, checked.out + checked.err
    finished = lab.fairtrial(*quick, "--blocks", "1", timeout_seconds=300)

    assert finished.status in (0, 1, 3), finished.err
    outcomes = {condition["contender"]: condition["outcome"] for condition in finished.result["conditions"]}
    assert outcomes == {"express": "valid", "fastapi": "valid"}, finished.out
    # Each answer takes one statement. What asyncpg's pool sends to reset a session is none of them.
    assert finished.result["claims"][0]["estimate"] is not None
    assert "unequal-work" not in finished.out


@pytest.mark.parametrize("file", PUBLIC, ids=lambda file: file.stem)
def test_the_experiments_on_public_entries_are_accepted(file: Path) -> None:
    """Without the entries themselves, which are fetched: every name, key and request is one that there is."""
    experiment = load_experiment(file)
    plan = make_plan(experiment, with_contenders({}, experiment, file.parent, {}), file)
    assert {condition.stack.origin.network for condition in plan.conditions} == {"own"}
    assert {stack.name for stack in experiment.stacks} == set(experiment.contenders)


def test_the_index_of_examples_names_them_all() -> None:
    index = (EXAMPLES / "README.md").read_text()
    for path in EXAMPLES.iterdir():
        assert path.name == "README.md" or f"]({path.name})" in index, path.name
