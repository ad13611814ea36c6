"""The stack java-spring runs on a JDK that is new enough, whichever is the default."""

import os
import subprocess
from pathlib import Path

import pytest

from fairtrial.base.locations import shipped


def jdk(folder: Path, version: str) -> Path:
    """A folder that looks like a JDK."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "javac").touch(mode=0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="Nobody"\nJAVA_VERSION="{version}"\n')
    return folder


@pytest.mark.parametrize(
    ("java_home", "packaged", "chosen"),
    [
        ("21.0.8", ["25.0.1"], "21.0.8"),
        ("17.0.15", ["21.0.8", "25"], "25"),
        ("", ["9.0.4", "21"], "21"),
        ("", ["17.0.15"], None),
    ],
)
def test_the_jdk_is_java_home_s_or_the_newest(
    tmp_path: Path, java_home: str, packaged: list[str], chosen: str | None
) -> None:
    for version in packaged:
        jdk(tmp_path / "jvm" / version, version)
    on_path = jdk(tmp_path / "path", "11.0.2")
    environment = {
        "PATH": f"{on_path}/bin:{os.environ['PATH']}",
        "JVM_FOLDER": str(tmp_path / "jvm"),
        "JAVA_HOME": str(jdk(tmp_path / "home", java_home)) if java_home else "",
    }

    finished = subprocess.run(
        ["sh", "bin/jdk", "--version"],
        cwd=shipped("stacks") / "java-spring",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    if chosen is None:
        assert finished.returncode == 1
        assert finished.stderr.endswith(f"the newest is {packaged[0]}\n")
    else:
        assert (finished.returncode, finished.stdout) == (0, f"{chosen}\n"), finished.stderr
