"""JSON documents that commands write for programs, and their schemas."""

import json

from pydantic import ConfigDict, Field

from fairtrial.base.strict import Strict


class Document(Strict):
    """A JSON document that a command writes.

    A new key leaves its version as it is; one that goes away, or means something else, makes it higher.
    """

    model_config = ConfigDict(serialize_by_alias=True)

    kind: str = Field(alias="schema", description="what the document holds")
    version: int = Field(description="of this schema")


def json_text(document: Document) -> str:
    """The document as indented JSON, as its schema describes it."""
    return document.model_dump_json(indent=2) + "\n"


def schema_text(model: type[Document]) -> str:
    """The JSON schema of the documents of this model."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(dialect | model.model_json_schema(mode="serialization"), indent=2, ensure_ascii=False) + "\n"
