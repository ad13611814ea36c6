"""The OpenAPI document that all workloads share, and the comparison of answers with it."""

from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema_rs

from fairtrial.base.json_or_yaml import parse_json_or_yaml
from fairtrial.base.json_pointer import pointer_of
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import Answer


@cache
def document() -> dict[str, Any]:
    """`openapi.yaml`, parsed."""
    text = files(__package__).joinpath("openapi.yaml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = parse_json_or_yaml(text)
    return loaded


def mismatch(path: str, answer: Answer, method: str = "GET") -> str | None:
    """How an answer differs from what the document allows, or None if it conforms.

    Args:
        path: as the document writes it, such as `/items/{uuid}`.
    """
    responses = document()["paths"][path][method.lower()]["responses"]
    allowed = responses.get(str(answer.status))
    if allowed is None:
        return f"status {answer.status}, not {' or '.join(responses)}: {answer.excerpt()}"
    content, compressed = allowed.get("content"), answer.unasked_compression()
    if content is None or compressed is not None:
        return compressed
    media_type = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in content:
        return f"content type {printable(media_type, 60) or 'missing'}, not {' or '.join(content)}"
    if media_type != "application/json":
        return None
    try:
        value = answer.json()
    except Problem as problem:
        return problem.reason
    schema = {**content[media_type]["schema"], "components": document()["components"]}
    faults = jsonschema_rs.Draft202012Validator(schema).iter_errors(value)
    fault = min(faults, key=lambda each: len(each.instance_path), default=None)
    return printable(f"{pointer_of(fault.instance_path) or 'the body'}: {fault.message}") if fault else None
