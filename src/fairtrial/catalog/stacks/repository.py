"""A git repository that holds the source of a contender: what its refs mean, and their files."""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from fairtrial.base.locations import PROJECT_FILE
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.experiment.contenders import SHORT_HASH, WORKING_TREE

DEFAULT_BRANCHES = ("main", "master")
"""What the default branch is called where no remote says it."""

TRIAL_FILES = (PROJECT_FILE, "*.workload.toml", "*.served.openapi.json")
"""Names and patterns (gitglossary(7), pathspec) of files that say how a service is tried, and are no part of it."""

SAFE_DIRECTORY = re.compile(r"git config --global --add safe\.directory .*")
"""What git tells the user of a repository that belongs to another, as in a container, whatever its language."""

ANSWER_WITHIN_SECONDS = 300
"""A checkout of a large repository takes its time; git that waits for an answer by somebody must not wait for ever."""

STATE_WITHIN_SECONDS = 10
"""What is only noted in the record must not keep a run waiting."""

NOT_INHERITED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
"""Set by git for its hooks: they would lead git to another repository than the one that is meant."""

NOBODY = "fairtrial@localhost"
ANYBODY = ("-c", "user.name=fairtrial", "-c", f"user.email={NOBODY}")
"""Who makes a commit that nobody sees: git refuses to make one by nobody."""

SERVICE = ("--", ".", *(f":(exclude){name}" for name in TRIAL_FILES))
"""Arguments of git for a folder without TRIAL_FILES."""

