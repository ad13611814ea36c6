"""The line of each key of a TOML file."""

from pathlib import Path

import pytest

from fairtrial.base.toml_lines import LONGEST_STATEMENT, key_lines, line_of_key

TEXT = '''# a comment
name = "x" # = [no, key]
summary = """
[load]
claims = 3
"""
stacks = [
    "a", # one
    "b",
]
dataset.rows = 3

[load]
kind = "closed"

[[claims]]
id = "first"

[[claims]]
id = "second"
at_least = 2

[services.postgresql]
latency = "1 ms"
address = { port = 1 }
'''


def test_keys_stand_where_they_begin() -> None:
    lines = key_lines(TEXT)
    assert lines == {
        "name": 2,
        "summary": 3,
        "stacks": 7,
        "dataset.rows": 11,
        "load": 13,
        "load.kind": 14,
        "claims[0]": 16,
        "claims[0].id": 17,
        "claims[1]": 19,
        "claims[1].id": 20,
        "claims[1].at_least": 21,
        "services.postgresql": 23,
        "services.postgresql.latency": 24,
        "services.postgresql.address": 25,
    }


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("claims[1].at_least", 21),
        ("claims[1].metric", 19),
        ("load.objectives[0].within_milliseconds", 13),
        ("services.postgresql.address.port", 25),
        ("concurrency_budget", None),
    ],
)
def test_what_is_not_in_the_file_would_stand_in_its_table(key: str, line: int | None) -> None:
    assert line_of_key(key_lines(TEXT), key) == line


def test_a_text_of_many_lines_is_not_read_over_and_over() -> None:
    longer = 'name = "x"\ntext = """\n' + "line\n" * 100 * LONGEST_STATEMENT + '"""\nlast = 1\n'
    assert key_lines(longer) == {"name": 1}


def test_every_key_of_a_shipped_experiment_has_a_line() -> None:
    text = (Path(__file__).parents[2] / "experiments" / "quickstart.toml").read_text()
    rows = text.split("\n")
    lines = key_lines(text)
    assert {"workload", "load.connections", "claims[2].at_least"} <= lines.keys()
    assert all(key.rpartition(".")[2].partition("[")[0] in rows[line - 1] for key, line in lines.items())
