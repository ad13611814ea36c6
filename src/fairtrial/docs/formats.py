"""docs/formats.md: the JSON documents with their schemas, the columns of tables, and the gauges."""

from collections.abc import Mapping

from pydantic import BaseModel

from fairtrial.base.document import Document
from fairtrial.commands.list import Listing
from fairtrial.docs.markdown import as_sentence, code, markdown_table
from fairtrial.judge.model import SCHEMA, Result
from fairtrial.report.columns import FIGURES_AT
from fairtrial.report.gauges import STATES, gauge_name
from fairtrial.report.rows import ResultFigure, TrialRow, VerdictRow
from fairtrial.tools.compare.document import ComparedFigure, ComparisonDocument
from fairtrial.tools.doctor.model import DiagnosesDocument
from fairtrial.tools.history.document import HistoryDocument
from fairtrial.tools.load.report.document import LoadDocument
from fairtrial.tools.pool.document import PoolDocument
from fairtrial.tools.provision.inventory import Inventory
from fairtrial_cross_examine.boards.verdicts import ExaminedRow
from fairtrial_cross_examine.examination import Examination
from fairtrial_cross_examine.report.rows import PrintedFigure

DOCUMENTS: Mapping[str, type[Document]] = {
    "`run`, `ab-test`, `judge`; `result.json`": Result,
    "`compare`": ComparisonDocument,
    "`history`": HistoryDocument,
    "`pool`": PoolDocument,
    "`load`": LoadDocument,
    "`cross-examine`": Examination,
    "`list KIND`": Listing,
    "`services`": Inventory,
    "`doctor`": DiagnosesDocument,
}
"""By the commands that write it, each document."""

SCHEMAS = "schemas"
"""The folder of the schemas, in docs/."""


def schema_file(model: type[Document]) -> str:
    """The path of a document's schema from docs/: `schemas/load.schema.json`."""
    if model is Result:
        return f"../src/fairtrial/judge/{SCHEMA.name}"
    return f"{SCHEMAS}/{model.model_fields['kind'].default.removeprefix('fairtrial/')}.schema.json"


def formats_parts() -> Mapping[str, str]:
    """The documents, the columns of each table, and the names of gauges."""
    documents = [
        (commands, code(model.model_fields["kind"].default), str(model.model_fields["version"].default), _link(model))
        for commands, model in DOCUMENTS.items()
    ]
    gauges = [
        (
            ", ".join(code(gauge_name("goodput", end)) for end in ("", "lower", "upper")),
            f"a metric, and both ends of its {FIGURES_AT} interval; likewise of each other one",
        ),
        *((code(name), meaning) for name, meaning in STATES.items()),
    ]
    return {
        "documents": markdown_table(("`--json` of", "schema", "version", ""), documents),
        "columns of figures": _columns(ResultFigure),
        "columns of a comparison": _columns(ComparedFigure),
        "columns of printed figures": _columns(PrintedFigure),
        "columns of boards": _columns(ExaminedRow),
        "columns of verdicts": _columns(VerdictRow),
        "columns of trials": _columns(TrialRow),
        "gauges": markdown_table(("gauge", "meaning"), gauges),
    }


def _link(model: type[Document]) -> str:
    name = schema_file(model)
    return f"[{name.rpartition('/')[2]}]({name})"


def _columns(model: type[BaseModel]) -> str:
    """The columns of a table: those whose names say it all on one line, each other one with its meaning."""
    plain = ", ".join(code(name) for name, field in model.model_fields.items() if not field.description)
    rows = [
        (code(name), as_sentence(field.description).rstrip("."))
        for name, field in model.model_fields.items()
        if field.description
    ]
    return markdown_table(("column", "meaning"), [*rows, (plain, "")] if plain else rows)
