"""A database's account around a load, as it is recorded: its own work, its commits, audits of what it holds, and its
rest."""

from pydantic import Field

from fairtrial.base.strict import Strict


class Maintenance(Strict):
    """The work of one service for itself, by its own counters, read at both ends of the window."""

    seconds: float = Field(description="between the two readings")
    counted: dict[str, int] = Field(
        description="by how much each counter grew: `checkpoints`, `pages` (written by checkpoints, or flushed), "
        "`waits_for_pages`, `vacuums`, `analyses`, `snapshots`; one that the service does not tell, or that began anew "
        "meanwhile, is missing. All are missing where it could not be asked"
    )
    running: list[str] = Field(
        default_factory=list, description="what was under way at either end: `checkpoint`, `vacuum`, `snapshot`"
    )


class Durability(Strict):
    """Commits, as the database speaks of them once the stack has ended."""

    promised: bool = Field(
        description="whether the server was started so that a commit is on the disk when it is answered; false: the "
        "experiment chose otherwise"
    )
    changed: dict[str, str] = Field(
        default_factory=dict, description="settings of the server that differ from those at its start: `on, now off`"
    )
    relaxed: list[str] = Field(
        default_factory=list,
        description="what roles, sessions or tables were given since that lets a commit be answered before it is on "
        "the disk; printable",
    )
    commits: int | None = Field(
        None, description="transactions that wrote, from before the stack started until it had ended; null: not counted"
    )
    flushes: int | None = Field(
        None, description="of the database's log to the disk in that time; null: not counted, or it needs none"
    )


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


class Settle(Strict):
    """The database after the last answer."""

    seconds: float = Field(description="until it used no more processor time")
    at_rest: bool = Field(description="false: it was still working when the lab stopped waiting")
    writes_after: int | None = Field(description="writing statements after the load; null where it does not count them")
