"""The result of an audit of a workload file: docs/workload-file.md, "Audits"."""

from pydantic import Field

from fairtrial.base.strict import Strict


class StateAudit(Strict):
    """One number that was asked for after the load, and what it may be."""

    name: str = Field(description="of `[audit.NAME]`")
    value: int | None = Field(description="what was answered; null: no whole number")
    problem: str = Field("", description="why there is no value; printable")
    lowest: int = Field(description="the least that is right")
    highest: int = Field(description="the most that is right")
    lowest_is: str = Field(description="as the file has it, such as {{acknowledged order}}")
    highest_is: str = Field(description="likewise")

    @property
    def holds(self) -> bool:
        """Whether the number is one of those that are right."""
        return self.value is not None and self.lowest <= self.value <= self.highest
