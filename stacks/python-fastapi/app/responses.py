"""What writes answers as JSON."""

from importlib import import_module
from typing import Any

from fastapi.responses import JSONResponse


def response_class(name: str) -> dict[str, Any]:
    """FastAPI's arguments for it.

    By itself, FastAPI has Pydantic write a model as JSON. With a class of responses, it makes a dictionary of the
    model, which the class writes.
    """
    if name == "pydantic":
        return {}
    return {"default_response_class": JSONResponse if name == "stdlib" else _orjson()}


def _orjson() -> type[JSONResponse]:
    dumps = import_module("orjson").dumps

    class OrjsonResponse(JSONResponse):
        def render(self, content: Any) -> bytes:
            return dumps(content)

    return OrjsonResponse
