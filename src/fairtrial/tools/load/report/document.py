"""A load as JSON."""

import math
from typing import Any, Literal

from pydantic import Field

from fairtrial import __version__
from fairtrial.base.document import Document
from fairtrial.base.strict import Strict
from fairtrial.record.capacity import CapacitySearch
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.idle_connections import IdleConnections
from fairtrial.tools.load.advice import warnings
from fairtrial.tools.load.measure import Measurement


class ExpectedInDocument(Strict):
    """A figure of `--expect`, and what became of it."""

    expected: str = Field(description="as it was written")
    figure: str
    request: str | None = Field(description="the request of the mix that it is of; null: of all")
    limit: float = Field(description="in seconds, per second, or a share")
    value: float | None = Field(description="in the same unit; null: it is not known, or nothing was answered")
    value_in_words: str
    verdict: str
    reason: str


class LoadDocument(EngineSummary, Document):
    """The engine's summary with URL, load, expected figures, capacity, warnings, notes and exit status.

    The request's headers and body are left out, as they may be secret.
    """

    kind: Literal["fairtrial/load"] = Field("fairtrial/load", alias="schema")
    version: Literal[1] = 1
    fairtrial_version: str
    url: str
    load: str = Field(description="in words")
    load_model: dict[str, Any] = Field(description="as the engine received it: docs/engine-protocol.md")
    exit_status: int
    warnings: list[str]
    notes: list[str]
    expected: list[ExpectedInDocument]
    capacity: CapacitySearch | None = Field(description="of a search; null for any other load")
    idle_connections: IdleConnections | None = Field(description="those beside the load; null: there were none")


def load_document(measurement: Measurement) -> LoadDocument:
    """The document of a load."""
    expected = [
        ExpectedInDocument(
            expected=each.text,
            figure=each.figure,
            request=each.request,
            limit=each.limit,
            value=None if ruling.value is None or math.isinf(ruling.value) else ruling.value,
            value_in_words=each.value_in_words(ruling.value),
            verdict=ruling.verdict,
            reason=ruling.reason or "",
        )
        for each, ruling in measurement.verdicts
    ]
    return LoadDocument(
        fairtrial_version=__version__,
        url=measurement.url,
        load=measurement.load.describe(),
        load_model=measurement.plan.load.model_dump(exclude_none=True),
        exit_status=measurement.exit_status,
        warnings=list(warnings(measurement)),
        notes=list(measurement.notes),
        expected=expected,
        capacity=measurement.trial.capacity,
        idle_connections=measurement.trial.idle_connections,
        **measurement.summary.model_dump(),
    )
