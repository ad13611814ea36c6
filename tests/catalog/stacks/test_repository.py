"""Commits of a contender's repository, each in a worktree that is removed afterwards."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.contenders import checked_out
from fairtrial.catalog.stacks.repository import Repository, state_of, usual_refs
from fairtrial.experiment.contenders import SHORT_HASH, WORKING_TREE
from fairtrial.experiment.model import Experiment
from tests.catalog.stacks.repositories import a_repository, git


@pytest.fixture
def service(tmp_path: Path) -> Path:
    """A service in a folder of a repository with two commits."""
    a_repository(tmp_path / "shop", {"api/app": "old"}, {"api/app": "new"})
    return tmp_path / "shop" / "api"


def an_experiment(folder: str, *refs: str) -> Experiment:
    file = {"name": "x", "title": "x", "workload": "plaintext", "stacks": ["app"], "load": {"kind": "closed"}}
    return Experiment.model_validate(file | {"contenders": {"app": {"folder": folder, "refs": list(refs)}}})


def test_every_ref_has_its_files_until_the_end(service: Path) -> None:
    old, new = (git(service, "rev-parse", ref) for ref in ("first", "HEAD"))
    git(service, "config", "core.hooksPath", str(service))
    hook = service / "post-checkout"
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    (service / "app").write_text("changed")
    (service / "unknown").write_text("to git")
    with checked_out(an_experiment("api", "first", "HEAD", WORKING_TREE), service.parent) as checkouts:
        sources = checkouts["app"]
        assert {name: (each.folder / "app").read_text() for name, each in sources.items()} == {
            "first": "old",
            "head": "new",
            "working-tree": "changed",
        }
        assert [each.commit for each in sources.values()] == [old, new, None]
        assert not any((each.folder / "unknown").exists() for each in sources.values())
        assert not any((each.folder.parent / "ran").exists() for each in sources.values())
        assert len(git(service, "worktree", "list").splitlines()) == 4
    assert not any(each.folder.exists() for each in sources.values())
    assert len(git(service, "worktree", "list").splitlines()) == 1
    assert (service / "app").read_text() == "changed"
    assert git(service, "stash", "list") == ""


def test_an_interrupt_leaves_no_worktree(service: Path) -> None:
    with pytest.raises(KeyboardInterrupt), checked_out(an_experiment(".", "first", "HEAD"), service):
        raise KeyboardInterrupt
    assert len(git(service, "worktree", "list").splitlines()) == 1


@pytest.mark.parametrize(
    ("folder", "refs", "words"),
    [
        ("api", ("first", "nosuch"), "git knows no commit 'nosuch'"),
        ("nosuch", ("first", "HEAD"), "there is no folder"),
        ("..", ("first", "HEAD"), "not in a git repository"),
        ("later", ("first", "HEAD"), "there is no folder later"),
    ],
)
def test_what_cannot_be_checked_out_is_told(service: Path, folder: str, refs: tuple[str, ...], words: str) -> None:
    (service.parent / "later").mkdir()
    (service.parent / "later" / "app").write_text("x")
    git(service, "add", "--all", "..")
    git(service, "commit", "--quiet", "--message", "x")
    with pytest.raises(Problem) as problem, checked_out(an_experiment(folder, *refs), service.parent):
        pass
    assert words in problem.value.reason
    assert problem.value.remedy
    assert len(git(service, "worktree", "list").splitlines()) == 1


def changed(service: Path) -> None:
    (service / "app").write_text("changed")


def branched(service: Path) -> None:
    git(service, "checkout", "--quiet", "-b", "topic")
    git(service, "commit", "--quiet", "--allow-empty", "--message", "x")


def untracked(service: Path) -> None:
    branched(service)
    (service / "results").write_text("of an earlier run")


@pytest.mark.parametrize(("happens", "after"), [(changed, WORKING_TREE), (branched, "HEAD"), (untracked, "HEAD")])
def test_without_refs_the_change_is_compared_with_where_it_began(
    service: Path, happens: Callable[[Path], None], after: str
) -> None:
    base = git(service, "rev-parse", "main")
    happens(service)
    assert usual_refs(Repository.of(service)) == (base[:SHORT_HASH], after)


def test_without_a_change_there_is_nothing_to_compare(service: Path) -> None:
    with pytest.raises(Problem, match="no file has changed"):
        usual_refs(Repository.of(service))


def test_a_branch_of_another_name_is_no_default(service: Path) -> None:
    git(service, "branch", "--quiet", "--move", "main", "trunk")
    with pytest.raises(Problem, match="no default branch is known"):
        usual_refs(Repository.of(service))


def test_the_last_change_is_that_of_the_folder_and_of_files_that_count(service: Path) -> None:
    """The commits that are found are those that differ there, whatever came after."""
    repository, (old, new) = Repository.of(service), (git(service, "rev-parse", each) for each in ("first", "HEAD"))
    for name in ("fairtrial.toml", "shop.workload.toml", "../README"):
        (service / name).write_text("x")
        git(service, "add", "--all", "..")
        git(service, "commit", "--quiet", "--message", name)
    last = repository.last_change()
    assert last is not None and old.startswith(last[0]) and new.startswith(last[1])
    with pytest.raises(Problem, match="no file has changed") as problem:
        usual_refs(repository)
    assert problem.value.remedy.endswith(" ".join(last))


def test_of_a_single_commit_there_is_no_last_change(tmp_path: Path, snapshot: object) -> None:
    a_repository(tmp_path, {"app": "x"})
    assert Repository.of(tmp_path).last_change() is None
    with pytest.raises(Problem, match="no file has changed") as problem:
        usual_refs(Repository.of(tmp_path))
    assert problem.value.remedy == snapshot


def test_before_the_first_commit_there_is_nothing_to_compare(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    with pytest.raises(Problem, match="no commit there yet"):
        usual_refs(Repository.of(tmp_path))


def test_of_the_repository_of_another_user_the_remedy_is_that_of_git(
    service: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container that mounts it."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(Problem, match="of another user") as problem:
        Repository.of(service)
    assert problem.value.remedy == f"git config --global --add safe.directory {service.parent}"


def test_files_that_git_neither_knows_nor_ignores_are_named(service: Path) -> None:
    for name in ("helper.py", "fairtrial.toml", "shop.workload.toml", "ignored", "results/report.html", "../beside"):
        (service / name).parent.mkdir(exist_ok=True)
        (service / name).write_text("x")
    (service / ".gitignore").write_text("ignored\n")
    git(service, "add", ".gitignore")
    assert Repository.of(service).unknown_files() == ["helper.py", "results/"]


def test_submodules_are_checked_out_as_each_commit_has_them(service: Path, tmp_path: Path) -> None:
    """Of the working tree's, without network; those that it does without stay empty."""
    old, new = a_repository(tmp_path / "library", {"text": "old"}, {"text": "new"})
    anywhere = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "library"))
    for path in ("vendor", "docs"):
        git(service, *anywhere, path)
    git(service / "vendor", "checkout", "--quiet", old)
    git(service, "commit", "--quiet", "--all", "--message", "old")
    git(service / "vendor", "checkout", "--quiet", new)
    git(service, "commit", "--quiet", "--all", "--message", "new")
    git(service, "submodule", "--quiet", "deinit", "docs")
    (tmp_path / "library").rename(tmp_path / "away")
    with checked_out(an_experiment("api", "HEAD~1", "HEAD"), service.parent) as checkouts:
        folders = [each.folder for each in checkouts["app"].values()]
        assert [(folder / "vendor/text").read_text() for folder in folders] == ["old", "new"]
        assert not any((folder / "docs/text").exists() for folder in folders)
    assert len(git(service, "worktree", "list").splitlines()) == 1
    assert not any(folder.exists() for folder in folders)
    assert git(service, "status", "--porcelain") == ""


