"""`python -m fairtrial.record.schema`: the JSON schema of a line of record.jsonl or profiles.jsonl, with the meaning of
each key."""

import json
from typing import Any

from pydantic import TypeAdapter

from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.profile import Profile


def schema() -> dict[str, Any]:
    """The schema of a line of either file."""
    lines: TypeAdapter[Any] = TypeAdapter(ExperimentRecord | TrialRecord | Profile)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | lines.json_schema(mode="serialization")


if __name__ == "__main__":
    print(json.dumps(schema(), indent=2, ensure_ascii=False))
