"""The dataset, written a second time from its description in docs/engine-programs.md, and held against the engine's."""

import hashlib
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.locations import shipped
from fairtrial.catalog.tables import GeneratedRows, Table
from fairtrial.catalog.workloads.random_item import items
from fairtrial.engine.dataset import DatasetSpec, describe, row_stream, rows_by_id
from fairtrial.experiment.model import DatasetOptions

M = (1 << 64) - 1


def mix(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) & M
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & M
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & M
    return x ^ x >> 31


def draw(seed: int, row: int, field: int, n: int) -> int:
    return mix((mix((mix(seed) + row) & M) + (field << 32) + n) & M)


def word_list() -> list[str]:
    return (shipped("engine") / "src" / "dataset" / "words.txt").read_text().split()


def item(seed: int, row: int) -> dict[str, Any]:
    """The row of `items` with this id."""
    words = word_list()
    found: dict[str, Any] = {"id": row}
    found["name"] = " ".join(words[draw(seed, row, 1, n) % 256] for n in range(3))
    bits = draw(seed, row, 2, 0) << 64 | draw(seed, row, 2, 1)
    found["uuid"] = str(uuid.UUID(int=bits, version=4))
    moment = datetime(2012, 1, 1, tzinfo=UTC) + timedelta(seconds=draw(seed, row, 3, 0) % 31_536_000)
    found["created_at"] = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    hashed = "-".join([found["name"], found["uuid"], found["created_at"]])
    found["hash_code"] = hashlib.sha1(hashed.encode()).hexdigest()
    text = " ".join(words[draw(seed, row, 5, n) % 256] for n in range(100))[:200]
    found["description"] = text[:-1] + "." if text.endswith(" ") else text
    found["segment"] = row % 10_000
    return found


def spec_of(table: Table) -> DatasetSpec:
    assert isinstance(table.rows, GeneratedRows)
    return table.rows.dataset.spec


def exists(seed: int, row: int, gaps: float) -> bool:
    return gaps == 0 or draw(seed, row, 0xFFFF, 0) >= int(gaps * 2**64)


def test_splitmix64_known_answers() -> None:
    """The first outputs of SplitMix64 seeded with 1234567, as published with its reference implementation."""
    state, outputs = 1234567, []
    for _ in range(2):
        outputs.append(mix(state))
        state = (state + 0x9E3779B97F4A7C15) & M
    assert outputs == [6457827717110365317, 3203168211198807973]


def test_the_word_list_is_256_distinct_words() -> None:
    assert len(word_list()) == len(set(word_list())) == 256


@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1])
def test_rows_are_those_of_the_description(cache: Path, seed: int) -> None:
    spec = spec_of(items(DatasetOptions(rows=1000, seed=seed), 1000).tables[0])
    ids = [1, 2, 499, 1000]
    assert rows_by_id(spec, ids) == [item(seed, row) for row in ids]


@pytest.mark.parametrize("gaps", [0.0, 0.1, 0.7])
def test_gaps_and_ends(cache: Path, gaps: float) -> None:
    spec = spec_of(items(DatasetOptions(rows=500, seed=5, gaps=gaps), 1000).tables[0])
    ids = [row for row in range(1, 5000) if exists(5, row, gaps)][:500]
    with row_stream(spec) as lines:
        rows = [line.decode().rstrip("\n").split("\t") for line in lines]
    described = describe(spec).described

    assert [int(row[0]) for row in rows] == ids
    assert described["first_id"] == ids[0]
    assert described["last_id"] == ids[-1]
    assert rows[17] == [str(value) for value in item(5, ids[17]).values()]
    for number, name in enumerate(item(5, 1)):
        lengths = [len(row[number]) for row in rows]
        assert described["fields"][name] == {"min_bytes": min(lengths), "max_bytes": max(lengths)}
