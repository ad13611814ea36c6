"""What the doctor says of one thing."""

from dataclasses import dataclass
from typing import Literal

Health = Literal["good", "poor", "missing"]


@dataclass(frozen=True)
class Diagnosis:
    """One thing that was looked at.

    `missing` means that something cannot be run at all; `poor`, that figures will suffer.
    """

    subject: str
    health: Health
    found: str
    remedy: str = ""
    essential: bool = False
    """nothing can be tried without it"""
