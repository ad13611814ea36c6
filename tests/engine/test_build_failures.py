"""A build of the engine that fails: the remedy is about what failed."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.engine.binary import guard_binary

CARGO = """#!/bin/sh
case "$1" in --version) echo "{name} 1.99.0"; exit ;; esac
printf '%s\\n' '{words}'; exit 101
"""


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("rustc-LLVM ERROR: IO failure on output stream: No space left on device", "FAIRTRIAL_CACHE"),
        ("failed to download from `https://index.crates.io/config.json`", "see to the network"),
        ("process did not exit successfully: rustc (signal: 9, SIGKILL: kill)", "out of memory"),
        ("error[E0599]: no method named `x` found", "read the whole output"),
    ],
)
def test_what_failed_is_what_is_to_be_mended(
    words: str, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("cargo", "rustc", "cc"):
        (tmp_path / name).write_text(CARGO.format(name=name, words=words) if name != "cc" else "#!/bin/sh\nexit 0\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("FAIRTRIAL_GUARD", raising=False)
    with pytest.raises(Problem, match="fairtrial-guard did not build") as caught:
        guard_binary.__wrapped__()
    assert words in caught.value.reason and remedy in caught.value.remedy
    assert "install Rust" not in caught.value.remedy
