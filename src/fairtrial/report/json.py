"""`result.json`."""

from fairtrial.judge.model import Result


def json_text(result: Result) -> str:
    """The result as indented JSON, as `result.schema.json` describes it."""
    return result.model_dump_json(indent=2) + "\n"
