"""Builds of stacks: a private copy, once for each content, toolchain and choice of services."""

import fcntl
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace

import pytest

from fairtrial.base.locations import cache_folder
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.build import BuildCancelled
from fairtrial.catalog.stacks.folder import find_build, ready
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.catalog.stacks.requests import BuildRequest
from tests.catalog.stacks.stack_in import stack_in
from tests.conftest import left_running

pytestmark = pytest.mark.usefixtures("cache")


def built(stack: Stack, log: Path, *services: str) -> tuple[Path, bool]:
    """The folder, and whether the stack had to be built."""
    begun: list[str] = []
    folder = ready(BuildRequest(stack, log, lambda: begun.append(stack.name), services=services or None)).folder
    return folder, bool(begun)


def test_a_stack_is_built_once_and_its_own_folder_stays_clean(tmp_path: Path) -> None:
    stack = stack_in(tmp_path, "built-once", "cp source made")
    folder, began = built(stack, tmp_path / "log")
    assert began
    assert (folder / "made").read_text() == "built-once"
    assert built(stack, tmp_path / "log") == (folder, False)
    assert [path.name for path in stack.folder.iterdir()] == ["source"]


def test_builds_of_another_number_or_toolchain_are_apart(tmp_path: Path) -> None:
    stack, log = stack_in(tmp_path, "apart", "true"), tmp_path / "log"
    folders = {
        ready(BuildRequest(stack, log, lambda: None, build, versions)).folder
        for versions, build in [({}, 1), ({}, 2), ({"cc --version": "13"}, 1)]
    }
    assert len(folders) == 3


def test_a_build_that_names_its_services_is_made_for_each_choice_of_them(tmp_path: Path) -> None:
    stack = stack_in(tmp_path, "chooses", build=[["sh", "-c", "echo $0 > chosen", "only,{services}"]])
    one, began_one = built(stack, tmp_path / "log", "sqlite")
    two, began_two = built(stack, tmp_path / "log", "redis", "sqlite")
    every, began_every = built(stack, tmp_path / "log")
    assert began_one and began_two and began_every
    assert (one / "chosen").read_text() == "only,sqlite\n"
    assert (two / "chosen").read_text() == "only,sqlite,redis\n", "in the order of the manifest"
    assert (every / "chosen").read_text() == "only,none,sqlite,redis\n"
    assert built(stack, tmp_path / "log", "sqlite", "mariadb") == (one, False), "mariadb is none of its services"


def test_a_build_for_all_services_is_found_once_it_was_made(tmp_path: Path) -> None:
    stack = stack_in(tmp_path, "whole", build=[["sh", "-c", "echo $0 > chosen", "{services}"]])
    built(stack, tmp_path / "log", "sqlite")
    assert find_build(BuildRequest(stack, tmp_path / "log", lambda: None)) is None
    every, _ = built(stack, tmp_path / "log")
    assert find_build(BuildRequest(stack, tmp_path / "log", lambda: None)) == every
    assert find_build(BuildRequest(stack, tmp_path / "log", lambda: None, versions={"cc --version": "13"})) is None


def test_builds_of_a_stack_share_what_cargo_compiles_between(tmp_path: Path) -> None:
    edited, other = (
        stack_in(tmp_path, name, "printf %s $CARGO_BUILD_BUILD_DIR >shared") for name in ("edited", "other")
    )
    before, _ = built(edited, tmp_path / "log")
    (edited.folder / "source").write_text("anew")
    after, began = built(edited, tmp_path / "log")
    of_other, _ = built(other, tmp_path / "log")
    assert began and before != after
    assert [(folder / "shared").read_text() for folder in (before, after, of_other)] == [
        str(cache_folder() / "cargo" / name) for name in ("edited", "edited", "other")
    ]


