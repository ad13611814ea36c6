"""Models of a plan that keeps a server's answers, or compares others with them: docs/engine-protocol.md."""

from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.experiment.workload_file.normalisation import Normalisation


class KeepAnswers(Strict):
    """The answers to compared requests are written to a file, by its absolute path.

    `key` is the secret of the digests, 32 hexadecimal digits: servers choose bodies, and must not be able to look for
    two that have one digest.
    """

    file: str
    key: str = Field(repr=False)
    normalisation: Normalisation
    mode: Literal["keep"] = "keep"


class CompareAnswers(Strict):
    """Answers to compared requests are held against those of a file that a run in mode `keep` has written.

    That run had the same tables of rows, and no requests but the compared ones, each with the weight 1. `key` and
    `normalisation` are those of that run, and `seed` is that of its plan. `instances` of each request are drawn from.
    """

    file: str
    key: str = Field(repr=False)
    normalisation: Normalisation
    seed: int
    instances: int
    mode: Literal["compare"] = "compare"
