"""A pull request, cloned as `actions/checkout` does it."""

import shutil
from pathlib import Path

from tests.catalog.stacks.repositories import a_repository, git
from tests.command_line import CALM

HELLO = Path(__file__).parents[1] / "fixtures" / "hello.py"
FILE = (
    """
name = "shop"
title = "A shop"
workload = "plaintext"
stacks = ["app"]
blocks = 3
wait = "sleep"
[contenders.app]
folder = "."
command = ["sh", "-c", "exec python3 hello.py $(cat milliseconds)"]
[load]
kind = "closed"
connections = 4
warmup_seconds = 0.1
warmup_limit_seconds = 0.1
duration_seconds = 0.2
[slices]
seconds = 0.1
server_share = 1.0
engine_share = 1.0
"""
    + CALM
)


def a_pull_request(folder: Path) -> Path:
    """The shallow clone of a merge of `change`, whose service takes 30 ms longer, into `trunk`, which has gone on."""
    origin = folder / "origin"
    origin.mkdir(parents=True)
    shutil.copy(HELLO, origin)
    (origin / "fairtrial.toml").write_text(FILE)
    a_repository(origin, {"milliseconds": "0"}, {"milliseconds": "30"})
    git(origin, "branch", "change")
    git(origin, "switch", "--quiet", "--create", "trunk", "first")
    (origin / "other").write_text("of trunk alone")
    git(origin, "add", "other")
    git(origin, "commit", "--quiet", "--message", "x")
    git(origin, "switch", "--quiet", "--detach")
    git(origin, "merge", "--quiet", "--no-edit", "change")
    git(origin, "update-ref", "refs/pull/7/merge", "HEAD")
    clone = folder / "clone"
    clone.mkdir()
    git(clone, "init", "--quiet")
    git(clone, "remote", "add", "origin", f"file://{origin}")
    git(clone, "fetch", "--quiet", "--no-tags", "--depth=1", "origin", "+refs/pull/7/merge:refs/remotes/pull/7/merge")
    git(clone, "checkout", "--quiet", "--force", "refs/remotes/pull/7/merge")
    return clone