def test_the_state_of_a_folder_is_its_commit_and_whether_its_files_differ(service: Path, tmp_path: Path) -> None:
    head = git(service, "rev-parse", "HEAD")
    (service / "unknown").write_text("to git")
    (service.parent / "beside").write_text("of the folder")
    git(service.parent, "add", "beside")
    assert state_of(service) == (head, False)
    (service / "app").write_text("changed")
    assert state_of(service) == (head, True)
    (tmp_path / "outside").mkdir()
    assert state_of(tmp_path / "outside") == (None, None)


def test_no_program_that_a_repository_names_is_run_to_tell_its_state(service: Path) -> None:
    program = service / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {service}/ran\n")
    program.chmod(0o755)
    git(service, "config", "core.fsmonitor", str(program))
    assert state_of(service)[1] is False
    assert not (service / "ran").exists()


def test_the_state_is_not_known_without_git_and_of_a_repository_without_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "--quiet")
    assert state_of(tmp_path) == (None, None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert state_of(tmp_path) == (None, None)


def test_the_commits_between_two_are_those_that_changed_the_folder(tmp_path: Path, snapshot: object) -> None:
    texts = [{"app/a": "1"}, {"app/a": "2"}, {"other": "x"}, {"app/fairtrial.toml": "x"}, {"app/a": "3"}]
    commits = a_repository(tmp_path, *texts)
    repository = Repository.of(tmp_path / "app")
    assert repository.commits_between("first", "main") == [commits[1][:12], commits[4][:12]]
    assert repository.commits_between(commits[1], commits[3]) == []
    with pytest.raises(Problem) as error:
        repository.commits_between("main", "first")
    assert str(error.value) == snapshot


def test_of_a_branch_that_was_merged_the_merge_is_a_commit_between(tmp_path: Path) -> None:
    commits = a_repository(tmp_path, {"a": "1"}, {"a": "2"})
    git(tmp_path, "checkout", "--quiet", "-b", "feature", commits[0])
    for text in ("1", "2"):
        (tmp_path / "b").write_text(text)
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "--quiet", "--message", "x")
    git(tmp_path, "checkout", "--quiet", "main")
    git(tmp_path, "merge", "--quiet", "--no-edit", "feature")
    merge = git(tmp_path, "rev-parse", "main")
    assert Repository.of(tmp_path).commits_between("first", "main") == [commits[1][:12], merge[:12]]
