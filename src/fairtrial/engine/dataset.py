"""Datasets, as the engine generates them: rows are a pure function of (seed, id)."""

import hashlib
import json
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, TypedDict, cast

from fairtrial.engine.binary import engine_binary

DatasetSpec = dict[str, Any]
"""A dataset's description: the JSON object of docs/engine-protocol.md."""


class FieldLengths(TypedDict):
    """Shortest and longest text of one field over all rows."""

    min_bytes: int
    max_bytes: int


class Described(TypedDict):
    """What a dataset's description comes to."""

    rows: int
    first_id: int
    last_id: int
    fields: dict[str, FieldLengths]


@dataclass(frozen=True)
class Dataset:
    """The rows of an experiment: their description, and what it comes to."""

    spec: DatasetSpec
    described: Described

    def rows_at(self, ids: Iterable[int]) -> list[dict[str, Any]]:
        """The rows with these ids, ascending; an id that holds no row is passed over."""
        lines = _dataset(self.spec, "--format", "jsonl", "--skip-gaps", "--ids", ",".join(map(str, ids))).splitlines()
        return [json.loads(line) for line in lines]


def spec_sha256(spec: DatasetSpec) -> str:
    """The digest by which a dataset's loaded form is kept, as hex."""
    return hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()


def describe(spec: DatasetSpec) -> Dataset:
    """The dataset that `spec` describes: first and last id, and how long each field's text gets."""
    return Dataset(spec, cast("Described", json.loads(_dataset(spec, "--describe"))))


def rows_by_id(spec: DatasetSpec, ids: Sequence[int]) -> list[dict[str, Any]]:
    """The rows with these ids, in the order of `ids`, as JSON objects."""
    lines = _dataset(spec, "--format", "jsonl", "--ids", ",".join(map(str, ids))).splitlines()
    return [json.loads(line) for line in lines]


@contextmanager
def row_stream(spec: DatasetSpec) -> Iterator[BinaryIO]:
    """All rows in id order as tab-separated lines, to be read while they are made."""
    command = [str(engine_binary()), "dataset", "--format", "tsv"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdin and process.stdout
            process.stdin.write(json.dumps(spec).encode())
            process.stdin.close()
            yield cast("BinaryIO", process.stdout)
        except BaseException:
            process.kill()
            raise


def _dataset(spec: DatasetSpec, *arguments: str) -> str:
    return subprocess.run(
        [str(engine_binary()), "dataset", *arguments],
        input=json.dumps(spec),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
