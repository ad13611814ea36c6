"""Statements: printed tables that are no tool's output, written down as TOML. See docs/cross-examine.md.

Every figure is text with its unit, digit for digit as it was printed: how many digits there are says how it was
rounded.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from fairtrial.base.registry import instead_of
from fairtrial.base.strict import Strict
from fairtrial.base.toml_file import read_toml
from fairtrial.base.units import BaseUnit
from fairtrial_cross_examine.figures import as_figure, exactly, quantity
from fairtrial_cross_examine.model import (
    Figure,
    LoadKind,
    PrintedOutput,
    PrintedRun,
    RunTimes,
    StatedRatio,
    Statistic,
)


def _in(base: BaseUnit) -> BeforeValidator:
    def read(value: Any) -> Any:
        if not isinstance(value, str):
            raise ValueError('is written as text with its unit, such as "22.63 ms"')
        return quantity(value, base)

    return BeforeValidator(read)


def _as_ratio(value: Any) -> Any:
    """`"1.5"` is one and a half times as much, `"50% more"` as well."""
    if not isinstance(value, str):
        raise ValueError('is written as text: "1.5", or "50% more"')
    if value.endswith("% more"):
        return as_figure(value.removesuffix("% more").strip(), 0.01).plus(1.0)
    return as_figure(value)


def _quoted_keys(table: Any) -> Any:
    """A table by names such as 99.9, which TOML takes for two keys unless it is quoted."""
    for key, value in table.items() if isinstance(table, dict) else ():
        if isinstance(value, dict) and value:
            whole = f"{key}.{next(iter(value))}"
            raise ValueError(f'TOML takes {whole} for a table {key} with keys: write it in quotes, "{whole}" = …')
    return table


def _as_percentages(table: Any) -> Any:
    """Percentiles by percentage: also `p99` and `p99.9`, as people write them."""
    table = _quoted_keys(table)
    if not isinstance(table, dict):
        return table
    for key in table:
        if re.fullmatch(r"p?\d{1,2}(?:\.\d{1,9})?", key) is None or not float(key.removeprefix("p")) > 0:
            raise ValueError(f'{key!r} is not between 0 and 100: percentiles = {{ 50 = "3 ms", "99.9" = "25 ms" }}')
    return {key.removeprefix("p"): value for key, value in table.items()}


QuotedKeys = BeforeValidator(_quoted_keys)
Seconds = Annotated[Figure, _in("seconds")]
Bytes = Annotated[Figure, _in("bytes")]
Rate = Annotated[Figure, _in("per_second")]
Ratio = Annotated[Figure, BeforeValidator(_as_ratio)]
Count = Annotated[int, Field(ge=0)]


class StatedRun(Strict):
    """One row of a table."""

    name: str = Field(min_length=1)
    contender: str | None = None
    tool: str = "statement"
    url: str | None = None
    load: LoadKind | None = None
    connections: int | None = Field(None, ge=1)
    constant_rate: Rate | None = None
    time: Seconds | None = None
    requests: Count | None = None
    rate: Rate | None = None
    mean: Seconds | None = None
    deviation: Seconds | None = None
    min: Seconds | None = None
    max: Seconds | None = None
    percentiles: Annotated[Mapping[str, Seconds], BeforeValidator(_as_percentages)] = {}
    time_per_request: Seconds | None = None
    failures: Annotated[Mapping[str, Count], QuotedKeys] = {}
    unanswered: Annotated[Mapping[str, Count], QuotedKeys] = {}
    dead_clients: Count = 0
    document: Bytes | None = None
    bodies: Bytes | None = None
    stored_document: Bytes | None = None
    delay: Seconds | None = None
    runs: int | None = Field(None, ge=1)
    statistic: Statistic | None = None

    @model_validator(mode="before")
    @classmethod
    def _no_percentile_is_a_key(cls, row: Any) -> Any:
        for key, value in row.items() if isinstance(row, dict) else ():
            if re.fullmatch(r"p\d{1,9}", str(key)):
                digits = key[1:] + (next(iter(value), "") if isinstance(value, dict) else "")
                share = f"{digits[:2]}.{digits[2:]}".rstrip(".")
                raise ValueError(f'{key}: is written as percentiles = {{ "{share}" = … }}')
        return row

    def as_printed(self, source: str) -> PrintedRun:
        """The row in the form in which outputs of tools are."""
        return PrintedRun(
            name=self.name,
            source=source,
            tool=self.tool,
            contender=self.contender,
            url=self.url,
            load=self.load,
            connections=self.connections,
            constant_rate_per_second=self.constant_rate,
            seconds=self.time,
            requests=None if self.requests is None else exactly(self.requests),
            rate_per_second=self.rate,
            times=RunTimes(
                mean=self.mean,
                deviation=self.deviation,
                minimum=self.min,
                maximum=self.max,
                percentiles=self.percentiles,
            ),
            time_per_request_seconds=self.time_per_request,
            failures=self.failures,
            unanswered=self.unanswered,
            dead_clients=self.dead_clients,
            document_bytes=self.document,
            bodies_bytes=self.bodies,
            stored_bytes=self.stored_document,
            delay_seconds=self.delay,
            runs=self.runs,
            statistic=self.statistic,
        )


class StatedComparison(Strict):
    """A ratio that the text states."""

    subject: str = Field(min_length=1)
    factor: Ratio
    of: str | None = None
    to: str | None = None
    measure: Literal["rate", "seconds"] = "rate"


class Statement(Strict):
    """A statement file."""

    title: str = ""
    source: str = ""
    every: Mapping[str, Any] = Field(default={}, description="keys that every run has, unless it says otherwise")
    run: list[StatedRun] = Field(min_length=1, max_length=1000)
    ratio: list[StatedComparison] = Field(default=[], max_length=1000)

    @model_validator(mode="before")
    @classmethod
    def _with_common_keys(cls, table: Any) -> Any:
        if not isinstance(table, dict) or not isinstance(table.get("every", {}), dict):
            return table
        common, rows = table.get("every", {}), table.get("run")
        if not isinstance(rows, list):
            return table
        return table | {"run": [common | row if isinstance(row, dict) else row for row in rows]}

    @model_validator(mode="after")
    def _names_are_known(self) -> "Statement":
        names = [run.name for run in self.run]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"run: two are named {twice[0]!r}")
        for ratio in self.ratio:
            if (ratio.of is None) != (ratio.to is None):
                raise ValueError(f"ratio {ratio.subject!r}: has only one of `of` and `to`")
            for name in (ratio.of, ratio.to):
                if name is not None and name not in names:
                    raise ValueError(
                        f"ratio {ratio.subject!r}: there is no run named {name!r}{instead_of(name, names)}"
                    )
        return self


def read_statement(path: Path) -> PrintedOutput:
    """The runs and ratios of a statement file.

    Raises:
        Problem: it cannot be read, is not TOML, or does not fit the form; the message names the key.
    """
    statement = read_toml(path, Statement, "docs/cross-examine.md")
    source = path.name
    ratios = [StatedRatio(source=source, **dict(ratio)) for ratio in statement.ratio]
    return PrintedOutput(runs=[run.as_printed(source) for run in statement.run], ratios=ratios)
