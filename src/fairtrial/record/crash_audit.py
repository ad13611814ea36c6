"""The crash audit of a trial: what was left of acknowledged writes when the database had been killed under load."""

from pydantic import Field

from fairtrial.base.strict import Strict


class CrashAudit(Strict):
    """The database was killed under a load of its own, started again on the same files, and its rows were looked at.
    Where the lab may, its disk lost its power at that moment.

    That load came before or after the trial's, as a coin fell, on tables as they were loaded, with a start of the stack
    of its own: it is in no figure.
    """

    drawn: bool = Field(description="whether the database was to be killed in this trial")
    why_not: str = Field("", description="why it was not, in words; empty: it was, or another trial was drawn")
    killed_after_seconds: float | None = Field(
        None,
        description="from the begin of that load until the database was killed; of a program, from its start, which "
        "had just ended; null: it was not killed",
    )
    down_seconds: float | None = Field(
        None, description="from the start of the database on the same files until it served; null: it was not killed"
    )
    audit_seconds: float | None = Field(None, description="of the audit of its rows; null: there was none")
    power_cut: bool = Field(
        False,
        description="whether its disk lost, when it was killed, all that had not been synced, as in a power cut",
    )
    why_no_power_cut: str = Field("", description="why it did not, in words; empty: it did, or there was no audit")
    acknowledged: int = Field(0, description="writes that were acknowledged before or after it was killed")
    stored: int = Field(0, description="that were found, acknowledged or not")
    lost: int = Field(0, description="acknowledged writes that were not found")
    example: str = Field("", description="one that was lost, or else one that nobody had asked for; printable")
    unasked: int = Field(0, description="stored rows of requests that had not been sent yet")

    @property
    def was_tried(self) -> bool:
        """Whether the database was killed and its rows were looked at."""
        return self.audit_seconds is not None
