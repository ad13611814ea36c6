"""What a stack needs on the machine."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.requirements import installed_versions
from tests.catalog.stacks.stack_in import stack_in


def test_a_requirement_s_command_runs_in_the_stack_s_folder(tmp_path: Path) -> None:
    needs = {"command": ["cat", "source"], "minimum": "21", "remedy": "install it"}
    assert installed_versions(stack_in(tmp_path, "jdk-25.0.3", requires=[needs])) == {"cat source": "jdk-25.0.3"}
    with pytest.raises(Problem, match=r"cat is jdk-17\.0\.15, and 21 is needed") as problem:
        installed_versions(stack_in(tmp_path, "jdk-17.0.15", requires=[needs]))
    assert problem.value.remedy == "install it"
