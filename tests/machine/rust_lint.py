"""`python -m tests.machine.rust_lint`: rustfmt and clippy over the Rust sources. It says where one is not installed."""

import subprocess
import sys
from pathlib import Path

from tests.machine.lack import Lack, lack_of
from tests.machine.needs import required

ROOT = Path(__file__).parents[2]

BY = {
    "rustfmt": [
        ("engine", "cargo fmt --all --check"),
        ("stacks/rust-axum", "cargo fmt --check"),
        ("stacks/rust-batch", "cargo fmt --check"),
    ],
    "clippy": [("engine", "cargo clippy --quiet --locked --workspace --all-targets -- -D warnings")],
}
"""The commands of each component of Rust, with the folders in which they run."""


def unchecked() -> list[Lack]:
    """The components that are lacking."""
    return [lack for name in BY if (lack := lack_of(name)) is not None]


def main() -> int:
    """The exit status: 1 where a command complains, or may not be left out."""
    lacks = unchecked()
    for lack in lacks:
        print(f"fairtrial: the Rust sources are not checked by {lack}", file=sys.stderr)
    commands = [command for name, of in BY.items() if name not in {lack.what for lack in lacks} for command in of]
    complaints = [_complains(folder, command) for folder, command in commands]
    return int(any(complaints) or (bool(lacks) and required()))


def _complains(folder: str, command: str) -> bool:
    print(f"cd {folder} && {command}", flush=True)
    return subprocess.run(command.split(), cwd=ROOT / folder, check=False).returncode != 0


if __name__ == "__main__":
    sys.exit(main())
