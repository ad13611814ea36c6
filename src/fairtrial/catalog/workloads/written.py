"""Texts and values of a workload file as the engine's templates: docs/engine-protocol.md, "Templates"."""

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.placeholders import OPEN, Placeholder, parts_of

Scalar = str | int | float
"""A text, a number or a boolean, as rows and answers have them."""

SAFE_IN_A_PATH = "-._~:"
"""Beside letters and digits: as the engine encodes cells of rows."""


class TemplateWriter:
    """Writes the engine's templates, with the values of environment variables in them.

    Args:
        prefix: what messages put before keys: `shop.workload.toml: `.
        environment: variables by name.
        numbers_taken: how many numbers of each sequence are not given again.
        fixed: what stands in place of placeholders that the engine does not replace, such as `{{var token}}`.
    """

    def __init__(
        self,
        prefix: str,
        environment: Mapping[str, str],
        numbers_taken: int = 0,
        fixed: Mapping[Placeholder, Scalar] | None = None,
    ) -> None:
        self._prefix, self._environment, self._numbers_taken = prefix, environment, numbers_taken
        self._fixed = fixed or {}
        self.used: dict[str, str] = {}
        """the variables that were written so far"""

    def path(self, text: str, key: str) -> str:
        """A path. The engine percent-encodes cells of rows itself."""
        return self._template(text, key, str, lambda value: quote(value, safe=SAFE_IN_A_PATH))

    def text(self, text: str, key: str) -> str:
        """The value of a header, or a body."""
        return self._template(text, key, str, str)

    def json(self, value: Any, key: str) -> str:
        """A value as JSON text. A placeholder that is a whole string becomes a value of its own type.

        Raises:
            Problem: a variable is not set.
        """
        if isinstance(value, str):
            return self._json_string(value, key)
        if isinstance(value, dict):
            members = (f"{_literal(json.dumps(name))}:{self.json(each, key)}" for name, each in value.items())
            return "{" + ",".join(members) + "}"
        if isinstance(value, list):
            return "[" + ",".join(self.json(each, key) for each in value) + "]"
        return json.dumps(value)

    def plain(self, text: str, key: str) -> str:
        """A text that is no template of the engine's: of placeholders it has only variables."""
        return "".join(part if isinstance(part, str) else self._value(part, key) for part in parts_of(text))

    def _json_string(self, text: str, key: str) -> str:
        parts = parts_of(text)
        if len(parts) == 1 and isinstance(parts[0], Placeholder) and parts[0].name != "env":
            if parts[0] in self._fixed:
                return _literal(json.dumps(self._fixed[parts[0]], ensure_ascii=False))
            return self._placeholder(parts[0], "json")
        return f'"{self._template(text, key, _escaped, _escaped, "escaped")}"'

    def _template(
        self, text: str, key: str, literal: Callable[[str], str], value: Callable[[str], str], cell: str = ""
    ) -> str:
        """A template.

        Args:
            literal, value: how literals and values of variables are spelled there.
            cell: how the engine is to spell a cell of a row.
        """
        template, fixed = "", ""
        for part in parts_of(text):
            if isinstance(part, str):
                fixed += literal(part)
            elif part.name == "env" or part in self._fixed:
                fixed += value(self._value(part, key))
            else:
                template, fixed = template + _literal(fixed) + self._placeholder(part, cell), ""
        return template + _literal(fixed)

    def _placeholder(self, placeholder: Placeholder, cell: str) -> str:
        if placeholder.name in ("row", "var") and cell:
            return str(Placeholder(placeholder.name, (*placeholder.arguments, cell)))
        if placeholder.name == "sequence":
            return str(Placeholder("sequence", (str(int(placeholder.arguments[0]) + self._numbers_taken),)))
        return str(placeholder)

    def _value(self, placeholder: Placeholder, key: str) -> str:
        if placeholder in self._fixed:
            return spelled(self._fixed[placeholder])
        (name,) = placeholder.arguments
        value = self._environment.get(name)
        if value is None:
            raise Problem(f"{self._prefix}{key}: the variable {name} is not set", f"set it: export {name}=…")
        self.used[name] = value
        return value


def spelled(value: Scalar) -> str:
    """A value within a text: a text as it is, anything else as JSON writes it."""
    return value if isinstance(value, str) else json.dumps(value)


def as_sent(template: str) -> str:
    """The engine's text for a template that is left without placeholders."""
    return template.replace(OPEN + OPEN, OPEN)


def _escaped(text: str) -> str:
    """As it stands within a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _literal(text: str) -> str:
    """As it stands in a template."""
    return text.replace(OPEN, OPEN + OPEN)
