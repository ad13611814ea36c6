"""Answers as compact JSON."""

from importlib import import_module
from typing import Any

from flask import Flask, Response
from flask.json.provider import DefaultJSONProvider


class CompactJSON(DefaultJSONProvider):
    """Flask's JSON, with keys in their own order, without escapes of letters beyond ASCII and without a line end."""

    ensure_ascii = False
    sort_keys = False

    def response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().response(*args, **kwargs)
        response.data = response.data.rstrip(b"\n")
        return response


class OrjsonJSON(DefaultJSONProvider):
    """The same text, written by orjson."""

    def __init__(self, app: Flask) -> None:
        super().__init__(app)
        self._dumps = import_module("orjson").dumps

    def response(self, *args: Any, **kwargs: Any) -> Response:
        value = self._prepare_response_obj(args, kwargs)
        return self._app.response_class(self._dumps(value), mimetype=self.mimetype)
