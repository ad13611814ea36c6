"""The state that a workload file describes: what it means, and errors that name the key."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.read import read_workload_file
from fairtrial.experiment.workload_file.state import AuditEntry, Count

ORDER = '[requests.order]\npost = "/orders"\n'
STATE = """
data = { sqlite = ["schema.sql", "rows.sql"], redis = "keys.redis" }
reset = { sql = "reset.sql", within_seconds = 5 }
[audit.orders-stored]
sql = "SELECT count(*) FROM orders"
between = ["{{acknowledged order}}", "{{ sent order }}"]
[audit.none-open]
command = ["./open.sh", "orders"]
equals = 0
"""
FILES = ("schema.sql", "rows.sql", "keys.redis", "reset.sql", "open.sh")


def workload(folder: Path, text: str, files: tuple[str, ...] = FILES) -> Path:
    for name in files:
        (folder / name).write_text(name)
    file = folder / "orders.workload.toml"
    file.write_text(text)
    return file


def test_files_are_those_beside_the_workload_file_and_part_of_its_digest(tmp_path: Path) -> None:
    file = workload(tmp_path, STATE + ORDER)
    source = read_workload_file(file)
    assert source.data == {"sqlite": [tmp_path / "schema.sql", tmp_path / "rows.sql"], "redis": [tmp_path / FILES[2]]}
    assert source.reset_file == tmp_path / "reset.sql"
    digests = {source.sha256}
    for name in FILES:
        (tmp_path / name).write_text("otherwise")
        digests.add(read_workload_file(file).sha256)
    assert len(digests) == 1 + len(FILES)


def test_an_audit_has_bounds_and_proves_what_its_lowest_number_names(tmp_path: Path) -> None:
    audits = read_workload_file(workload(tmp_path, STATE + ORDER)).model.audit
    stored, none = audits["orders-stored"], audits["none-open"]
    assert stored.bounds == (Count("acknowledged", "order"), Count("sent", "order")) and stored.proven == ["order"]
    assert (none.bounds, none.proven, none.within_seconds) == ((0, 0), [], 60)
    nothing = AuditEntry.model_validate({"sql": "SELECT 1", "between": [0, "{{acknowledged order}}"]})
    assert nothing.proven == [], "no order at all would be right, too"


@pytest.mark.parametrize(
    "text",
    [
        'reset = { sql = "a.sql", command = ["b"] }\n',
        "reset = {}\n",
        "reset = { command = [] }\n",
        'reset = { sql = "no.sql" }\n',
        'reset = { command = ["./no.sh"] }\n',
        'data = { sqlite = "no.sql" }\n',
        '[audit.a]\nsql = "x"\n',
        '[audit.a]\nsql = "x"\nequals = "{{acknowledged oder}}"\n',
        '[audit.a]\nsql = "x"\nequals = "{{stored order}}"\n',
        '[audit.a]\nsql = "x"\nequals = "{{sent order}} + 1"\n',
        '[audit.a]\nsql = "x"\nbetween = [3, 2]\n',
        '[audit.a]\nsql = "x"\nbetween = [3]\n',
        '[audit.a]\nsql = "x"\nequals = 1\nwithin_seconds = 0\n',
        '[audit.a]\nsql = "x"\nequal = 1\n',
    ],
)
def test_what_cannot_be_is_refused_with_its_key(text: str, tmp_path: Path, snapshot: object) -> None:
    file = workload(tmp_path, text + ORDER, ())
    with pytest.raises(Problem) as refused:
        read_workload_file(file)
    assert refused.value.reason == snapshot
    assert refused.value.remedy
