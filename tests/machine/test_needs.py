"""The one rule by which tests are skipped, and what is said of it at the end."""

import re
from pathlib import Path

import pytest

from tests.machine import needs as rule
from tests.machine.lack import Lack, lack_of, packages_in
from tests.machine.needs import needs, skip_for, skip_without, skipped_in_words

TESTS = Path(__file__).parents[1]
SKIPS = re.compile(r"\bskipif\b|\bpytest\.skip\(|\bimportorskip\b|\bSkipTest\b")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without Redis, and without the right to mount."""
    lacks = {
        "redis": Lack("redis", "apt install redis-server", ("redis-server",)),
        "mounts": Lack("mounts", "no", (), True),
    }
    monkeypatch.setattr(rule, "lack_of", lacks.get)
    monkeypatch.delenv("FAIRTRIAL_REQUIRE_INSTALLED", raising=False)


def test_nothing_is_skipped_by_another_rule() -> None:
    files = [path for path in TESTS.rglob("*.py") if path.parent != Path(__file__).parent]
    assert [str(path.relative_to(TESTS)) for path in files if SKIPS.search(path.read_text())] == []


@pytest.mark.usefixtures("bare")
def test_a_test_is_skipped_for_all_that_it_lacks(snapshot: object) -> None:
    with pytest.raises(pytest.skip.Exception) as error:
        skip_without("nginx", "redis", "mounts")
    assert str(error.value) == snapshot
    skip_without("nginx", "postgresql")
    skip_for()


@pytest.mark.usefixtures("bare")
def test_where_all_has_to_be_installed_it_fails_but_not_for_a_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRTRIAL_REQUIRE_INSTALLED", "1")
    with pytest.raises(pytest.fail.Exception, match="needs redis"):
        skip_without("redis", "mounts")
    with pytest.raises(pytest.skip.Exception):
        skip_without("mounts")


def test_a_misspelt_need_is_an_error() -> None:
    with pytest.raises(KeyError):
        lack_of("reddis")


@needs("redis")
@needs("mounts")
def test_what_is_needed_here_is_there() -> None:
    """The hook reads each marker of a test: this one does not run without both."""
    assert (lack_of("redis"), lack_of("mounts")) == (None, None)


def test_what_was_lacking_is_counted_and_named_the_most_frequent_first(snapshot: object) -> None:
    redis = "redis (apt install redis-server)"
    reasons = ["Skipped: needs node (install Node.js, and mend PATH)", *[f"Skipped: needs {redis}"] * 1199]
    reasons.append(f"Skipped: needs {redis} + node (install Node.js 22)")
    assert skipped_in_words(reasons) == snapshot
    assert skipped_in_words(["Skipped: needs root (no)"]) == snapshot


@pytest.mark.parametrize(
    ("remedy", "packages"),
    [
        ("install gcc, for cgo (Debian: apt install gcc libc6-dev)", ("gcc", "libc6-dev")),
        ("install Grape (Debian: apt install --no-install-recommends ruby-grape)", ("ruby-grape",)),
        ("install it (rustup component add llvm-tools; or Debian: apt install llvm-19)", ("llvm-19",)),
        ("install Node.js 20 or newer (Debian: apt install nodejs npm; or nodejs.org)", ()),
        ("install a JDK (Debian 13: apt install openjdk-21-jdk; else Temurin)", ()),
    ],
)
def test_a_remedy_names_packages(remedy: str, packages: tuple[str, ...]) -> None:
    assert packages_in(remedy) == packages
