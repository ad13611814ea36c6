"""`result.schema.json`: generated from the models. `python -m fairtrial.judge.schema` writes it again."""

import json
from pathlib import Path

from fairtrial.judge.model import Result

SCHEMA = Path(__file__).with_name("result.schema.json")


def schema_text() -> str:
    """The JSON schema of `result.json`, as the file holds it."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Result.model_json_schema(mode="serialization"),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), encoding="utf-8")
