"""The processor time of the workers of a stack."""

from pydantic import Field

from fairtrial.base.strict import Strict


class Workers(Strict):
    """Processes of one parent and one command line, but for its digits: of all such groups the one that used most."""

    program: str = Field(description="their name, as the kernel has it; printable")
    processes: int = Field(description="that lived through the whole window; at least two")
    at_work: int = Field(description="those that used at least a hundredth of what the busiest did")
    least_cpu_seconds: float = Field(description="of all of them, in the window, without those that they started")
    most_cpu_seconds: float
    cpu_seconds: float = Field(description="all of theirs")
