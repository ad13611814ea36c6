"""A result as data frames, for notebooks: what `fairtrial.read` returns."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from fairtrial.base.fault_words import first_fault
from fairtrial.base.problem import Problem
from fairtrial.base.regular_file import read_regular
from fairtrial.judge.judging import judge_record
from fairtrial.judge.model import Result
from fairtrial.record.read import LARGEST_RECORD_BYTES, read_record
from fairtrial.report.rows import ResultFigure, TrialRow, VerdictRow, figures_of, trials_of, verdicts_of

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class ResultFrames:
    """The tables of one result. Each is made when it is asked for, and needs pandas."""

    result: Result

    @property
    def figures(self) -> "DataFrame":
        """A row for each figure of each condition, and of each trial where `block` is not null.

        Raises:
            Problem: pandas is not installed.
        """
        return _frame(ResultFigure, figures_of(self.result))

    @property
    def verdicts(self) -> "DataFrame":
        """A row for each claim.

        Raises:
            Problem: pandas is not installed.
        """
        return _frame(VerdictRow, verdicts_of(self.result))

    @property
    def trials(self) -> "DataFrame":
        """A row for each trial: whether it is valid, and why not.

        Raises:
            Problem: pandas is not installed.
        """
        return _frame(TrialRow, trials_of(self.result))


def read_result(place: Path) -> ResultFrames:
    """The result of a run.

    Args:
        place: a results folder or a record that xz compressed, which are judged by today's checks; or a `.json` file
            that `--json` wrote, which is taken as it is.

    Raises:
        Problem: nothing can be read there, or it is no result of this version.
    """
    if place.suffix != ".json":
        return ResultFrames(judge_record(*read_record(place)))
    try:
        return ResultFrames(Result.model_validate_json(read_regular(place, LARGEST_RECORD_BYTES)))
    except OSError as error:
        remedy = "name a results folder, or its result.json"
        raise Problem(f"{place}: cannot be read: {error.strerror}", remedy) from error
    except ValidationError as error:
        raise Problem(
            f"{place}: no result of this version: {first_fault(error)}",
            "name the results folder: its record is judged anew",
        ) from error


def _frame(model: type[BaseModel], rows: Iterable[BaseModel]) -> "DataFrame":
    try:
        from pandas import DataFrame  # noqa: PLC0415 an optional part, and slow to load
    except ImportError as error:
        raise Problem("data frames need pandas, which is not installed", "pip install 'fairtrial[notebook]'") from error
    return DataFrame([row.model_dump() for row in rows], columns=list(model.model_fields))
