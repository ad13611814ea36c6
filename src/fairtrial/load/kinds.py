"""Every kind of load that an experiment can have: `[load]` of its file."""

from typing import Annotated, Any

from pydantic import Discriminator, Tag

from fairtrial.load.capacity import CapacityLoad
from fairtrial.load.closed import ClosedLoad
from fairtrial.load.fixed import FixedLoad
from fairtrial.load.open import OpenLoad
from fairtrial.load.program import ProgramLoad
from fairtrial.load.ramp import RampLoad
from fairtrial.load.steps import StepsLoad


def _kind_of_load(value: Any) -> str:
    """What is neither a table nor a load is no closed one either, which is then said of it."""
    return str(value.get("kind", "closed")) if isinstance(value, dict) else str(getattr(value, "kind", "closed"))


Load = Annotated[
    Annotated[ClosedLoad, Tag("closed")]
    | Annotated[FixedLoad, Tag("fixed")]
    | Annotated[OpenLoad, Tag("open")]
    | Annotated[RampLoad, Tag("ramp")]
    | Annotated[StepsLoad, Tag("steps")]
    | Annotated[CapacityLoad, Tag("capacity")]
    | Annotated[ProgramLoad, Tag("program")],
    Discriminator(_kind_of_load),
]
