"""A diagnosis of one property of the machine."""

from dataclasses import dataclass
from typing import Literal

Health = Literal["good", "poor", "missing"]


@dataclass(frozen=True)
class Diagnosis:
    """The state of one property of the machine.

    `missing`: something cannot run at all. `poor`: figures will be worse for it.
    """

    subject: str
    health: Health
    observation: str
    remedy: str = ""
    essential: bool = False
    """no trial can be run without it"""
