"""What a stack needs on the machine."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.requirements import installed_versions
from tests.catalog.stacks.stack_in import stack_in


def test_a_requirement_s_command_runs_in_the_stack_s_folder(tmp_path: Path, snapshot: object) -> None:
    needs = {"command": ["cat", "source"], "minimum": "21", "remedy": "install it"}
    stack = stack_in(tmp_path, "jdk-25", requires=[needs])
    assert installed_versions(stack) == {"cat source": "jdk-25"}
    (stack.folder / "source").write_text("jdk-17")
    with pytest.raises(Problem) as problem:
        installed_versions(stack)
    assert str(problem.value) == snapshot
    assert problem.value.remedy == "install it"


def test_a_version_is_read_without_its_colours(tmp_path: Path) -> None:
    needs = {"command": ["printf", r"\033[0m\033[1mTool 3.8.7\033[m\n"], "minimum": "3.6.3", "remedy": "install it"}
    assert list(installed_versions(stack_in(tmp_path, "coloured", requires=[needs])).values()) == ["Tool 3.8.7"]


def test_a_command_does_not_see_the_make_that_started_the_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAKEFLAGS", " -j2 --jobserver-auth=3,4")
    needs = {"command": ["sh", "-c", "echo ${MAKEFLAGS-Tool 3.8.7}"], "minimum": "3.6.3", "remedy": "install it"}
    assert list(installed_versions(stack_in(tmp_path, "made", requires=[needs])).values()) == ["Tool 3.8.7"]


def test_a_command_that_does_not_end_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    monkeypatch.setattr("fairtrial.catalog.stacks.requirements.ANSWER_WITHIN_SECONDS", 0.1)
    needs = {"command": ["sleep", "20"], "remedy": "install it"}
    with pytest.raises(Problem) as error:
        installed_versions(stack_in(tmp_path, "slow", requires=[needs]))
    assert str(error.value) == snapshot


@pytest.mark.parametrize(("says", "told"), [("echo no toolchain is chosen >&2;", ": no toolchain is chosen"), ("", "")])
def test_what_a_command_says_that_fails_is_told(tmp_path: Path, says: str, told: str) -> None:
    """As rustup's programs, which answer only where a toolchain is chosen, and name no version then."""
    needs = {"command": ["sh", "-c", f"{says} exit 1"], "remedy": "install it"}
    with pytest.raises(Problem) as problem:
        installed_versions(stack_in(tmp_path, "failing", requires=[needs]))
    assert problem.value.reason == f"`sh -c {says} exit 1` ended with status 1{told}"
