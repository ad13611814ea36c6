"""The one rule by which a test is skipped: it needs what this machine lacks.

    @needs("redis", "own-network")

With `FAIRTRIAL_REQUIRE_INSTALLED=1`, as in continuous integration, it fails instead, unless what it lacks is a right or
hardware. What was lacking is counted and named at the end of a test run.
"""

import os
from collections import Counter
from collections.abc import Iterable

import pytest

from tests.machine.lack import Lack, lack_of

BEGINNING = "needs "


def needs(*names: str) -> pytest.MarkDecorator:
    """A marker for tests that need all of these things: see `lack_of`."""
    return pytest.mark.needs(*names)


def skip_without(*names: str) -> None:
    """Skip the test that runs, as `needs` does: where what it needs is known only then."""
    skip_for(*(lack for name in names if (lack := lack_of(name))))


def skip_for(*lacks: Lack) -> None:
    """Skip the test that runs for what was found to be lacking; go on if that is nothing."""
    if not lacks:
        return
    reason = BEGINNING + ", and ".join(dict.fromkeys(map(str, lacks)))
    if required() and not all(lack.excused for lack in lacks):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def required() -> bool:
    """Whether all that can be installed has to be."""
    return os.environ.get("FAIRTRIAL_REQUIRE_INSTALLED") == "1"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before a test's fixtures."""
    skip_without(*(name for marker in item.iter_markers("needs") for name in marker.args))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what the skipped tests needed."""
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped:
        terminalreporter.section("what this machine lacks")
        terminalreporter.write_line(skipped_in_words(report.longrepr[2] for report in skipped))


def skipped_in_words(reasons: Iterable[str]) -> str:
    """How many tests were skipped, and a line for each reason, the most frequent first."""
    counts = Counter(reason.removeprefix("Skipped: ").removeprefix(BEGINNING) for reason in reasons)
    total = counts.total()
    lines = [f"{total:,} {'test was' if total == 1 else 'tests were'} skipped:"]
    lines += [f"{count:6,} {'needs' if count == 1 else 'need'} {reason}" for reason, count in counts.most_common()]
    return "\n".join(lines)
