"""What a reader of a load on a workload file has to know: what only trials do, and which requests any answer meets."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.toml_file import read_toml
from fairtrial.catalog.workloads.expected import ANY_ANSWER, expects_nothing
from fairtrial.engine.plan import Request
from fairtrial.experiment.workload_file.model import WorkloadFile

FOR_TRIALS = ("data", "reset", "audit", "reference")
"""The keys of a workload file that only `fairtrial run` heeds."""

NAMED_CHARACTERS = 300


def left_out(file: Path) -> list[str]:
    """A note if the file holds what `fairtrial load` does not do; else none.

    Raises:
        Problem: the file cannot be read, or is broken.
    """
    fields = read_toml(file, WorkloadFile).model_fields_set
    keys = ", ".join(key for key in FOR_TRIALS if key in fields)
    return [f"load sends requests only; of {printable(file.name)}, `fairtrial run` alone heeds: {keys}"] if keys else []


def met_by_anything(requests: Sequence[Request]) -> Iterator[str]:
    """A note for the requests to which any answer is right, and for each schema that says nothing."""
    unexpected = [request.name for request in requests if expects_nothing(request)]
    if unexpected:
        names = printable(", ".join(unexpected), NAMED_CHARACTERS)
        yield f"{names}: {ANY_ANSWER}, as the file expects nothing of it"
    for request in requests:
        check = request.body_check
        if check is not None and check.schema is not None and check.schema.accepts_anything:
            yield f"{printable(request.name)}: its schema accepts any answer"
