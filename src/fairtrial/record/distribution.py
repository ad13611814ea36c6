"""A distribution of times."""

from pydantic import Field

from fairtrial.base.strict import Strict


class Distribution(Strict):
    """Times of one kind, as the engine measured them. Figures are null when `count` is 0."""

    count: int
    min_seconds: float | None
    mean_seconds: float | None
    max_seconds: float | None
    percentiles: dict[str, float | None]
    supported_percentile: float | None = Field(
        None, description="the highest percentile with at least ten samples above it; null below 20 samples"
    )
    hdr_base64: str
