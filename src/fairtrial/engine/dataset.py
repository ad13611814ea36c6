"""Datasets that the engine generates: rows are a pure function of (seed, id)."""

import hashlib
import json
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, TypedDict, cast

from fairtrial.engine.binary import engine_binary

DatasetSpec = dict[str, Any]
"""A dataset's description: the JSON object of docs/engine-programs.md."""


class FieldLengths(TypedDict):
    """Shortest and longest text of one field over all rows."""

    min_bytes: int
    max_bytes: int


class DatasetFacts(TypedDict):
    """Facts that follow from a dataset's description."""

    rows: int
    first_id: int
    last_id: int
    fields: dict[str, FieldLengths]


@dataclass(frozen=True)
class Dataset:
    """The rows of an experiment: their description, and the facts that follow from it."""

    spec: DatasetSpec
    described: DatasetFacts

    def rows_at(self, ids: Iterable[int]) -> list[dict[str, Any]]:
        """Return the rows with these ids, ascending. Ids without a row are skipped."""
        lines = _dataset(self.spec, "--format", "jsonl", "--skip-gaps", "--ids", ",".join(map(str, ids))).splitlines()
        return [json.loads(line) for line in lines]


def spec_sha256(spec: DatasetSpec) -> str:
    """Return the SHA-256 under which a dataset is cached once it is loaded, as hex."""
    return hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()


def describe(spec: DatasetSpec) -> Dataset:
    """Return the dataset that `spec` describes, with its first and last id and the range of each field's length."""
    return Dataset(spec, cast("DatasetFacts", json.loads(_dataset(spec, "--describe"))))


def rows_by_id(spec: DatasetSpec, ids: Sequence[int]) -> list[dict[str, Any]]:
    """Return the rows with these ids, in the order of `ids`, as JSON objects."""
    lines = _dataset(spec, "--format", "jsonl", "--ids", ",".join(map(str, ids))).splitlines()
    return [json.loads(line) for line in lines]


def every_row(spec: DatasetSpec) -> list[dict[str, Any]]:
    """Return all rows in id order, as JSON objects."""
    return [json.loads(line) for line in _dataset(spec, "--format", "jsonl").splitlines()]


@contextmanager
def row_stream(spec: DatasetSpec) -> Iterator[BinaryIO]:
    """Yield a stream of all rows in id order, as tab-separated lines that are generated while they are read."""
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
