"""The parts of docs/checks.md: of each check what it finds, what it looks at, how it decides, and its thresholds."""

import re
from collections.abc import Iterable, Mapping

from fairtrial.docs.markdown import as_sentence, prose, thresholds_with_sources
from fairtrial.judge.checks import all_checks
from fairtrial.judge.checks.check import Check


def check_parts() -> Mapping[str, str]:
    """By the name of the part: `checks of loads`, `checks of processes`, and the name of each check."""
    checks = all_checks().values()
    return {
        "checks of loads": _in_a_row(each.name for each in checks if each.of_loads),
        "checks of processes": _in_a_row(each.name for each in checks if each.needs_processes),
        **{each.name: _section(each) for each in checks},
    }


def _in_a_row(names: Iterable[str]) -> str:
    """Names in a row, each with its link."""
    *most, last = (f"[{name}](#{name})" for name in names)
    return prose(f"{', '.join(most)} and {last}.")


def _section(check: Check) -> str:
    """A check's purpose and subject, how it decides, and its thresholds with their sources."""
    rule = prose(_with_links(f"{as_sentence(check.finds)} **Looks at** {check.looks_at}. {check.decides}"))
    return f"{rule}\n\n{thresholds_with_sources(check.thresholds, _with_links)}".strip()


def _with_links(text: str) -> str:
    """The text with a link in the place of each name of a check that stands in backticks."""
    checks = all_checks()
    return re.sub(r"`([a-z-]+)`", lambda name: f"[{name[1]}](#{name[1]})" if name[1] in checks else name[0], text)
