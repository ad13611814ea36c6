"""Small git repositories for tests."""

import subprocess
from pathlib import Path

from tests.machine.needs import skip_without


def git(folder: Path, *arguments: str) -> str:
    """What git printed."""
    skip_without("git")
    somebody = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *somebody, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def a_repository(folder: Path, *contents: dict[str, str]) -> list[str]:
    """Make a repository in `folder` with a commit for each of these: texts by path. Returns the commits' hashes.

    Its branch is `main`, and a tag `first` is at the first commit.
    """
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    commits = []
    for texts in contents:
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--allow-empty", "--message", "x")
        commits.append(git(folder, "rev-parse", "HEAD"))
    git(folder, "tag", "first", commits[0])
    return commits
