"""An OpenAPI document as plain values, with references within it followed."""

import datetime
import json
from typing import Any
from urllib.parse import unquote

import yaml

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.tools.import_requests.source import Source

LARGEST_BYTES = 8 << 20
DEEPEST = 200
LONGEST_CHAIN = 32
"""References that lead to references."""
MOST_VALUES = 200_000
"""In one example: a YAML document of a kilobyte can stand for billions of values, as its parts may be repeated."""


class Document:
    """A parsed document."""

    def __init__(self, root: dict[str, Any], label: str) -> None:
        self.root = root
        self.label = label

    def resolved(self, value: Any) -> Any:
        """The value that a `$ref` stands for, with the reference's other keys on top; another value as it is.

        Raises:
            Problem: the reference leads out of the document, nowhere, or in a circle.
        """
        for _ in range(LONGEST_CHAIN):
            if not isinstance(value, dict) or not isinstance(value.get("$ref"), str):
                return value
            target = self._target(value["$ref"])
            others = {key: each for key, each in value.items() if key != "$ref"}
            value = {**target, **others} if isinstance(target, dict) else target
        raise Problem(f"{self.label}: a $ref leads in a circle", "correct the document")

    def _target(self, reference: str) -> Any:
        shown = printable(reference, 120)
        if not reference.startswith("#"):
            raise Problem(
                f"{self.label}: $ref {shown!r}: leads out of the document",
                "put it into one file first, for example with `npx @redocly/cli bundle openapi.yaml -o whole.yaml`",
            )
        value: Any = self.root
        for part in unquote(reference[1:]).split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")  # RFC 6901
            if isinstance(value, list) and name.isdigit() and int(name) < len(value):
                value = value[int(name)]
            elif isinstance(value, dict) and name in value:
                value = value[name]
            else:
                raise Problem(f"{self.label}: $ref {shown!r}: leads nowhere", "correct the document")
        return value

    def plain(self, value: Any) -> Any:
        """An example as JSON has it: YAML's dates are texts again, and keys are texts.

        Raises:
            Problem: it holds too many values.
        """
        left = [MOST_VALUES]
        return self._plain(value, left)

    def _plain(self, value: Any, left: list[int]) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise Problem(f"{self.label}: an example holds more than {MOST_VALUES:,} values", "shorten it")
        if isinstance(value, dict):
            return {str(key): self._plain(each, left) for key, each in value.items()}
        if isinstance(value, list | tuple | set):
            return [self._plain(each, left) for each in value]
        if isinstance(value, datetime.datetime):
            return value.isoformat().replace("+00:00", "Z")
        if isinstance(value, datetime.date):
            return value.isoformat()
        return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def read_document(source: Source) -> Document:
    """The document, in JSON or YAML.

    Raises:
        Problem: it is neither, or no OpenAPI document of version 3.0 or 3.1.
    """
    text = source.text(LARGEST_BYTES)
    try:
        root = json.loads(text) if text.lstrip().startswith("{") else _yaml(text)
    except json.JSONDecodeError as error:
        raise _broken(source, error.lineno, "JSON", error.msg) from error
    except yaml.MarkedYAMLError as error:  # as text, it would show lines of the document
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise _broken(source, line, "YAML", error.problem or "cannot be read") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _broken(source, 1, "YAML", "cannot be read") from error
    version = str(root.get("openapi", "")) if isinstance(root, dict) else ""
    if isinstance(root, dict) and "swagger" in root:
        raise Problem(
            f"{source.label}: swagger: version 2 is not read",
            "convert it: npx swagger2openapi swagger.yaml -o openapi.yaml",
        )
    if not version.startswith(("3.0", "3.1")):
        raise Problem(
            f"{source.label}: openapi: {printable(version, 20) or 'missing'}", "give a document of 3.0 or 3.1"
        )
    return Document(root, source.label)


def _yaml(text: str) -> Any:
    """The document. Its depth is looked at first: a deep one would end the process in libyaml's composer."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise ValueError("nests too deeply")
    return yaml.load(text, Loader=loader)  # noqa: S506  # both are safe loaders


def _broken(source: Source, line: int, language: str, reason: str) -> Problem:
    return Problem(f"{source.label}: line {line}: not valid {language}: {printable(reason, 120)}", "correct the line")
