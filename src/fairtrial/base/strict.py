"""The base of all models of experiment files and records, and the pattern for names in them."""

from pydantic import BaseModel, ConfigDict

SLUG = r"^[a-z0-9][a-z0-9-]*$"
"""The pattern for names of experiments, stacks, variants and claims, which become folder names and JSON keys."""

LONGEST_TITLE = 300
"""Characters of a title, which tables and reports repeat."""


class Strict(BaseModel):
    """An immutable model that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)
