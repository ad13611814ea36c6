"""Parts of a mix in trials: of an order desk whose orders take far longer than a look, and are counted after each."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Finished, Lab

DESK = Path(__file__).parents[2] / "fixtures" / "order-desk"
SLOW = ("        order = json", "        __import__('time').sleep(0.05)\n        order = json")
WITH_SETUP = (
    "[requests.order]",
    '[setup.first]\nget = "/items/7"\ntake.item = "/name"\n[requests.order]\nheaders = { x-item = "{{var item}}" }',
)
"""A setup request, of which orders alone take a value."""
WHY = """
[why]
from = "orders"
unequal_work = "An order stores what a look reads"
[why.factors.orders]
setting = "requests"
values = ["all", "without-order"]
"""


@pytest.fixture(scope="module")
def finished(shared_lab: Lab) -> Finished:
    folder = shared_lab.folder / "order-desk"
    shutil.copytree(DESK, folder)
    for file, change in ((folder / "orders" / "app.py", SLOW), (folder / "orders.workload.toml", WITH_SETUP)):
        file.write_text(file.read_text().replace(*change))
    experiment = shared_lab.experiment("orders", blocks=3, workload="orders.workload.toml", data="", more=WHY)
    experiment.write_text(re.sub("stacks = .*\n", "", experiment.read_text()))
    return shared_lab.fairtrial("why", experiment, "--verbose", "--workloads", folder, "--stacks", folder)


def test_each_condition_is_asked_its_part_alone(finished: Finished) -> None:
    conditions = finished.result["conditions"]
    assert {trial["outcome"] for one in conditions for trial in one["trials"]} == {"valid"}, finished.out
    sent = {(value_of(trial), *(share["name"] for share in trial["engine"]["mix"])) for trial in finished.record[1:]}
    assert sent == {("all", "look", "order"), ("without-order", "look")}
    clauses = [{clause["name"] for clause in trial["contract"]} for trial in finished.record[1:]]
    assert all("setup" in names and "look" in names for names in clauses)
    assert sum("order" in names for names in clauses) == len(clauses) / 2
    requests = {one["contender"]: [each["name"] for each in one["requests"]] for one in conditions}
    assert requests == {"orders at all": ["look", "order"], "orders at without-order": []}, "of one, none are listed"


def test_audits_count_none_of_what_is_not_sent(finished: Finished) -> None:
    audits = [(value_of(trial), trial["own_audits"][0]) for trial in finished.record[1:]]
    stored = {(value, audit["value"] > 0, audit["highest"] > 0) for value, audit in audits}
    assert stored == {("all", True, True), ("without-order", False, False)}


def value_of(trial: dict[str, Any]) -> str:
    """The value of the sweep at which it was tried."""
    return str(trial["condition"].rpartition("/")[2])


def test_the_mix_is_the_whole_cause(finished: Finished) -> None:
    causes = finished.result["causes"]
    assert causes["reason"] is None and causes["ratio"] > 2, "each order waits for 50 ms"
    assert [(part["kind"], part["factors"]) for part in causes["parts"]] == [("factor", ["orders"])]
    assert "orders (requests all to without-order)" in finished.out
    assert "orders.workload.toml (without-order) on sqlite" in finished.out
