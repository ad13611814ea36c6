"""The pages that commands write, held against WCAG by axe-core in a browser, in the light and in the dark."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fairtrial.judge.judging import judge
from fairtrial.report.html import html_text
from fairtrial.tools.load.report.page import load_page
from tests.builders import a_trial, an_experiment, trials_of
from tests.docs.axe import axe_script, violations
from tests.docs.browser import Page, a_page
from tests.machine.needs import needs
from tests.report.profile.profiles import two_profiles
from tests.report.scene import judged, with_real_stacks
from tests.tools.load.measurements import open_measurement

pytestmark = needs("chromium", "node")


def eventful() -> str:
    """Refusals, warnings, claims."""
    result, record, trials = judged(window=6.0)
    record = with_real_stacks(record)
    return html_text(result.model_copy(update={"stacks": record.stacks}), record, trials)


def sweep_with_profile() -> str:
    record = an_experiment("rust-axum", "node-http:two").sweeping("upsert", "single", parameter="env.MODE").record()
    trials = trials_of(record, a_trial())
    return html_text(judge(record, trials, interrupted=False), record, trials, two_profiles())


PAGES: dict[str, Callable[[], str]] = {
    "run": eventful,
    "sweep": sweep_with_profile,
    "load": lambda: load_page(open_measurement()),
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with a_page(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.mark.parametrize("name", PAGES)
def test_a_report_breaks_no_rule_of_accessibility(browser: Page, tmp_path: Path, name: str) -> None:
    (tmp_path / "page.html").write_text(PAGES[name]())
    for dark in (False, True):
        browser.open(tmp_path / "page.html", width=400 if dark else 1280, dark=dark)
        assert violations(browser, axe_script()) == [], "dark" if dark else "light"
