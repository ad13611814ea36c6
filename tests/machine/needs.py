"""The one rule by which a test is skipped: it needs what this machine lacks.

    @needs("redis", "network-namespace")

With `FAIRTRIAL_REQUIRE_INSTALLED=1`, as in continuous integration, it fails instead, unless what it lacks is a right or
hardware. What was lacking is counted and named at the end of a test run.
"""

import os
from collections import Counter
from collections.abc import Sequence

import pytest

from tests.machine.lack import Lack, lack_of

BEGINNING, AND = "needs ", " + "


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
    reason = BEGINNING + AND.join(dict.fromkeys(map(str, lacks)))
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
        terminalreporter.write_line(skipped_in_words([report.longrepr[2] for report in skipped]))


def skipped_in_words(reasons: Sequence[str]) -> str:
    """How many tests were skipped, and a line for each thing that they need: how many tests need it, what brings it."""
    needed: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for reason in reasons:
        lacks = reason.removeprefix("Skipped: ").removeprefix(BEGINNING).split(AND)
        by_name = {lack.partition(" (")[0]: lack for lack in lacks}
        counts.update(by_name.keys())
        needed = by_name | needed
    lines = [f"{count:6,} {'needs' if count == 1 else 'need'} {needed[name]}" for name, count in counts.most_common()]
    skipped = "1 test was" if len(reasons) == 1 else f"{len(reasons):,} tests were"
    return "\n".join([f"{skipped} skipped:", *lines])
