"""Preparation: builds side by side, their failures, an interrupt, and what is reported meanwhile."""

import threading
import time
from pathlib import Path

import pytest

from fairtrial.base.cache.once import CacheNotWritable
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.catalog.stacks.model import Stack
from fairtrial.lab.preparation import BUILDS_PER_CPU, StackBuild, StepTimes, preparing
from fairtrial.lab.trial.ready_stack import ReadyStack
from tests.catalog.stacks.stack_in import stack_in
from tests.conftest import left_running
from tests.waiting import PATIENCE_SECONDS, wait_for

pytestmark = pytest.mark.usefixtures("cache")


def silent() -> StepTimes:
    return StepTimes(lambda _text: None)


def prepared(logs: Path, *builds: StackBuild, steps: StepTimes | None = None) -> dict[tuple[str, int], ReadyStack]:
    with preparing(builds, services=["sqlite"], logs=logs, steps=steps or silent()) as preparation:
        return preparation.ready_stacks()


def meeting(folder: Path, name: str, other: str) -> Stack:
    """A stack whose build ends only while, or after, the other's runs; it gives up after half a minute."""
    wait = f"for i in $(seq 600); do [ -e {folder}/{other}.began ] && exit 0; sleep 0.05; done; exit 1"
    return stack_in(folder, name, f"touch {folder}/{name}.began; {wait}")


def test_stacks_are_built_side_by_side(tmp_path: Path) -> None:
    stacks = [meeting(tmp_path, "here", "there"), meeting(tmp_path, "there", "here")]
    ready = prepared(tmp_path / "logs", *map(StackBuild, stacks))
    assert [each.failure for each in ready.values()] == [None, None]


