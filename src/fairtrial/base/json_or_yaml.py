"""Documents in JSON or YAML, as the plain values that JSON has."""

import json
from typing import Any

import yaml

DEEPEST = 200
"""A deeper document would end the process in libyaml's composer."""

READER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
LOADER = type(
    "LoaderOfPlainValues",
    (READER,),
    {
        "yaml_implicit_resolvers": {
            first: [each for each in resolvers if each[0] != "tag:yaml.org,2002:timestamp"]
            for first, resolvers in READER.yaml_implicit_resolvers.items()
        }
    },
)
"""libyaml's where it is there. A date is the text that stands there, as JSON has none."""


class BrokenDocument(ValueError):
    """A document that is neither JSON nor YAML. Its text does not quote the document."""

    def __init__(self, line: int, language: str, reason: str) -> None:
        super().__init__(f"line {line}: not valid {language}: {reason}")
        self.line, self.language, self.reason = line, language, reason


class TooManyValues(ValueError):
    """A document that stands for more values than are allowed, as the parts of a YAML document may be repeated."""


def parse_json_or_yaml(text: str) -> Any:
    """The document. Of YAML, keys may be other than texts: see `as_json`.

    Raises:
        BrokenDocument: it is neither.
    """
    try:
        return json.loads(text) if text.lstrip().startswith("{") else _yaml(text)
    except json.JSONDecodeError as error:
        raise BrokenDocument(error.lineno, "JSON", error.msg) from error
    except yaml.MarkedYAMLError as error:  # as text, it would show lines of the document
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise BrokenDocument(line, "YAML", error.problem or "cannot be read") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BrokenDocument(1, "YAML", "cannot be read") from error


def as_json(value: Any, most_values: int) -> Any:
    """A value as JSON has it: keys are texts.

    Raises:
        TooManyValues: it holds more than `most_values`.
    """
    return _plain(value, [most_values])


def _plain(value: Any, left: list[int]) -> Any:
    left[0] -= 1
    if left[0] < 0:
        raise TooManyValues
    if isinstance(value, dict):
        return {str(key): _plain(each, left) for key, each in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(each, left) for each in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _yaml(text: str) -> Any:
    """The document. Its depth is looked at first."""
    depth = 0
    for event in yaml.parse(text, Loader=LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise ValueError("nests too deeply")
    return yaml.load(text, Loader=LOADER)  # noqa: S506  # it is a safe one
