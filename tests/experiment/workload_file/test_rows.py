"""Rows of CSV and JSONL files."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.rows import RowTable, read_rows


def table(folder: Path, name: str, text: str, *columns: str) -> RowTable:
    file = folder / name
    file.write_text(text)
    return read_rows(file, dict.fromkeys(columns, "requests.look.get"))


def test_a_column_of_a_csv_is_numbers_if_all_of_it_is(tmp_path: Path, snapshot: object) -> None:
    text = '\ufeffid,price,zip,name\n1,1.50,00501,"a ""b"", c"\n\n-2,3e2,10001,ä\n'
    rows = table(tmp_path, "rows.csv", text, "name", "id", "price", "zip")
    assert rows.lines == snapshot
    assert rows.count == 2


def test_jsonl_is_left_to_the_engine(tmp_path: Path) -> None:
    rows = table(tmp_path, "rows.jsonl", '{"id": 1, "more": [1]}\n\n{"id": "x"}\n', "id")
    assert (rows.count, rows.lines, rows.file) == (2, None, tmp_path / "rows.jsonl")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "id,b\n1\n"),
        ("a.csv", "id,id\n1,2\n"),
        ("a.csv", "id\n"),
        ("a.csv", ""),
        ("a.csv", 'id\n"x\n'),
        ("a.jsonl", "[1]\n"),
        ("a.jsonl", '{"id": 1}\n{"id"}\n'),
        ("a.jsonl", '{"id": NaN}\n'),
        ("a.jsonl", '{"idd": 1}\n'),
        ("a.jsonl", '{"id": null}\n'),
        ("a.jsonl", "\n"),
        ("a.ndjson", '{"id": [1]}\n'),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, name: str, text: str, snapshot: object) -> None:
    with pytest.raises(Problem) as refused:
        table(tmp_path, name, text, "id")
    assert refused.value.reason == snapshot
    assert refused.value.remedy
