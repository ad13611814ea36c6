"""Rows of a workload file: `[rows.NAME]`."""

from typing import Self

from pydantic import Field, model_validator

from fairtrial.base.registry import did_you_mean
from fairtrial.base.strict import Strict
from fairtrial.experiment.workload_file.placeholders import is_exponent

ZIPF = "zipf "


class Rows(Strict):
    """Rows of a file, of which each request that names them takes one: `[rows.NAME]`."""

    file: str = Field(min_length=1, description="a CSV or JSONL file, relative to the workload file")
    pick: str = Field("random", description="which row a request takes: sequential, random, `zipf S` or once")

    @model_validator(mode="after")
    def _known_pick(self) -> Self:
        zipf = self.pick.startswith(ZIPF) and is_exponent(self.pick.removeprefix(ZIPF))
        if self.pick not in ("sequential", "random", "once") and not zipf:
            hint = did_you_mean(self.pick, ("sequential", "random", "once"))
            raise ValueError(
                f'pick: {self.pick!r} is none{hint}; there are "sequential", "random", "once" and "zipf S" with S from '
                "0.01 to 20"
            )
        return self

    @property
    def zipf_exponent(self) -> float | None:
        """S of `zipf S`; None for the other picks."""
        return float(self.pick.removeprefix(ZIPF)) if self.pick.startswith(ZIPF) else None
