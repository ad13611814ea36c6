"""Run pytest; where a few tests fail beside others, try those once more, alone.

    python -m tests.second_try ARGUMENTS-OF-PYTEST

Thousands of tests start real processes on whatever machine there is, and now and then one of them is starved. What
fails again fails the run. What passes alone is named at the end, so that somebody makes it firmer.
"""

import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.machine.rust_lint import unchecked

MOST = 5
"""Tests that get a second try. Where more fail, something is broken."""


class Failures:
    """A plugin of pytest that keeps the names of tests that fail, their fixtures' failures among them, and counts."""

    def __init__(self) -> None:
        self.tests: dict[str, None] = {}
        self.passed = self.skipped = 0
        self.unread_files = False

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.unread_files |= report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.tests[report.nodeid] = None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Count, and name what `make lint` left out: here a reader sees it."""
        self.passed, self.skipped = (len(terminalreporter.stats.get(name, [])) for name in ("passed", "skipped"))
        for lack in unchecked():
            terminalreporter.write_line(f"The Rust sources were not checked by {lack}.")


def main(arguments: Sequence[str]) -> int:
    """The exit status of pytest, or of its second run.

    Args:
        arguments: of pytest, for the first run.
    """
    failures = Failures()
    status = pytest.main(list(arguments), plugins=[failures])
    tests = list(failures.tests)
    if status != pytest.ExitCode.TESTS_FAILED or failures.unread_files or not 0 < len(tests) <= MOST:
        return int(status)
    print("\nThese failed beside others. They are tried once more, alone:", *tests, sep="\n  ", flush=True)
    again = subprocess.run([sys.executable, "-m", "pytest", *tests], check=False).returncode
    if again == 0:
        print("These failed beside others and pass alone. Make them firmer:", *tests, sep="\n  ")
        print(f"{failures.passed + len(tests)} passed, {failures.skipped} skipped, 0 failed")
    return again


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
