"""A git repository that holds the source of a contender: what its refs mean, and their files."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.experiment.contenders import WORKING_TREE

DEFAULT_BRANCHES = ("main", "master")
"""What the default branch is called where no remote says it."""

SHORT_HASH = 12
"""Characters of a hash that name a commit in all but the largest repositories, and are short in a table."""

ANSWER_WITHIN_SECONDS = 300
"""A checkout of a large repository takes its time; git that waits for an answer by somebody must not wait for ever."""

STATE_WITHIN_SECONDS = 10
"""What is only noted in the record must not keep a run waiting."""

NOT_INHERITED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
"""Set by git for its hooks: they would lead git to another repository than the one that is meant."""

ANYBODY = ("-c", "user.name=fairtrial", "-c", "user.email=fairtrial@localhost")
"""Who makes a commit that nobody sees: git refuses to make one by nobody."""


class Repository:
    """The repository that a folder is in.

    Attributes:
        top: its working tree.
        prefix: the folder in it, relative to `top`.
    """

    def __init__(self, folder: Path, top: Path) -> None:
        self.top = top
        self.prefix = folder.relative_to(top)

    @classmethod
    def of(cls, folder: Path) -> Self:
        """The repository of this folder, which exists.

        Raises:
            Problem: it is in none, or git is missing.
        """
        top = _git(folder, "rev-parse", "--show-toplevel")
        if top is None:
            raise Problem(
                f"{folder}: not in a git repository",
                "name a folder that is, or leave `refs` and `git` out of [contenders]",
            )
        return cls(folder.resolve(), Path(top).resolve())

    def commit_of(self, ref: str) -> str:
        """The hash of the commit that a ref names; for WORKING_TREE that of a commit of what git knows of it now.

        Such a commit is on no branch: git forgets it in time. Files that were never added are not in it.

        Raises:
            Problem: there is no such commit.
        """
        if ref == WORKING_TREE:
            stash = _git(self.top, *ANYBODY, "stash", "create")
            if stash is None:
                raise Problem(f"{self.top}: git cannot tell what has changed", "end the merge that is under way")
            return stash or self.commit_of("HEAD")
        commit = _git(self.top, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        if commit is None:
            raise Problem(
                f"{self.top}: git knows no commit {printable(ref)!r}",
                "name a branch, a tag or a commit; in a shallow clone, fetch more of the history",
            )
        return commit

    def has_changes(self) -> bool:
        """Whether files that git knows differ from HEAD."""
        return bool(_git(self.top, "status", "--porcelain", "--untracked-files=no"))

    def last_change(self, *besides: str) -> tuple[str, str] | None:
        """The last commit that changed the folder, after the one before it; None if only the first did.

        Args:
            besides: names of files, or patterns (gitglossary(7), pathspec), that do not count.
        """
        excluded = [f":(exclude){name}" for name in besides]
        line = _git(self.top / self.prefix, "log", "-1", "--format=%h %p", "--", ".", *excluded)
        commit, *parents = (line or "").split() or [""]
        return (parents[0], commit) if parents else None

    def default_branch(self) -> str:
        """The branch that changes are merged into: the remote's HEAD, or else `main` or `master`.

        Raises:
            Problem: there is none of these.
        """
        of_remote = _git(self.top, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
        if of_remote:
            return of_remote
        for branch in DEFAULT_BRANCHES:
            if _git(self.top, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}") is not None:
                return branch
        raise Problem(
            f"{self.top}: no default branch is known: no remote names one, and there is neither "
            f"{' nor '.join(DEFAULT_BRANCHES)}",
            "name the two refs to compare",
        )

    def merge_base(self, ref: str, other: str) -> str:
        """The commit at which two refs parted.

        Raises:
            Problem: they have none in common.
        """
        commit = _git(self.top, "merge-base", ref, other)
        if commit is None:
            raise Problem(
                f"{self.top}: {printable(ref)} and {printable(other)} have no commit in common",
                "name the two refs to compare; in a shallow clone, fetch more of the history",
            )
        return commit

    @contextmanager
    def worktree(self, commit: str, place: Path) -> Iterator[Path]:
        """The files of a commit, detached, at `place`, which must not exist; they are removed at the end.

        Yields:
            the folder in it that corresponds to the one of this repository that was asked for.

        Raises:
            Problem: the commit has no such folder, or git could not write it.
        """
        try:
            no_hooks = ("-c", f"core.hooksPath={os.devnull}")
            if _git(self.top, *no_hooks, "worktree", "add", "--quiet", "--detach", str(place), commit) is None:
                raise Problem(
                    f"{self.top}: git could not check out {commit[:SHORT_HASH]} in {place}",
                    "try `git worktree add` by hand: it says why; free space in the temporary folder if need be",
                )
            folder = place / self.prefix
            if not folder.is_dir():
                raise Problem(
                    f"{self.top}: at {commit[:SHORT_HASH]} there is no folder {self.prefix}", "name other refs"
                )
            yield folder
        finally:
            with suppress(Problem):
                _git(self.top, "worktree", "remove", "--force", str(place))


def state_of(folder: Path) -> tuple[str | None, bool | None]:
    """The commit that is checked out where this folder is, and whether files in it that git knows differ from it.

    Returns:
        None for what git does not tell in time, or at all: no repository, no commit yet, another user's, no git.
    """
    # No program that the repository names, and no lock of its index: others may work in it.
    quietly = ("--no-optional-locks", "-c", "core.fsmonitor=false")
    with suppress(Problem):
        head = _git(folder, "rev-parse", "--verify", "--quiet", "HEAD", within_seconds=STATE_WITHIN_SECONDS)
        if head is None:
            return None, None
        with suppress(Problem):
            changes = _git(
                folder,
                *(*quietly, "status", "--porcelain", "--untracked-files=no", "--", "."),
                within_seconds=STATE_WITHIN_SECONDS,
            )
            return head, None if changes is None else bool(changes)
        return head, None
    return None, None


def run_git(
    folder: Path, *arguments: str, within_seconds: float, settings: Sequence[str] = ()
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder, which asks nobody anything, and finds no other repository than what is there.

    Args:
        settings: options that stand before its command.

    Raises:
        Problem: git is missing, or does not end.
    """
    environment = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
    try:
        return subprocess.run(
            ["git", "-C", str(folder), *settings, *arguments],
            env=environment | {"GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=within_seconds,
            check=False,
        )
    except FileNotFoundError as error:
        raise Problem("`git` is not on this machine", "install git (Debian: apt install git)") from error
    except subprocess.TimeoutExpired as error:
        raise Problem(f"`git {arguments[0]}` did not end within {within_seconds:g} s") from error


def _git(folder: Path, *arguments: str, within_seconds: float = ANSWER_WITHIN_SECONDS) -> str | None:
    """Git's output, without the last line break; None if it ended with another status than 0.

    Raises:
        Problem: as `run_git`.
    """
    process = run_git(folder, *arguments, within_seconds=within_seconds)
    return process.stdout.decode(errors="replace").strip() if process.returncode == 0 else None


def usual_refs(repository: Repository) -> tuple[str, str]:
    """The refs to compare if none are named: the commit at which HEAD left the default branch, with HEAD; or with the
    working tree, where files that git knows have changed.

    Raises:
        Problem: there is no default branch, or nothing has changed.
    """
    base = repository.merge_base(repository.default_branch(), "HEAD")
    if repository.has_changes():
        return base[:SHORT_HASH], WORKING_TREE
    if base == repository.commit_of("HEAD"):
        raise Problem(
            f"{repository.top}: HEAD is on the default branch, and no file has changed",
            f"name the two refs to compare, such as {' '.join(repository.last_change() or ('HEAD~1', 'HEAD'))}",
        )
    return base[:SHORT_HASH], "HEAD"
