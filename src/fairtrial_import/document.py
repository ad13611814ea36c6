"""A document as plain values, and of OpenAPI's with references within it followed."""

import os
import re
from typing import Any
from urllib.parse import unquote, urljoin

from fairtrial.base.json_or_yaml import BrokenDocument, TooManyValues, as_json, parse_json_or_yaml
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial_import.source import ImportSource

LARGEST_BYTES = 32 << 20
LONGEST_CHAIN = 32
"""References that lead to references."""
MOST_VALUES = 200_000
"""In one example: a YAML document of a kilobyte can stand for billions of values, as its parts may be repeated."""


class ParsedDocument:
    """A parsed document.

    Attributes:
        is_version_2: whether the file that it was read from is one of Swagger 2.0.
    """

    def __init__(self, root: dict[str, Any], label: str, *, is_version_2: bool = False) -> None:
        self.root = root
        self.label = label
        self.is_version_2 = is_version_2

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
        text = printable(reference, 120)
        file, _, pointer = reference.partition("#")
        if file and not self._is_own(file):
            raise Problem(
                f"{self.label}: $ref {text!r}: leads out of the document",
                "put it into one file first, for example with `npx @redocly/cli bundle openapi.yaml -o whole.yaml`",
            )
        value: Any = self.root
        for part in unquote(pointer).split("/")[1:] or [""]:
            name = part.replace("~1", "/").replace("~0", "~")  # RFC 6901
            if isinstance(value, list) and name.isdigit() and int(name) < len(value):
                value = value[int(name)]
            elif isinstance(value, dict) and name in value:
                value = value[name]
            else:
                raise Problem(f"{self.label}: $ref {text!r}: leads nowhere", "correct the document")
        return value

    def _is_own(self, address: str) -> bool:
        """Whether an address is the document's: what it calls itself (OpenAPI 3.2), or the name of its file."""
        names = (str(self.root.get("$self", "")), os.path.basename(self.label))
        return any(name and urljoin(name, address) == name for name in names)

    def plain(self, value: Any) -> Any:
        """An example as JSON has it: keys are texts.

        Raises:
            Problem: it holds too many values.
        """
        try:
            return as_json(value, MOST_VALUES)
        except TooManyValues as error:
            raise Problem(f"{self.label}: an example holds more than {MOST_VALUES:,} values", "shorten it") from error


def parsed(source: ImportSource, most_bytes: int = LARGEST_BYTES) -> dict[str, Any]:
    """A document in JSON or YAML; an empty one if it is no object.

    Raises:
        Problem: it is neither, or too large.
    """
    text = source.text(most_bytes)
    try:
        root = parse_json_or_yaml(text)
    except BrokenDocument as error:
        reason = f"line {error.line}: not valid {error.language}: {printable(error.reason, 120)}"
        raise Problem(f"{source.label}: {reason}", "correct the line") from error
    return root if isinstance(root, dict) else {}


def read_document(source: ImportSource) -> ParsedDocument:
    """An OpenAPI document, in JSON or YAML.

    Raises:
        Problem: it is neither, or no OpenAPI document of version 3.0, 3.1 or 3.2, nor one of Swagger 2.0.
    """
    root = parsed(source)
    version = str(root.get("openapi", ""))
    is_version_2 = re.match(r"2(?:\.0)?$", str(root.get("swagger", ""))) is not None
    if not is_version_2 and not re.match(r"3\.[012](?:\.|$)", version):
        reason = f"{source.label}: openapi: {printable(version, 20) or 'missing'}"
        raise Problem(reason, "give a document of 3.0, 3.1 or 3.2, or of Swagger 2.0")
    return ParsedDocument(root, source.label, is_version_2=is_version_2)
