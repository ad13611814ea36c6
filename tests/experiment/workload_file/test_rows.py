"""Rows of CSV and JSONL files."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.rows import RowTable, read_rows


def table(folder: Path, name: str, text: str, *columns: str) -> RowTable:
    file = folder / name
    file.write_text(text)
    return read_rows(file, dict.fromkeys(columns, "requests.look.get"))


def test_a_column_of_a_csv_is_numbers_if_all_of_it_is(tmp_path: Path) -> None:
    text = '\ufeffid,price,zip,name\n1,1.50,00501,"a ""b"", c"\n\n-2,3e2,10001,ä\n'
    rows = table(tmp_path, "rows.csv", text, "name", "id", "price", "zip")
    assert rows.lines == [
        '{"name": "a \\"b\\", c", "id": 1, "price": 1.50, "zip": "00501"}',
        '{"name": "\\u00e4", "id": -2, "price": 3e2, "zip": "10001"}',
    ]
    assert rows.count == 2


def test_jsonl_is_left_to_the_engine(tmp_path: Path) -> None:
    rows = table(tmp_path, "rows.jsonl", '{"id": 1, "more": [1]}\n\n{"id": "x"}\n', "id")
    assert (rows.count, rows.lines, rows.file) == (2, None, tmp_path / "rows.jsonl")


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.csv", "id,b\n1\n", "line 2 has 1 cells, and the header line has 2"),
        ("a.csv", "id,id\n1,2\n", "line 1: a column is there twice"),
        ("a.csv", "id\n", "holds no row"),
        ("a.csv", "", "there is no column 'id'"),
        ("a.csv", 'id\n"x\n', "line 2: unexpected end"),
        ("a.jsonl", "[1]\n", "line 1 is no object: [1]"),
        ("a.jsonl", '{"id": 1}\n{"id"}\n', "line 2 is not JSON"),
        ("a.jsonl", '{"id": NaN}\n', "line 1 is not JSON: NaN is no JSON"),
        ("a.jsonl", '{"idd": 1}\n', "line 1: there is no column 'id' (did you mean idd?)"),
        ("a.jsonl", '{"id": null}\n', "line 1: id is null"),
        ("a.jsonl", "\n", "holds no row"),
        ("a.ndjson", '{"id": [1]}\n', "line 1: id is [1]"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, name: str, text: str, reason: str) -> None:
    with pytest.raises(Problem) as refused:
        table(tmp_path, name, text, "id")
    assert refused.value.reason.startswith(f"{tmp_path / name}: ")
    assert reason in refused.value.reason
    assert refused.value.remedy
