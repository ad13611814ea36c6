"""One program that may be made slower by a known share: the shipped stack node-http, with `spin.cjs` before it."""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STACK = Path(__file__).resolve().parent.parent / "stacks/node-http"
SPIN = Path(__file__).resolve().with_name("spin.cjs")
SPIN_FILE, BASE = "spin_us", "as-it-is"
BUILD = [["npm", "ci", "--omit=dev", "--ignore-scripts"]]
COMMAND = ["node", "--require", "./spin.cjs", "server.js"]


def spin_us(share: float, longer_per_us: float) -> float:
    """How long a server at its limit has to be busy in each request to answer less by this share, in microseconds.

    Args:
        longer_per_us: how much longer a request takes for each of them, as a share of what it takes without.
    """
    return share / (1 - share) / longer_per_us


@dataclass(frozen=True)
class Planted:
    """A git repository with the program."""

    folder: Path

    def make(self) -> None:
        """Copy the program and commit it, unless that was done."""
        if (self.folder / ".git").exists():
            return
        left_out = shutil.ignore_patterns("node_modules", "stack.toml", "README.md")
        shutil.copytree(STACK, self.folder, ignore=left_out, dirs_exist_ok=True)
        shutil.copy(SPIN, self.folder)
        (self.folder / SPIN_FILE).write_text("0")
        self._git("init", "--quiet")
        self._commit(BASE)

    def commit(self, tag: str, spin: float) -> None:
        """Have a commit with this tag whose program is busy for so many microseconds in each request."""
        if tag in self._git("tag", "--list").split():
            return
        (self.folder / SPIN_FILE).write_text(f"{spin:.3f}")
        self._commit(tag)
        self._git("checkout", "--quiet", BASE)

    def contender(self, spin: float | None = None) -> Mapping[str, Any]:
        """The table of a contender in an experiment's file that lies beside `folder`.

        Args:
            spin: microseconds; None: as its commit says.
        """
        environment = {} if spin is None else {"env": {"SPIN_US": f"{spin:.3f}"}}
        return {"folder": self.folder.name, "build": BUILD, "command": COMMAND, **environment}

    def _commit(self, tag: str) -> None:
        self._git("add", "--all")
        somebody = ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")
        self._git(*somebody, "commit", "--quiet", "--allow-empty", "--message", tag)
        self._git("tag", tag)

    def _git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=self.folder, check=True, stdout=subprocess.PIPE, text=True
        ).stdout