def test_services_make_no_difference_to_other_stacks(tmp_path: Path) -> None:
    stack = stack_in(tmp_path, "indifferent", "true")
    folder, _ = built(stack, tmp_path / "log", "sqlite")
    assert built(stack, tmp_path / "log", "redis") == (folder, False)


def test_a_variant_is_built_by_its_own_commands_apart_from_the_stack_and_from_other_variants(tmp_path: Path) -> None:
    script = ["sh", "-c", "echo $0 > made", "fast,{services}"]
    variants = {"fast": Variant(build=[script]), "again": Variant(build=[script]), "settings": Variant()}
    stack, log = stack_in(tmp_path, "own-builds", "echo slow > made", variants=variants), tmp_path / "log"

    def made(variant: str) -> Path:
        apart = stack.built_apart(variant)
        return ready(BuildRequest(stack, log, lambda: None, built_apart=apart, services=["sqlite"])).folder

    own, fast, again = made("default"), made("fast"), made("again")
    assert (own / "made").read_text() == "slow\n"
    assert (fast / "made").read_text() == (again / "made").read_text() == "fast,sqlite\n"
    assert len({own, fast, again}) == 3
    assert made("settings") == own, "a variant without a build shares the stack's"
    assert made("fast") == fast, "and it is built once"


def test_a_failed_build_is_reported_with_the_end_of_its_output(tmp_path: Path, cache: Path) -> None:
    stack = stack_in(tmp_path, "broken", "echo no such driver; exit 3")
    with pytest.raises(Problem, match=r"status 3:\n.*no such driver"):
        built(stack, tmp_path / "log")
    assert not list((cache / "stacks").glob("broken-*/*"))


@pytest.mark.parametrize(
    "said",
    [
        "pip: connection broken by 'NewConnectionError(...)': Temporary failure in name resolution",
        "npm error code EAI_AGAIN",
        "go: dial tcp: lookup proxy.invalid: no such host",
        "Unknown host repo.invalid: Name or service not known",
    ],
)
def test_a_build_without_a_network_is_not_the_stacks_fault(tmp_path: Path, said: str) -> None:
    stack = stack_in(tmp_path, "fetches", build=[["sh", "-c", "echo $0 >&2; exit 1", said]])
    with pytest.raises(Problem) as caught:
        built(stack, tmp_path / "log")
    assert caught.value.remedy.startswith("packages are fetched once: see to the network")


@pytest.mark.parametrize(("free", "remedy"), [(2**20, "free space in "), (2**30, "mend the stack")])
def test_on_a_full_disk_a_failed_build_asks_for_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, remedy: str
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    with pytest.raises(Problem) as problem:
        built(stack_in(tmp_path, "broken", "echo package sync is not in std; exit 1"), tmp_path / "log")
    assert problem.value.remedy.startswith(remedy)


def test_a_build_that_was_cancelled_before_it_began_starts_nothing(tmp_path: Path) -> None:
    cancelled = Event()
    cancelled.set()
    stack = stack_in(tmp_path, "never", f"touch {tmp_path}/started")
    with pytest.raises(BuildCancelled):
        ready(BuildRequest(stack, tmp_path / "log", lambda: None, cancelled=cancelled))
    assert not (tmp_path / "started").exists()


def test_a_build_that_waits_for_another_can_be_cancelled(tmp_path: Path, cache: Path) -> None:
    stack = stack_in(tmp_path, "waits", "true")
    folder, _ = built(stack, tmp_path / "log")
    (folder / ".complete").unlink()
    cancelled, outcomes = Event(), []

    def build() -> None:
        try:
            outcomes.append(ready(BuildRequest(stack, tmp_path / "log", lambda: None, cancelled=cancelled)))
        except BuildCancelled as ended:
            outcomes.append(ended)

    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        thread = Thread(target=build)
        thread.start()
        cancelled.set()
        thread.join(20)
    assert [type(outcome) for outcome in outcomes] == [BuildCancelled]
    assert left_running(cache) == []
