"""Values that are sent, held against the schemas that the document has for them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fairtrial.base.json_or_yaml import TooManyValues
from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.schema import schemas_of_requests
from fairtrial_import.document import ParsedDocument
from fairtrial_import.json_value import member_at
from fairtrial_import.sampler import THE_BODY

HOLDER = "x-samples"
DEEPEST = 32


@dataclass(frozen=True)
class Sample:
    """A value, and the schema that it has to fit. `name`: of a parameter, or the body."""

    name: str
    schema: Any
    value: Any


def misfits(document: ParsedDocument, samples: Sequence[Sequence[Sample]]) -> list[list[str]]:
    """Where each request's values break their schemas, or may as those cannot be used: `/quantity (minimum)`."""
    every = [sample for of_request in samples for sample in of_request]
    root = {**document.root, HOLDER: [sample.schema for sample in every]}
    try:
        schemas = schemas_of_requests(root).schemas({f"#/{HOLDER}/{number}": "" for number in range(len(every))})
    except TooManyValues:
        return [[] for _ in samples]
    results = iter(schemas[f"#/{HOLDER}/{number}"] for number in range(len(every)))
    return [[fault for sample in of_request for fault in _faults(sample, next(results))] for of_request in samples]


def _faults(sample: Sample, schema: Any) -> Iterator[str]:
    if isinstance(schema, Problem):
        yield f"{sample.name} (its schema cannot be used)"
    elif fault := schema.broken_keyword(sample.value):
        place, keyword = fault
        yield f"{sample.name.removeprefix(THE_BODY if place else '')}{place} ({keyword})"


def prescribed(document: ParsedDocument, sample: Sample) -> Iterator[str]:
    """The texts of a sample that the document has in a list of allowed ones, and that are no secrets therefore."""
    yield from _prescribed(document, sample.schema, sample.value, 0)


def _prescribed(document: ParsedDocument, schema: Any, value: Any, depth: int) -> Iterator[str]:
    schema = document.resolved(schema)
    if not isinstance(schema, dict) or depth > DEEPEST:
        return
    if isinstance(value, str) and (value == schema.get("const") or value in _list(schema.get("enum"))):
        yield value
    for key in ("allOf", "anyOf", "oneOf"):
        for each in _list(schema.get(key)):
            yield from _prescribed(document, each, value, depth + 1)
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _prescribed(document, member_at(schema, "properties", name), each, depth + 1)
    for each in _list(value):
        yield from _prescribed(document, schema.get("items"), each, depth + 1)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
