"""The experiment that `fairtrial why REF_A REF_B` makes of a service's commits and the packages that they switch."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.commands.why_start import service_to_try
from fairtrial.experiment.why import Why
from tests.catalog.stacks.repositories import a_repository, git
from tests.lines import passage

FILE = """
name = "shop"
title = "shop"
workload = "plaintext"
stacks = ["app"]
[load]
kind = "closed"
[contenders.app]
folder = "."
command = ["python3", "app.py"]
"""


def pinned(packages: int, version: int) -> str:
    return "".join(f"p{place:02}=={version}\n" for place in range(packages))


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a service, which is the working one. Its second commit switches 12 packages and its code, its
    third one alone."""
    monkeypatch.chdir(tmp_path)
    texts = [{"requirements.txt": pinned(12, version), "app.py": str(version)} for version in (1, 2)]
    a_repository(
        tmp_path, {"fairtrial.toml": FILE} | texts[0], texts[1], {"requirements.txt": pinned(11, 2) + "p11==3\n"}
    )
    git(tmp_path, "tag", "second", "HEAD~1")
    return tmp_path


def asked(start: str, end: str) -> tuple[list[str], Why]:
    """The refs that are tried, and the question."""
    experiment = service_to_try(start, end, [])
    assert experiment is not None and experiment.why is not None
    refs = experiment.contenders["app"].refs
    assert [str(each.stack.variant) for each in experiment.why.conditions] == [each.lower() for each in refs]
    return refs, experiment.why


def titles(why: Why) -> list[str]:
    return list(why.changes)


def test_packages_of_one_commit_are_steps_and_what_is_in_one_is_divided_when_asked_again(
    shop: Path, capsys: pytest.CaptureFixture[str], snapshot: object
) -> None:
    refs, why = asked("first", "second")
    assert refs[0] == "first" and refs[-1] == "second" and len(refs) == 11
    assert titles(why)[3:5] == ["p04 1 to 2", "p05 1 to 2, p06 1 to 2"] and titles(why)[-1] == "the rest (app.py)"
    assert why.changes["the rest (app.py)"] == f"app:second from app:{refs[-2]}"
    told = capsys.readouterr().err
    assert told.partition("\n")[0] == snapshot
    assert f"  {refs[5]}: p05 1 to 2, p06 1 to 2\n" in told
    assert passage(told, "ask again", "of them") == snapshot

    assert titles(asked(refs[4], refs[5])[1]) == ["p05 1 to 2", "p06 1 to 2"]
    assert "ask again" not in capsys.readouterr().err
    several, why = asked(refs[1], refs[4])
    assert several == refs[1:5] and titles(why)[0] == "p02 1 to 2", "commits of its own have their titles"
    assert titles(asked(refs[-3], "second")[1]) == ["p10 1 to 2", "p11 1 to 2", "the rest (app.py)"]
    with pytest.raises(Problem, match="nothing to divide"):
        service_to_try(refs[-2], "second", [])


def test_several_commits_are_steps_as_they_are(shop: Path) -> None:
    refs, why = asked("first", "main")
    assert len(refs) == 3 and why.titles == {} and titles(why) == [f"app:{refs[1]}", "app:main"]


def test_one_package_alone_is_compared_by_ab_test(shop: Path, snapshot: object) -> None:
    with pytest.raises(Problem, match="1 commit between them") as problem:
        service_to_try("second", "main", [])
    assert problem.value.remedy == snapshot


def test_what_is_not_committed_is_one_commit(shop: Path) -> None:
    (shop / "requirements.txt").write_text(pinned(2, 5) + pinned(11, 2)[14:] + "p11==3\n")
    refs, why = asked("HEAD", "working-tree")
    assert titles(why) == ["p00 2 to 5", "p01 2 to 5"] and refs[-1] == "working-tree"
    assert git(shop, "diff", "--name-only") == "requirements.txt"


def test_a_contender_that_is_not_there_is_named_with_those_that_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    monkeypatch.chdir(tmp_path)
    servers = FILE.replace('folder = "."', 'directory = "."').replace("app]", "{name}]").partition("[contenders")
    (tmp_path / "fairtrial.toml").write_text(
        servers[0] + "".join("".join(servers[1:]).format(name=name) for name in ("app", "other"))
    )
    with pytest.raises(Problem) as error:
        service_to_try("app", "othr", [])
    assert str(error.value) == snapshot
    with pytest.raises(Problem) as error:
        service_to_try("HEAD", "app", [])
    assert str(error.value) == snapshot
