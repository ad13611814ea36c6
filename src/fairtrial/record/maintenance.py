"""Work that a database did for itself in the measured window: checkpoints, vacuum, flushes, snapshots."""

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
