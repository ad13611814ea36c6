"""A commit that switched packages, as commits on no branch with one package more each."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.package_steps import package_steps
from fairtrial.catalog.stacks.repository import Repository
from fairtrial.experiment.contenders import WORKING_TREE
from tests.catalog.stacks.repositories import a_repository, git

BEFORE = "httptools==0.6.1\nuvicorn==0.29.0\n"
AFTER = "httptools==0.6.4\nuvicorn==0.30.0\n"


def a_service(folder: Path, *contents: dict[str, str]) -> tuple[Repository, list[str]]:
    """The repository of a service in the folder `api` of one with these commits, and their hashes."""
    commits = a_repository(folder, *({f"api/{name}": text for name, text in each.items()} for each in contents))
    return Repository.of(folder / "api"), commits


def pinned(*versions: int) -> str:
    return "".join(f"p{place:02}=={version}\n" for place, version in enumerate(versions))


def state(folder: Path) -> list[str]:
    """All that a user of git sees, and what is on disk beside its objects."""
    words = ("--no-optional-locks status --porcelain", "for-each-ref", "rev-parse HEAD", "stash list", "reflog")
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if "objects" not in path.parts)
    return [(folder / ".git" / "index").read_bytes().hex(), *files, *(git(folder, *each.split()) for each in words)]


def test_each_package_is_a_commit_after_the_one_before_and_the_end_is_the_commit_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "somebody@localhost")
    old = {"requirements.txt": BEFORE, "app.py": "1", "run.sh": "x"}
    repository, (first, last) = a_service(tmp_path / "shop", old, old | {"requirements.txt": AFTER, "app.py": "2"})
    top = repository.top
    git(top, "config", "core.splitIndex", "true")
    (top / "api" / "run.sh").write_text("staged")
    git(top, "add", "--all")
    (top / "api" / "app.py").write_text("mine")
    (top / "unknown").write_text("to git")
    before = state(top)

    steps = package_steps(repository, "first", "main", 10)

    assert state(top) == before
    assert [step.title for step in steps] == [
        "httptools 0.6.1 to 0.6.4",
        "uvicorn 0.29.0 to 0.30.0",
        "the rest (api/app.py)",
    ]
    one, two, end = (step.ref for step in steps)
    assert end == "main" and git(top, "rev-parse", f"{one}^", f"{two}^^").split() == [first, first]
    assert (
        git(top, "diff", "--name-only", first, two)
        == git(top, "diff", "--name-only", one, two)
        == ("api/requirements.txt")
    )
    assert git(top, "show", f"{one}:api/requirements.txt") == "httptools==0.6.4\nuvicorn==0.29.0"
    assert git(top, "show", f"{two}:api/requirements.txt") == AFTER.strip()
    assert git(top, "diff", "--name-only", two, last) == "api/app.py"
    assert [repository.title_of_own(ref) for ref in (one, two, "main", WORKING_TREE)] == [
        *(step.title for step in steps[:2]),
        None,
        None,
    ]
    assert package_steps(repository, "first", "main", 10) == steps, "the same again has the same hashes"


def test_the_last_package_is_the_commit_itself_if_nothing_else_changed_the_service(tmp_path: Path) -> None:
    repository, _ = a_service(tmp_path / "shop", {"requirements.txt": BEFORE}, {"requirements.txt": AFTER.strip()})
    (repository.top / "README.md").write_text("of the whole")
    git(repository.top, "add", "--all")
    git(repository.top, "commit", "--quiet", "--amend", "--message", "x")
    steps = package_steps(repository, "first", "HEAD", 10)
    assert [(step.title, step.ref) for step in steps[1:]] == [("uvicorn 0.29.0 to 0.30.0", "HEAD")]


def test_the_rights_of_a_file_and_lines_that_end_otherwise_stay(tmp_path: Path) -> None:
    repository, _ = a_service(tmp_path / "shop", {"requirements.txt": "x"})
    file = repository.top / "api" / "requirements.txt"
    git(repository.top, "config", "core.autocrlf", "false")
    for text in (BEFORE, AFTER):
        file.write_bytes(text.replace("\n", "\r\n").encode())
        file.chmod(0o755)
        git(repository.top, "commit", "--quiet", "--all", "--message", "x")
    git(repository.top, "config", "core.autocrlf", "input")
    (step, _) = package_steps(repository, "HEAD~1", "HEAD", 10)
    assert git(repository.top, "ls-tree", step.ref, "api/requirements.txt").startswith("100755 ")
    text = repository.texts_at(step.ref, ["api/requirements.txt"])["api/requirements.txt"]
    assert text == "httptools==0.6.4\r\nuvicorn==0.29.0\r\n"


def test_more_packages_than_steps_are_spread_and_divided_when_asked_again(tmp_path: Path) -> None:
    old, new = ({"requirements.txt": pinned(*[version] * 23), "app.py": str(version)} for version in (1, 2))
    repository, _ = a_service(tmp_path / "shop", old, new)
    steps = package_steps(repository, "first", "HEAD", 10)
    assert len(steps) == 10 and steps[-1].changes == ["the rest (api/app.py)"] and not steps[-1].is_divisible
    assert [len(step.changes) for step in steps[:-1]] == [3, 2, 3, 2, 3, 2, 3, 2, 3]
    assert steps[2].title == "p05 1 to 2, p06 1 to 2, p07 1 to 2" and steps[2].is_divisible
    again = package_steps(repository, steps[1].ref, steps[2].ref, 10)
    assert [step.title for step in again] == ["p05 1 to 2", "p06 1 to 2", "p07 1 to 2"]
    assert again[-1].ref == steps[2].ref
    assert [step.title for step in package_steps(repository, steps[7].ref, "HEAD", 10)] == [
        "p20 1 to 2",
        "p21 1 to 2",
        "p22 1 to 2",
        "the rest (api/app.py)",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"requirements.txt": "a==1\nb==1\n"}, {"requirements.txt": "a==1\nb==2\n"}),
        ({"app.py": "1"}, {"app.py": "2"}),
        ({"app.py": "1"}, {"requirements.txt": "a==1\n"}),
        ({"requirements.txt": "a>=1\nb==1\n"}, {"requirements.txt": "a>=2\nb==1\n"}),
        ({"requirements.txt": "a==1\n", "fairtrial.toml": "1"}, {"requirements.txt": "a==2\n", "fairtrial.toml": "2"}),
    ],
)
def test_one_change_is_not_divided(tmp_path: Path, old: dict[str, str], new: dict[str, str]) -> None:
    repository, _ = a_service(tmp_path / "shop", old, new)
    assert package_steps(repository, "first", "HEAD", 10) == []


def test_a_text_that_is_no_text_or_large_is_switched_with_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = ({"requirements.txt": pinned(version, version), "go.mod": "x" * version} for version in (1, 2))
    repository, _ = a_service(tmp_path / "shop", old, new)
    monkeypatch.setattr("fairtrial.catalog.stacks.repository.MOST_BYTES_OF_TEXT", len(old["requirements.txt"]) - 1)
    assert package_steps(repository, "first", "HEAD", 10) == []
    monkeypatch.undo()
    assert len(package_steps(repository, "first", "HEAD", 10)) == 3
    (repository.top / "api" / "requirements.txt").write_bytes(b"p00==3\np01==3\n# \xff")
    git(repository.top, "commit", "--quiet", "--all", "--message", "x")
    assert package_steps(repository, "HEAD~1", "HEAD", 10) == []


def test_a_commit_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    repository, _ = a_service(tmp_path / "shop", {"requirements.txt": BEFORE})
    with pytest.raises(Problem, match=r"`git log` failed: \S+"):
        repository.commit_with("0" * 40, {"api/requirements.txt": AFTER}, "x")
