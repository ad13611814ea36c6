"""A published study, repeated whole: `fairtrial run STUDY --all`."""

from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.exit_status import INTERRUPTED
from fairtrial.base.problem import Problem
from fairtrial.commands import carry_out
from fairtrial.experiment.studies import STUDIES, Study
from tests.called_here import Call
from tests.command_line import Lab
from tests.lines import line_with, passage

CLAIM = """
[[claims]]
id = "answers"
kind = "property"
text = "It answers all, or none does"
of = "tried"
property = "all-answered"
holds = {holds}
"""


@pytest.fixture
def study(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> str:
    """A study of two experiments in the lab's folder, the second of which has a claim that is refuted."""
    lab.stack("tried")
    files: dict[str, Path] = {}
    for name, holds in (("mine-first", "true"), ("mine-second", "false")):
        text = lab.experiment("tried", more=CLAIM.format(holds=holds)).read_text()
        files[name] = lab.folder / f"{name}.toml"
        files[name].write_text(text.replace('name = "tried"', f'name = "{name}"'))
    monkeypatch.setattr("fairtrial.experiment.studies.shipped_experiments", lambda: files)
    monkeypatch.setitem(STUDIES, "mine", Study("mine", "A study of mine", ("mine-",)))  # type: ignore[arg-type]
    return "mine"


def test_a_study_goes_on_where_it_was_interrupted(
    lab: Lab, call: Call, study: str, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    arguments = ["run", study, "--all", "--stacks", lab.stacks]
    whole = carry_out.carry_out

    def interrupted_at_the_second(console: Any, experiment: Any, *others: Any, **options: Any) -> Any:
        if experiment.name == "mine-second":
            raise Problem("interrupted before the first trial: nothing was measured", "", INTERRUPTED)
        return whole(console, experiment, *others, **options)

    with monkeypatch.context() as patched:
        patched.setattr(carry_out, "carry_out", interrupted_at_the_second)
        first = call(*arguments)
    assert first.status == INTERRUPTED, first.err
    assert passage(first.out, "A study of mine:", "10 seconds") == snapshot
    assert "✓ upheld  mine-first/answers" in first.out and "mine-second" in first.out
    assert "1 claim: 1 upheld" in first.out and "goes on" in first.out

    second = call(*arguments)
    assert second.status == 1, second.err
    told = " ".join(second.out.split())
    assert passage(told, "1 experiment, about", "1 of them") == snapshot
    assert passage(told, "1 of 2", "results/mine") == snapshot
    assert "✓ upheld   mine-first/answers" in second.out and "✗ refuted  mine-second/answers" in second.out
    assert "2 claims: 1 upheld, 1 refuted" in second.out

    third = call(*arguments)
    assert third.status == 1 and "0 experiments" in third.out and "2 claims" in third.out
    assert len(list((lab.folder / "results" / "mine").iterdir())) == 2


def test_what_cannot_be_repeated_whole(call: Call, study: str, snapshot: object) -> None:
    unknown = call("run", "nine", "--all")
    assert unknown.status == 2
    assert line_with(unknown.err, "there is no") == snapshot
    twice = call("run", study, "--all", "--junit", "x.xml")
    assert twice.status == 2 and "--junit" in twice.err