MOST_BYTES_OF_TEXT = 8 * 1024 * 1024
"""Of a file that is read: lock files have 1 MB or two at most."""


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
        process = run_git(folder, "rev-parse", "--show-toplevel", within_seconds=ANSWER_WITHIN_SECONDS)
        if allowing := SAFE_DIRECTORY.search(process.stderr.decode(errors="replace")):
            raise Problem(f"{folder}: git does not read the repository of another user", allowing[0])
        if process.returncode != 0:
            raise Problem(
                f"{folder}: not in a git repository",
                "commits are compared: make it one (git init; git add .; git commit), name a folder that is in one, "
                "or leave `refs` and `git` out of [contenders]",
            )
        return cls(folder.resolve(), Path(process.stdout.decode(errors="replace").strip()).resolve())

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

    def unknown_files(self) -> list[str]:
        """Files of the folder that git neither knows nor ignores, but TRIAL_FILES; `results/` for a whole folder."""
        names = _git(self.top / self.prefix, "ls-files", "--others", "--exclude-standard", "--directory", *SERVICE)
        return (names or "").splitlines()

    def last_change(self) -> tuple[str, str] | None:
        """The last commit that changed the folder, after the one before it; None if only the first did."""
        line = _git(self.top / self.prefix, "log", "-1", "--format=%h %p", *SERVICE)
        commit, *parents = (line or "").split() or [""]
        return (parents[0], commit) if parents else None

    def commits_between(self, before: str, after: str) -> list[str]:
        """The commits that changed the folder after one commit, up to another: their short hashes, the oldest first. Of
        a branch that was merged the merge alone.

        Raises:
            Problem: the one does not lie before the other.
        """
        start, end = self.commit_of(before), self.commit_of(after)
        if _git(self.top, "merge-base", "--is-ancestor", start, end) is None:
            old, new = printable(before), printable(after)
            raise Problem(
                f"{self.top}: {new} does not come from {old}",
                f"name the older commit first; where both are branches, `git merge-base {old} {new}` names it",
            )
        walk = ("rev-list", "--first-parent", "--reverse", f"{start}..{end}")
        commits = _git(self.top / self.prefix, *walk, *SERVICE) or ""
        return [commit[:SHORT_HASH] for commit in commits.split()]

    def files_that_differ(self, before: str, after: str) -> list[str]:
        """The paths of files that differ between two commits, relative to `top`, by path; none of other than UTF-8."""
        names = self._output("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after)
        return sorted(filter(None, names.decode(errors="ignore").split("\0")))

    def texts_at(self, commit: str, paths: Iterable[str]) -> dict[str, str]:
        """The texts of these files at a commit, by path; without what is no file there, or larger than
        MOST_BYTES_OF_TEXT, or not UTF-8."""
        texts = {}
        for path in paths:
            size = _git(self.top, "cat-file", "-s", f"{commit}:{path}")
            if size is None or int(size) > MOST_BYTES_OF_TEXT:
                continue
            with suppress(UnicodeDecodeError):
                texts[path] = self._output("cat-file", "blob", f"{commit}:{path}").decode()
        return texts

    def commit_with(self, parent: str, texts: Mapping[str, str], message: str) -> str:
        """Make a commit that is on no branch: another with other texts of some of its files. The branches, the index
        and the working tree stay as they are; the same again has the same hash. git forgets it in time.

        Returns:
            its short hash.

        Raises:
            Problem: git could not write it.
        """
        date = f"@{self._output('log', '-1', '--format=%ct', parent).decode().strip()} +0000"
        with TemporaryDirectory() as place:
            variables = {"GIT_INDEX_FILE": str(Path(place) / "index")}
            for role in ("AUTHOR", "COMMITTER"):
                variables |= {f"GIT_{role}_NAME": "fairtrial", f"GIT_{role}_EMAIL": NOBODY, f"GIT_{role}_DATE": date}
            self._output("read-tree", parent, variables=variables)
            file = Path(place) / "text"
            for path, text in texts.items():
                mode = self._output("ls-tree", parent, "--", path).split()[0].decode()
                file.write_bytes(text.encode())
                blob = self._output("hash-object", "-w", "--no-filters", str(file)).decode().strip()
                self._output("update-index", "--cacheinfo", f"{mode},{blob},{path}", variables=variables)
            tree = self._output("write-tree", variables=variables).decode().strip()
            commit = self._output("commit-tree", tree, "-p", parent, "-m", message, variables=variables)
        return commit.decode()[:SHORT_HASH]

    def title_of_own(self, ref: str) -> str | None:
        """The first line of the message of a commit that `commit_with` made; None: it is another.

        Raises:
            Problem: there is no such commit.
        """
        if ref == WORKING_TREE:
            return None
        author, _, title = self._output("log", "-1", "--format=%ae %s", self.commit_of(ref)).decode().partition(" ")
        return title.strip() if author == NOBODY else None

    def _output(self, *arguments: str, variables: Mapping[str, str] | None = None) -> bytes:
        """The output of git in `top`.

        Raises:
            Problem: as `run_git`, or git ended with another status than 0.
        """
        # An index that is made beside would otherwise leave a part of it in the repository.
        settings = ("-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "--literal-pathspecs")
        process = run_git(
            self.top, *arguments, within_seconds=ANSWER_WITHIN_SECONDS, settings=settings, variables=variables or {}
        )
        if process.returncode != 0:
            reason = printable(process.stderr.decode(errors="replace"), 200)
            raise Problem(f"{self.top}: `git {arguments[0]}` failed: {reason}", "try it by hand")
        return process.stdout

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
            self._fill_submodules(place)
            folder = place / self.prefix
            if not folder.is_dir():
                raise Problem(
                    f"{self.top}: at {commit[:SHORT_HASH]} there is no folder {self.prefix}", "name other refs"
                )
            yield folder
        finally:
            with suppress(Problem):
                _git(self.top, "worktree", "remove", "--force", str(place))

    def _fill_submodules(self, place: Path) -> None:
        """Check out the submodules of a worktree that are checked out in the working tree: from there, without network.

        Raises:
            Problem: git could not do so.
        """
        paths = _git(place, "config", "--file", ".gitmodules", "--get-regexp", r"^submodule\..*\.path$")
        if paths is None:
            return
        names = [line.partition(" ")[0].removeprefix("submodule.").removesuffix(".path") for line in paths.splitlines()]
        modules = Path(
            self._output("rev-parse", "--path-format=absolute", "--git-common-dir").decode().strip(), "modules"
        )
        urls = {name: f"submodule.{name}.url" for name in names if (modules / name).is_dir()}
        here = [f"{url}={modules / name}" for name, url in urls.items() if _git(self.top, "config", url) is not None]
        settings = [part for each in ("protocol.file.allow=always", *here) for part in ("-c", each)]
        if _git(place, *settings, "submodule", "update", "--recursive", "--quiet") is None:
            raise Problem(
                f"{self.top}: git could not check out the submodules of {place.name}",
                "fetch in each of them; or `git submodule deinit` those that the service does without",
            )


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
    folder: Path,
    *arguments: str,
    within_seconds: float,
    settings: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder, which asks nobody anything, and finds no other repository than what is there.

    Args:
        settings: options that stand before its command.
        variables: of its environment, beside those that are here.

    Raises:
        Problem: git is missing, or does not end.
    """
    environment = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
    try:
        return subprocess.run(
            ["git", "-C", str(folder), *settings, *arguments],
            env={**environment, **(variables or {}), "GIT_TERMINAL_PROMPT": "0"},
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
        Problem: there is no commit, no default branch, or nothing has changed.
    """
    if _git(repository.top, "rev-parse", "--verify", "--quiet", "HEAD") is None:
        raise Problem(f"{repository.top}: git has no commit there yet", "commit the service, and then change it")
    base = repository.merge_base(repository.default_branch(), "HEAD")
    if repository.has_changes():
        return base[:SHORT_HASH], WORKING_TREE
    if base == repository.commit_of("HEAD"):
        last = repository.last_change()
        raise Problem(
            f"{repository.top}: HEAD is on the default branch, and no file has changed",
            f"name the two refs to compare, such as: fairtrial ab-test {' '.join(last)}"
            if last
            else "change the service, and run it again",
        )
    return base[:SHORT_HASH], "HEAD"
