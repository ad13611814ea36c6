"""A diagnosis of one property of the machine."""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from fairtrial.base.document import Document

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


class DiagnosesDocument(Document):
    """All diagnoses of a machine."""

    kind: Literal["fairtrial/diagnoses"] = Field("fairtrial/diagnoses", alias="schema")
    version: Literal[1] = 1
    exit_status: int = Field(description="0: trials can be run; 4: none can")
    diagnoses: list[Diagnosis]
