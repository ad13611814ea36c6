"""A whole cross-examination: what was read, and what it refutes."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from fairtrial import __version__
from fairtrial.base.document import Document
from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, REFUTED
from fairtrial_cross_examine.boards.verdicts import ExaminedRow, examine_rows
from fairtrial_cross_examine.contradictions import find_contradictions
from fairtrial_cross_examine.contradictions.model import Contradiction
from fairtrial_cross_examine.model import PrintedOutput, PrintedRun, StatedRatio, UnreadRow


class Examination(Document):
    """Runs as they were read, and every contradiction between their figures."""

    kind: Literal["fairtrial/examination"] = Field("fairtrial/examination", alias="schema")
    version: Literal[1] = 1
    fairtrial_version: str
    exit_status: int
    runs: Sequence[PrintedRun]
    ratios: Sequence[StatedRatio]
    contradictions: Sequence[Contradiction]
    rows: Sequence[ExaminedRow] = Field((), description="of boards, each with its verdict; `runs` is empty then")
    unread_rows: Sequence[UnreadRow] = Field((), description="of boards, of which nothing is read")
    passed_over: Sequence[str] = Field((), description="files beside those of boards, of which nothing was read")


def examine_output(evidence: PrintedOutput) -> Examination:
    """Hold all figures against each other."""
    rows, contradictions = examine_rows(evidence.rows)
    contradictions += find_contradictions(evidence)
    gaps = bool(evidence.unread_rows) or any(run.not_read or run.ambiguous for run in evidence.runs)
    return Examination(
        fairtrial_version=__version__,
        exit_status=REFUTED if contradictions else IN_DOUBT if gaps else ALL_WELL,
        runs=evidence.runs,
        ratios=evidence.ratios,
        contradictions=contradictions,
        rows=rows,
        unread_rows=evidence.unread_rows,
        passed_over=evidence.passed_over,
    )
