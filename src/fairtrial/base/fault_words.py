"""Faults of a value, in the terms of TOML and of whoever wrote it: pydantic's messages speak of Python."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from fairtrial.base.printable import printable
from fairtrial.base.registry import did_you_mean, instead_of
from fairtrial.base.strict import SLUG

_TABLE = "must be a table"
_NUMBER = "must be a number"
_WHOLE_NUMBER = "must be a whole number"
_LIST = "must be a list, in brackets"
_TRUTH = "must be true or false"
WORDS = {
    "string_type": "must be a text, in quotes",
    "int_type": _WHOLE_NUMBER,
    "int_parsing": _WHOLE_NUMBER,
    "int_from_float": _WHOLE_NUMBER,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "bool_type": _TRUTH,
    "bool_parsing": _TRUTH,
    "list_type": _LIST,
    "tuple_type": _LIST,
    "set_type": _LIST,
    "dict_type": _TABLE,
    "model_type": _TABLE,
    "model_attributes_type": _TABLE,
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "literal_error": "must be {expected}",
    "union_tag_not_found": "must have a {discriminator}",
    "union_tag_invalid": "there is no kind {tag!r}",
}
"""By pydantic's type of an error; gaps are filled from its context."""


def fault_in_words(fault: Mapping[str, Any]) -> str:
    """One of `ValidationError.errors()` as a sentence about the value, with what was probably meant."""
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "string_pattern_mismatch" and context["pattern"] == SLUG:
        return "must consist of lower-case letters, digits and hyphens, and not begin with a hyphen"
    if context.get("min_length") == 1:
        return "must not be empty"
    if kind not in WORDS:
        return str(fault["msg"]).removeprefix("Value error, ")
    words = WORDS[kind].format_map(context)
    if kind == "union_tag_invalid":
        kinds = re.findall(r"'([^']*)'", context["expected_tags"])
        return words + instead_of(context["tag"], kinds)
    if kind == "literal_error" and isinstance(fault["input"], str):
        words += did_you_mean(fault["input"], re.findall(r"'([^']*)'", context["expected"]))
    return words


def first_fault(error: ValidationError) -> str:
    """The first of its faults, behind the key that has it; a text that is no JSON has none. Safe to print."""
    fault = error.errors()[0]
    return printable(": ".join(filter(None, (".".join(map(str, fault["loc"])), fault_in_words(fault)))))