def test_a_cache_that_cannot_be_written_is_no_fault_of_a_stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends the preparation: before the first trial, and once."""
    stacks = [stack_in(tmp_path, name, "true") for name in ("one", "other")]
    occupied = tmp_path / "occupied"
    occupied.touch()
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(occupied))
    with pytest.raises(CacheNotWritable, match="cannot be written") as caught:
        prepared(tmp_path / "logs", *map(StackBuild, stacks))
    assert "FAIRTRIAL_CACHE" in caught.value.remedy and caught.value.exit_status == NOTHING_RAN


def test_the_caller_goes_on_while_stacks_are_built(tmp_path: Path) -> None:
    stack = meeting(tmp_path, "built", "caller")
    with preparing([StackBuild(stack)], services=[], logs=tmp_path / "logs", steps=silent()) as preparation:
        (tmp_path / "caller.began").touch()
        ready = preparation.ready_stacks()["built", 1]
    assert ready.failure is None


def test_every_build_of_every_stack_is_found_by_its_name_and_number(tmp_path: Path) -> None:
    slow = stack_in(tmp_path, "slow", "sleep 0.3")
    quick = stack_in(tmp_path, "quick", "true")
    ready = prepared(
        tmp_path / "logs",
        StackBuild(slow),
        StackBuild(quick),
        StackBuild(slow, build=2),
    )
    assert set(ready) == {("slow", 1), ("quick", 1), ("slow", 2)}
    assert all(each.identity.name == name for (name, _), each in ready.items())
    assert len({each.folder for each in ready.values()}) == 3


def test_a_failed_build_is_that_stacks_failure_alone(tmp_path: Path) -> None:
    needs = {"command": ["no-such-compiler"], "remedy": "install it"}
    ready = prepared(
        tmp_path / "logs",
        StackBuild(stack_in(tmp_path, "fails", "exit 3")),
        StackBuild(stack_in(tmp_path, "lacks", "true", requires=[needs])),
        StackBuild(stack_in(tmp_path, "works", "true")),
    )
    assert {name: each.failure and each.failure.stage for (name, _), each in ready.items()} == {
        "fails": "build",
        "lacks": "requirements",
        "works": None,
    }
    assert [name for (name, _), each in ready.items() if each.folder is not None] == ["works"]


def test_a_variant_built_apart_is_found_by_its_name_and_fails_by_itself(tmp_path: Path) -> None:
    needs = {"command": ["no-such-compiler"], "remedy": "install it"}
    variants = {
        "fast": {"build": [["true"]], "requires": [{"command": ["echo", "cc 13"], "remedy": "none"}]},
        "lacks": {"build": [["true"]], "requires": [needs]},
    }
    stack = stack_in(tmp_path, "varied", "true", variants=variants)
    ready = prepared(
        tmp_path / "logs", StackBuild(stack), StackBuild(stack, built_apart="fast"), StackBuild(stack, 1, "lacks")
    )
    own, fast, lacks = (ready[name, 1] for name in ("varied", "varied:fast", "varied:lacks"))
    assert own.folder and fast.folder and own.folder != fast.folder
    assert [each.identity.built_apart for each in (own, fast, lacks)] == [None, "fast", "lacks"]
    assert [each.identity.versions for each in (own, fast)] == [{}, {"echo cc 13": "cc 13"}]
    assert lacks.failure and lacks.failure.stage == "requirements" and lacks.failure.remedy == "install it"


def test_stacks_are_built_for_the_services_of_the_run(tmp_path: Path) -> None:
    stack = stack_in(tmp_path, "chosen", build=[["sh", "-c", "echo $0 > for", "{services}"]])
    ready = prepared(tmp_path / "logs", StackBuild(stack))["chosen", 1]
    assert ready.folder
    assert (ready.folder / "for").read_text() == "sqlite\n"


def test_an_interrupt_ends_every_build_at_once(tmp_path: Path, cache: Path) -> None:
    names = ["long-a", "long-b"]
    stacks = [stack_in(tmp_path, name, f"sleep 300 & touch {tmp_path}/{name}.began; wait") for name in names]

    def interrupted() -> None:
        with preparing(list(map(StackBuild, stacks)), services=[], logs=tmp_path / "logs", steps=silent()):
            wait_for(lambda: all((tmp_path / f"{name}.began").exists() for name in names), "every build has begun")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert left_running(tmp_path, cache) == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("build")]
    assert not list((cache / "stacks").glob("long-*/*"))


def test_builds_that_had_no_turn_do_not_begin_after_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {0})
    stacks = [
        stack_in(tmp_path, f"turn-{turn}", f"touch {tmp_path}/{turn}.began; sleep 300")
        for turn in range(BUILDS_PER_CPU + 1)
    ]

    def interrupted() -> None:
        with preparing(list(map(StackBuild, stacks)), services=[], logs=tmp_path / "logs", steps=silent()):
            wait_for((tmp_path / f"{BUILDS_PER_CPU - 1}.began").exists, "the last build with a turn has begun")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not (tmp_path / f"{BUILDS_PER_CPU}.began").exists()


def test_progress_names_what_runs_and_comes_from_one_thread_at_a_time(tmp_path: Path) -> None:
    inside, overlaps, lines = threading.Lock(), [], []

    def on_progress(text: str) -> None:
        if not inside.acquire(blocking=False):
            overlaps.append(text)
            return
        time.sleep(0.01)
        lines.append(text)
        inside.release()

    steps = StepTimes(on_progress)
    stacks = [stack_in(tmp_path, f"shown-{number}", "true") for number in range(4)]
    prepared(tmp_path / "logs", *map(StackBuild, stacks), steps=steps)
    assert overlaps == []
    assert sorted(lines) == [f"building shown-{number}" for number in range(4)], "no line repeats another"
    assert steps.line() == ""


def test_a_display_may_ask_which_steps_run_while_it_is_reported_to() -> None:
    """A display redraws itself in a thread of its own, under a lock that it also takes when something is reported."""
    display, shown = threading.Lock(), []

    def on_progress(_text: str) -> None:
        with display:
            shown.append(steps.line())

    def redraw() -> None:
        for _ in range(2000):
            with display:
                steps.line()

    steps = StepTimes(on_progress)
    redrawing = threading.Thread(target=redraw, daemon=True)
    redrawing.start()
    for number in range(200):
        with steps.step(f"step {number}"):
            pass
    redrawing.join(PATIENCE_SECONDS)
    assert not redrawing.is_alive()
    assert shown == [f"step {number}" for number in range(200)]


def test_what_is_in_the_cache_is_no_step(tmp_path: Path) -> None:
    stack = stack_in(tmp_path, "kept", "true")
    prepared(tmp_path / "logs", StackBuild(stack))
    lines: list[str] = []
    prepared(tmp_path / "logs", StackBuild(stack), steps=StepTimes(lines.append))
    assert lines == []


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("fairtrial.lab.preparation.time.monotonic", clock)
    return clock


def test_the_slowest_step_is_named_as_it_happens_and_at_the_end(clock: Clock, snapshot: object) -> None:
    lines: list[str] = []
    steps = StepTimes(lines.append)
    steps.begin("building go-nethttp")
    clock.now = 2
    steps.begin("building rust-axum")
    clock.now = 72
    steps.end("building go-nethttp")
    clock.now = 100
    steps.end("building rust-axum")
    assert lines == snapshot
    assert steps.summary() == snapshot


def test_steps_that_begin_together_have_one_line_each(clock: Clock, snapshot: object) -> None:
    """Five builds begin at once: lines that name all that go on would say the first one five times."""
    lines: list[str] = []
    steps = StepTimes(lines.append)
    names = [f"building stack-{number}" for number in range(5)]
    for name in names:
        steps.begin(name)
    assert lines == names and steps.line() == ", ".join(names)
    clock.now = 3
    for name in names:
        steps.end(name)
    assert lines[5] == snapshot
    assert lines[8:] == snapshot


def test_steps_that_took_no_time_are_not_mentioned(clock: Clock) -> None:
    lines: list[str] = []
    steps = StepTimes(lines.append)
    steps.begin("building python-threads")
    clock.now = 0.2
    steps.end("building python-threads")
    assert lines == ["building python-threads"]
    assert steps.summary() == "everything ready after 0:00"
