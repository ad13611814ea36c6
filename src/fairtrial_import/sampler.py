"""Plain values for schemas: what the document gives as an example, else the smallest that is allowed.

Libraries were looked at: schemathesis is 70 MB with what it needs, hypothesis-jsonschema fails with today's hypothesis,
and both give legal values that no client would send.
"""

from typing import Any

from fairtrial_import.document import ParsedDocument
from fairtrial_import.pattern_text import text_of
from fairtrial_import.samples import OF_FORMATS

DEEPEST = 12
MOST_ITEMS = 100
LONGEST_TEXT = 10_000
MOST_VALUES = 5000
FILLER = "text"
ABSENT = object()
THE_BODY = "the body"
OF_KINDS = {
    "object": frozenset({"properties", "required", "additionalProperties", "minProperties"}),
    "array": frozenset({"items", "minItems"}),
    "number": frozenset({"minimum", "maximum", "multipleOf"}),
    "string": frozenset({"pattern", "format", "minLength", "maxLength"}),
}
"""By type, keywords that speak of it alone."""


class Sampler:
    """Makes a value.

    Args:
        made_up: gets the places of values that only their type is known of.
    """

    def __init__(self, document: ParsedDocument, made_up: list[str]) -> None:
        self._document = document
        self._left = MOST_VALUES
        self.made_up = made_up

    def example(self, holder: dict[str, Any]) -> Any:
        """The example of a parameter or of a media type; `ABSENT` without one."""
        if "example" in holder:
            return self._document.plain(holder["example"])
        examples = self._document.resolved(holder.get("examples"))
        for example in examples.values() if isinstance(examples, dict) else ():
            resolved = self._document.resolved(example)
            for key in ("value", "dataValue"):  # the second one: OpenAPI 3.2
                if isinstance(resolved, dict) and key in resolved:
                    return self._document.plain(resolved[key])
        return ABSENT

    def of(self, schema: Any, place: str, depth: int = 0) -> Any:
        """A value that the schema allows: its example, default, constant or first choice, else one that is made up.

        Args:
            place: where it stands, for a remark: `/quantity`, or the whole of a body.

        Raises:
            Problem: a reference cannot be followed.
        """
        schema = self._document.resolved(schema)
        self._left -= 1
        if not isinstance(schema, dict) or depth > DEEPEST or self._left < 0:
            self.made_up.append(place)
            return FILLER
        value = self._stated(schema)
        if value is not ABSENT:
            return value
        for key in ("oneOf", "anyOf"):
            if isinstance(schema.get(key), list) and schema[key]:
                others = {name: each for name, each in schema.items() if name != key}
                return self.of(self._joined([others, self._first(schema[key])]), place, depth + 1)
        if isinstance(schema.get("allOf"), list):
            others = {name: each for name, each in schema.items() if name != "allOf"}
            return self.of(self._joined([others, *schema["allOf"]]), place, depth + 1)
        return self._invented(schema, place, depth)

    def _stated(self, schema: dict[str, Any]) -> Any:
        for key in ("example", "default", "const"):
            if key in schema:
                return self._document.plain(schema[key])
        for key in ("examples", "enum"):
            if isinstance(schema.get(key), list) and schema[key]:
                return self._document.plain(schema[key][0])
        return ABSENT

    def _first(self, choices: list[Any]) -> Any:
        """The first choice that is not null."""
        resolved = [self._document.resolved(choice) for choice in choices]
        return next((each for each in resolved if isinstance(each, dict) and each.get("type") != "null"), {})

    def _joined(self, schemas: list[Any]) -> dict[str, Any]:
        """One schema that asks for what all of these do, as far as a sample needs it."""
        joined: dict[str, Any] = {}
        for each in schemas:
            schema = self._document.resolved(each)
            if not isinstance(schema, dict):
                continue
            properties = {**_table(joined.get("properties")), **_table(schema.get("properties"))}
            required = [*_list(joined.get("required")), *_list(schema.get("required"))]
            choices = [*_list(joined.get("allOf")), *_list(schema.get("allOf"))]
            joined = {**joined, **schema}
            for key, value in (("properties", properties), ("required", required), ("allOf", choices)):
                if value:
                    joined[key] = value
        return joined

    def _invented(self, schema: dict[str, Any], place: str, depth: int) -> Any:
        kind = _kind(schema, "object" if place == THE_BODY else "string")
        if kind == "object":
            return self._object(schema, place, depth)
        if kind == "array":
            before = self._left
            item = self.of(schema.get("items", {}), f"{place.removeprefix(THE_BODY)}/0", depth + 1)
            size = max(before - self._left, 1)
            number = min(max(_whole(schema.get("minItems"), 1), 1), MOST_ITEMS, max(self._left // size, 1))
            self._left -= size * (number - 1)
            return [item] * number
        self.made_up.append(place)
        if kind in ("integer", "number"):
            return _number(schema, whole=kind == "integer")
        if kind == "boolean":
            return True
        if kind == "null":
            return None
        return _text(schema)

    def _object(self, schema: dict[str, Any], place: str, depth: int) -> dict[str, Any]:
        properties = _table(schema.get("properties"))
        members: dict[str, Any] = {}
        required = [str(each) for each in _list(schema.get("required"))]
        least = _whole(schema.get("minProperties"), 0)
        for name in dict.fromkeys([*required, *properties]):
            if name not in required and len(members) >= least:
                continue
            resolved = self._document.resolved(properties.get(name, {}))
            if not (isinstance(resolved, dict) and resolved.get("readOnly") is True):
                members[name] = self.of(resolved, f"{place.removeprefix(THE_BODY)}/{name}", depth + 1)
        return members


def _kind(schema: dict[str, Any], default: str) -> str:
    """The first of its types that is not null; without one, what its other keys speak of."""
    types = schema.get("type")
    if isinstance(types, list):
        types = next((each for each in types if each != "null"), "null")
    if isinstance(types, str):
        return types
    return next((kind for kind, keys in OF_KINDS.items() if keys & schema.keys()), default)


def _number(schema: dict[str, Any], *, whole: bool) -> int | float:
    """1, or what is allowed next to it."""
    step = schema.get("multipleOf")
    step = step if isinstance(step, int | float) and step > 0 else 1
    least, above = _bounds(schema, "minimum", "exclusiveMinimum")
    most, below = _bounds(schema, "maximum", "exclusiveMaximum")
    value: int | float = step
    if least is not None and value < least:
        value = -(-least // step) * step
    if above is not None and value <= above:
        value = (above // step + 1) * step
    if most is not None and value > most:
        value = (most // step) * step
    if below is not None and value >= below:
        value = (-(-below // step) - 1) * step
    return int(value) if whole else value


def _text(schema: dict[str, Any]) -> str:
    least = min(max(_whole(schema.get("minLength"), 0), 0), LONGEST_TEXT)
    most = max(_whole(schema.get("maxLength"), LONGEST_TEXT), 0)
    pattern = schema.get("pattern")
    text = text_of(pattern, max(least, 1)) if isinstance(pattern, str) else None
    if text is not None and len(text) <= most:
        return text
    example = OF_FORMATS.get(str(schema.get("format")))
    if example is not None:
        return example
    return (FILLER * (least // len(FILLER) + 1))[: max(least, len(FILLER))][:most]


def _bounds(schema: dict[str, Any], key: str, exclusive_key: str) -> tuple[float | None, float | None]:
    """The bound that may be reached, and the one that may not. In OpenAPI 3.0 the second key says which one it is."""
    bound, exclusive = schema.get(key), schema.get(exclusive_key)
    if exclusive is True:
        bound, exclusive = None, bound
    return _number_or_none(bound), _number_or_none(exclusive)


def _number_or_none(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: Any, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
