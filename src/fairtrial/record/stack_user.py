"""Whose processes those of a stack were, as it is recorded."""

from pydantic import Field

from fairtrial.base.strict import Strict


class StackUser(Strict):
    """Whether a stack ran as a user of its own, which owns nothing but a folder for this trial."""

    own: bool = Field(description="false: it ran as the user of the lab, and could write wherever that may")
    reason: str = Field("", description="why it ran as the user of the lab; empty: it did not")
    held_to_cpus: bool = Field(
        False, description="the kernel held it to its processors by a control group that it had no right to leave"
    )
