"""Schemas of an OpenAPI document that answers of its operations have to fit."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairtrial.base.json_pointer import pointer_of
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.schema import read_schema_document
from fairtrial_import.document import ParsedDocument
from fairtrial_import.json_value import member_at, text
from fairtrial_import.source import ImportSource


class AnswerSchemas:
    """The schemas of a document that lies in a file, for a workload file to name."""

    def __init__(self, source: ImportSource, document: ParsedDocument) -> None:
        self._path, self._label, self._document = source.path, source.label, document
        self._places: set[str] = set()

    def of(self, place: Sequence[str], response: Any, media_type: str) -> tuple[str | None, str]:
        """The schema of an answer as `FILE#POINTER`, and why there is none though the document has one.

        Args:
            place: where the response stands in the document.
            response: as it stands there, perhaps a reference.
            media_type: as it is spelled there.
        """
        schema = member_at(self._document.resolved(response), "content", media_type, "schema")
        if self._path is None or schema is None:
            return None, ""
        if reference := text(member_at(schema, "$ref")):
            if not reference.startswith("#"):
                return None, f"{printable(reference, 120)} leads out of the document"
            pointer = reference.removeprefix("#")
        else:
            begin = text(member_at(response, "$ref")).removeprefix("#") or _escaped(pointer_of(place))
            within = ["schema"] if self._document.is_version_2 else ["content", media_type, "schema"]
            pointer = begin + _escaped(pointer_of(within))
        self._places.add(f"{self._path}#{pointer}")
        return f"{self._path}#{pointer}", ""

    def unusable(self) -> Mapping[str, str]:
        """Why each schema that is left out cannot be used, by its place; empty: all are used."""
        if self._path is None or not self._places:
            return {}
        as_in_the_file = None if self._document.is_version_2 else self._document.root
        try:
            document = read_schema_document(Path(self._path), self._label, as_in_the_file)
            schemas = document.schemas(dict.fromkeys(self._places, "schema"))
        except Problem as problem:
            return dict.fromkeys(self._places, problem.reason)
        reasons = {}
        for place, schema in schemas.items():
            if isinstance(schema, Problem):
                reasons[place] = schema.reason
            elif schema.accepts_anything:
                reasons[place] = ""
        return reasons


def _escaped(pointer: str) -> str:
    """As it stands in a fragment."""
    return pointer.replace("%", "%25")
