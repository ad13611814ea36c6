"""The base of all models of experiment files and records, and the pattern for names in them."""

from pydantic import BaseModel, ConfigDict, JsonValue

SLUG = r"^[a-z0-9][a-z0-9-]*$"
"""The pattern for names of experiments, stacks, variants and claims, which become folder names and JSON keys."""

LONGEST_TITLE = 300
"""Characters of a title, which tables and reports repeat."""

IN_ITS_TABLE: dict[str, JsonValue] = {"in_its_table": True}
"""Marks a field whose own keys stand in the table of the model that has it, as `json_schema_extra`."""


class Strict(BaseModel):
    """An immutable model that refuses unknown keys.

    Its validator is built when it is first used: a command needs few of all models, and building all takes a tenth of
    its start.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
