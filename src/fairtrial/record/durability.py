"""Whether acknowledged commits were on the disk, as far as the database tells after a load that wrote."""

from pydantic import Field

from fairtrial.base.strict import Strict


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
