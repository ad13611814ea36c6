"""What every part of an experiment file and of a record shares: how models are made, and how things are named."""

from pydantic import BaseModel, ConfigDict

SLUG = r"^[a-z0-9][a-z0-9-]*$"
"""Names of experiments, stacks, variants and claims: they become folder names and JSON keys."""


class Strict(BaseModel):
    """A model that refuses unknown keys and cannot be changed after it was made."""

    model_config = ConfigDict(extra="forbid", frozen=True)
