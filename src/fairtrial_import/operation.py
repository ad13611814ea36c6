"""The parameters and the body of one operation of an OpenAPI document."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.multipart import FORM_METHODS
from fairtrial_import.bodies import FORM, JSON, MULTIPART, fits_toml, is_json, media_type
from fairtrial_import.document import ParsedDocument
from fairtrial_import.json_value import compact_json, member_at, text
from fairtrial_import.model import Body, FormBody, FoundJson, TextBody
from fairtrial_import.parameter_style import (
    STYLES,
    Quote,
    form_encoded,
    is_defined,
    percent_encoded,
    plain_text,
    reserved_in_path,
    styled,
    with_reserved,
)
from fairtrial_import.sample_check import Sample
from fairtrial_import.sampler import ABSENT, FILLER, THE_BODY, Sampler
from fairtrial_import.template import literal, literal_json

SET_ELSEWHERE = frozenset({"accept", "content-type", "authorization"})
"""Header parameters that the document says by other keys (OpenAPI 3.1, Parameter Object)."""
DEFAULT_STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
WHOLE_QUERY = "querystring"
"""The place of a parameter that is all of the query (OpenAPI 3.2)."""
OF_THE_STYLE = ("style", "explode", "allowReserved")
BINARY = frozenset({"binary", "byte"})
JSON_PATCH = "application/json-patch+json"
"""A list of operations (RFC 6902), though documents describe the object that is patched."""


@dataclass(frozen=True)
class Operation:
    """One operation; `item` is the entry of its path."""

    method: str
    path: str
    keys: dict[str, Any]
    item: dict[str, Any]


@dataclass
class Notes:
    """Names for the remarks on a request."""

    made_up: list[str] = field(default_factory=list)
    undefined: list[str] = field(default_factory=list)
    """of values that the specification has no style for"""
    typed_parts: list[str] = field(default_factory=list)
    """of texts in a form, whose headers a workload file has no place for"""
    optional: list[str] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)

    def sampler(self, document: ParsedDocument) -> Sampler:
        """A sampler for one value."""
        return Sampler(document, self.made_up)

    def add(self, others: "Notes") -> None:
        """Take those of a part."""
        for name, names in vars(others).items():
            getattr(self, name).extend(names)

    def remarks(self) -> Iterator[str]:
        """Remarks that a reader of the file has to know."""
        for what, names in (
            ("made up", self.made_up),
            ("the specification has no style for it", self.undefined),
            ("media type or headers of these parts, left out", self.typed_parts),
            ("optional, left out", self.optional),
        ):
            if names:
                yield f"{what}: {in_words(names)}"


def in_words(names: Sequence[str]) -> str:
    """The first dozen of names, and how many more there are."""
    first_names = ", ".join(names[:12])
    return first_names if len(names) <= 12 else f"{first_names} and {len(names) - 12} more"


@dataclass
class Parameters:
    """Values for the parameters of an operation, encoded for where they stand."""

    path: str
    query: list[str] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    cookies: list[str] = field(default_factory=list)


def parameters_of(document: ParsedDocument, operation: Operation, notes: Notes) -> Parameters:
    """Values for all required parameters.

    Raises:
        Problem: a reference cannot be followed, or a value cannot be made.
    """
    parameters = Parameters(operation.path)
    for parameter in _described(document, operation):
        name, place = text(parameter.get("name")), text(parameter.get("in"))
        if place == "header" and name.lower() in SET_ELSEWHERE:
            continue
        if place != "path" and parameter.get("required") is not True:
            notes.optional.append(name)
            continue
        value = _serialised(document, parameter, name, place, notes)
        if place == "path" and not value:  # an empty step would ask for something else
            notes.made_up.append(name)
            value = FILLER
        if place == "path":
            parameters.path = parameters.path.replace(f"{{{name}}}", value)
        elif place == "header":
            parameters.headers.append((name, literal(value)))
        elif value:
            (parameters.cookies if place == "cookie" else parameters.query).append(literal(value))
    if "{" in parameters.path:
        raise Problem("a parameter of its path is not described", "describe it in the document")
    return parameters


def _described(document: ParsedDocument, operation: Operation) -> Iterator[dict[str, Any]]:
    """Those of the path, replaced by those of the operation with the same name and place."""
    lists = [member_at(holder, "parameters") for holder in (operation.item, operation.keys)]
    resolved = [document.resolved(each) for values in lists if isinstance(values, list) for each in values]
    by_name = {(text(each.get("name")), text(each.get("in"))): each for each in resolved if isinstance(each, dict)}
    yield from by_name.values()


def _serialised(document: ParsedDocument, parameter: dict[str, Any], name: str, place: str, notes: Notes) -> str:
    """The value of a parameter as it stands in its place, with its name where that belongs to it."""
    reserved = reserved_in_path if place == "path" else with_reserved
    quoted: Quote = (
        str if place == "header" else reserved if parameter.get("allowReserved") is True else percent_encoded
    )
    content = parameter.get("content")
    if isinstance(content, dict) and content:
        media_name, media = next(iter(content.items()))
        sampled = _content(document, str(media_name), media, notes, name)
        if sampled is None:
            raise Problem(f"its parameter {name} of {media_name} cannot be made", "give an example in the document")
        is_form = media_type(sampled[0]) == FORM
        value = compact_json(sampled[1]) if is_json(sampled[0]) else sampled[1]
        if place == WHOLE_QUERY:
            return str(value) if is_form else percent_encoded(value)
        return quoted(value) if place in ("path", "header") else f"{quoted(name)}={quoted(value)}"
    style = text(parameter.get("style")) or DEFAULT_STYLES.get(place, "")
    if style not in STYLES:
        raise Problem(f"its parameter {name} has an unknown place or style", "correct the document")
    sampler = notes.sampler(document)
    value = sampler.example(parameter)
    if value is ABSENT:
        value = sampler.of(parameter.get("schema", {}), name)
    notes.samples.append(Sample(name, parameter.get("schema", {}), value))
    if not is_defined(value, style, parameter.get("explode")):
        notes.undefined.append(name)
    return styled(name, value, style, parameter.get("explode"), str if style == "cookie" else quoted)


@dataclass(frozen=True)
class SampledBody:
    """A body and its content type."""

    body: Body
    content_type: str
    """empty: it has its own"""


def body_of(document: ParsedDocument, operation: Operation, notes: Notes) -> SampledBody | None:
    """The body: the document's example, or a sample of its schema; None if the operation needs none.

    Raises:
        Problem: a reference cannot be followed, or no media type of it can be made.
    """
    request_body = document.resolved(operation.keys.get("requestBody"))
    content = member_at(request_body, "content")
    if not isinstance(content, dict) or not content:
        return None
    for name, media in sorted(content.items(), key=lambda item: _preference(str(item[0]))):
        its_notes = Notes()
        if media_type(str(name)) == MULTIPART:
            if operation.method.upper() not in FORM_METHODS or (form := _parts(document, media, its_notes)) is None:
                continue
            notes.add(its_notes)
            return SampledBody(form, "")
        sampled = _content(document, str(name), media, its_notes, THE_BODY)
        if sampled is not None:
            notes.add(its_notes)
            content_type, value = sampled
            if value == "" and member_at(request_body, "required") is not True:
                return None
            return SampledBody(_json(value) if is_json(content_type) else TextBody(literal(value)), content_type)
    if member_at(request_body, "required") is not True:
        notes.optional.append("the body")
        return None
    names = printable(", ".join(str(name) for name in content), 200)
    raise Problem(f"its body of {names} cannot be made", "write the request yourself, with body_file")


def _parts(document: ParsedDocument, media: Any, notes: Notes) -> FormBody | None:
    """A form of texts; None where it needs a file, a list or an object, or nothing."""
    media = document.resolved(media)
    sampler, schema = notes.sampler(document), document.resolved(member_at(media, "schema"))
    value = sampler.example(media) if isinstance(media, dict) else ABSENT
    value = sampler.of(schema or {}, THE_BODY) if value is ABSENT else value
    properties = {name: document.resolved(each) for name, each in (member_at(schema, "properties") or {}).items()}
    if not isinstance(value, dict) or not value or any(_is_file(properties.get(name)) for name in value):
        return None
    notes.samples.append(Sample(THE_BODY, schema, value))
    texts = [(name, each[0] if isinstance(each, list) and len(each) == 1 else each) for name, each in value.items()]
    if any(isinstance(each, dict | list) for _, each in texts):
        return None
    rules = document.resolved(member_at(media, "encoding"))
    notes.typed_parts += [name for name in value if _is_typed(member_at(rules, name))]
    return FormBody(tuple((name, literal(plain_text(each))) for name, each in texts))


def _is_typed(rules: Any) -> bool:
    """Whether a part that is a text has a media type that texts do not have by themselves, or headers."""
    media_types = text(member_at(rules, "contentType")).split(",")
    return bool(member_at(rules, "headers")) or not any(media_type(each) in ("", "text/plain") for each in media_types)


def _is_file(schema: Any) -> bool:
    if member_at(schema, "type") == "array":
        schema = member_at(schema, "items")
    return text(member_at(schema, "format")) == "binary" or bool(member_at(schema, "contentMediaType"))


def _preference(name: str) -> int:
    if is_json(name):
        return int(media_type(name) == JSON_PATCH)
    return 2 if media_type(name) == FORM else 3


def _content(document: ParsedDocument, name: str, media: Any, notes: Notes, place: str) -> tuple[str, Any] | None:
    """The content type that is sent, and the value: of JSON as it is, else as text. None if it cannot be made."""
    media = document.resolved(media)
    if not isinstance(media, dict):
        return None
    if "*" in name:
        name = _concrete(name, document.resolved(media.get("schema")))
    sampler = notes.sampler(document)
    value = sampler.example(media)
    if value is ABSENT and (is_json(name) or media_type(name) == FORM or media_type(name).startswith("text/")):
        value = sampler.of(media.get("schema", {}), place)
    if is_json(name) and value is not ABSENT:
        value = _parsed(value)
    if value is not ABSENT and name:
        notes.samples.append(Sample(place, media.get("schema", {}), value))
    if is_json(name) and value is not ABSENT:
        return name, value
    if media_type(name) == FORM and isinstance(value, dict):
        return name, _form(value, media.get("encoding"), notes)
    return (name, value) if isinstance(value, str) and value and name else None


def _concrete(name: str, schema: Any) -> str:
    """The media type that is sent for a range of them: JSON, or text where only that fits; empty for bytes."""
    if text(member_at(schema, "format")) in BINARY:
        return ""
    is_text = media_type(name.replace("*", "x")).startswith("text/") or member_at(schema, "type") == "string"
    return "text/plain" if is_text else JSON


def _form(value: dict[str, Any], encoding: Any, notes: Notes) -> str:
    """A form, each member by its rules. Without any, lists are repeated, and objects are JSON (3.1.1, Encoding)."""
    parts = []
    for key, each in value.items():
        rules = member_at(encoding, key)
        if isinstance(rules, dict) and any(name in rules for name in OF_THE_STYLE):
            style, explode = text(rules.get("style")) or "form", rules.get("explode")
            if style not in STYLES:
                raise Problem(f"its member {key} has an unknown style", "correct the document")
            quoted = with_reserved if rules.get("allowReserved") is True else percent_encoded
            if not is_defined(each, style, explode):
                notes.undefined.append(key)
            parts.append(styled(key, each, style, explode, quoted))
        else:
            as_json = isinstance(each, dict) or is_json(text(member_at(rules, "contentType")))
            plain = compact_json(each) if as_json else each
            parts.append(styled(key, plain, "form", True, form_encoded))
    return "&".join(part for part in parts if part)


def _parsed(value: Any) -> Any:
    """An example that was written as a text of JSON, as that JSON."""
    try:
        parsed = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, dict | list) else value


def _json(value: Any) -> Body:
    """As TOML if that can hold it, else as text."""
    if fits_toml(value):
        return FoundJson(literal_json(value))
    return TextBody(literal(json.dumps(value, ensure_ascii=False)))
