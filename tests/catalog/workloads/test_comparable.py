"""Which answers to the requests of a workload file can be compared."""

from pathlib import Path

from fairtrial.catalog.workloads.from_file import workload_from_file
from fairtrial.catalog.workloads.model import Comparable
from fairtrial.experiment.workload_file.read import read_workload_file

FILE = """
[rows.items]
file = "items.csv"
[rows.users]
file = "items.csv"
pick = "once"
[requests.look]
weight = 5
get = "/items/{{row items id}}"
[requests.probe]
head = "/"
[requests.order]
post = "/orders"
[requests.mine]
get = "/users/{{row users id}}"
[requests.yours]
get = "/others/{{row users id}}"
[requests.numbered]
get = "/numbers/{{sequence 1}}"
"""


def comparable(folder: Path, text: str) -> Comparable:
    (folder / "items.csv").write_text("id\n" + "7\n" * 9)
    file = folder / "x.workload.toml"
    file.write_text(text)
    found = workload_from_file(read_workload_file(file), {}).comparable
    assert found is not None
    return found


def test_what_changes_no_state_and_can_be_sent_again_is_compared_under_load(tmp_path: Path) -> None:
    found = comparable(tmp_path, FILE)
    assert found.under_load == ["look", "probe"] and found.has_varying
    assert all((request.weight, request.compared) == (1, True) for request in found.requests)
    assert [request.name for request in found.requests] == ["look", "probe", "order", "mine", "yours", "numbered"]


def test_rows_that_are_taken_once_last_for_all_who_take_them(tmp_path: Path) -> None:
    assert comparable(tmp_path, FILE).most_in_turn == 4
    plain = comparable(tmp_path, '[requests.home]\nget = "/"\n')
    assert (plain.most_in_turn, plain.has_varying) == (None, False)
