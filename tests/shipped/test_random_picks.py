"""How shipped stacks pick a random row: variants that a published study had, or advised against."""

import re
from typing import Any

from fairtrial.base.exit_status import IN_DOUBT
from tests.command_line import Lab
from tests.machine.needs import needs

PICKS = {"ruby-rails:bounds-each-time": 3, "ruby-rails:retrying": 2}
"""Statements for each answer where every second id is missing: drawing again takes two on average."""

ONLY = ("--workload", "random-item", "--service", "mongodb")

GAPS = "rows = 100\ngaps = 0.5"
"""Few rows, so that rows which are more likely show within a few hundred answers."""


def refusals(trial: dict[str, Any]) -> set[str]:
    return {one["check"] for one in trial["findings"] if one["severity"] == "refusal"}


def statements(trial: dict[str, Any]) -> float:
    (ledger,) = [one["evidence"] for one in trial["findings"] if one["check"] == "ledger"]
    found = re.search(r"([\d.]+) reading statements a verified answer", ledger)
    assert found, ledger
    return float(found[1])


@needs("mariadb", "ruby-rails")
def test_with_gaps_drawing_again_is_uniform_and_the_first_row_at_or_after_an_id_is_not(lab: Lab) -> None:
    experiment = lab.experiment(*PICKS, service="mariadb", load='kind = "fixed"\nrequests = 600\nconnections = 4')
    experiment.write_text(experiment.read_text().replace("rows = 20_000", GAPS))

    finished = lab.fairtrial("run", experiment, timeout_seconds=300)

    trials = {condition["contender"]: condition["trials"][0] for condition in finished.result["conditions"]}
    assert {pick: round(statements(trial)) for pick, trial in trials.items()} == PICKS
    assert {pick: refusals(trial) for pick, trial in trials.items()} == {
        "ruby-rails:bounds-each-time": {"picks-uniform"},
        "ruby-rails:retrying": set(),
    }


@needs("mongodb", "ruby-goliath")
def test_a_count_that_is_not_used_breaks_the_contract_where_ids_are_missing(lab: Lab) -> None:
    finished = lab.fairtrial("check", "ruby-goliath:as-published", *ONLY, timeout_seconds=300)

    assert finished.status == IN_DOUBT, finished.out + finished.err
    broken = re.findall("✗ ([a-z-]+)", finished.out)
    assert broken
    assert all(clause.startswith("random-") for clause in broken), finished.out
