"""What an OpenAPI document (Swagger 2.0, 3.0, 3.1) allows to be sent, and answers by it that chance makes.

It shares no code with `fairtrial import`: each is evidence for the other. `benches/openapi_server.py` serves it.
"""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, unquote_plus, urlsplit

import jsonschema_rs

METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch"})
NAMES = frozenset({"properties", "patternProperties", "definitions", "schemas"})
DATA = frozenset({"example", "examples", "default", "enum", "const"})
DIALECT = "https://json-schema.org/draft/2020-12/schema"
FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
SENT, ANSWERED = "readOnly", "writeOnly"
"""What does not belong to a value that is sent, or answered."""
DEEPEST = 6
TRIES = 8
TEXTS = ("", "a", 'ünï "quoted" \\ text', "x" * 50)
FORMATS = {
    "date": "2024-02-29",
    "date-time": "2024-02-29T23:59:59Z",
    "email": "a.b+c@example.org",
    "uuid": "8f7a1c6e-3f0d-4c59-9d1e-6a1f7f0a2b3c",
    "uri": "https://example.org/a?b=c#d",
    "ipv4": "203.0.113.7",
    "ipv6": "2001:db8::7",
}


class Refused(Exception):
    """A request that the document does not allow; its text says why."""


@dataclass
class Operation:
    """One operation of the document."""

    method: str
    template: str
    pattern: re.Pattern[str]
    parameters: list[dict[str, Any]]
    bodies: dict[str, dict[str, Any]]
    """media types by their names"""
    must_have_body: bool
    answer: tuple[int, str, Any]
    """status, media type and schema, which is None without one"""


class OpenApiMock:
    """The operations of a document, what may be sent to them, and what they answer."""

    def __init__(self, root: dict[str, Any], seed: int = 7) -> None:
        self.root, self._chance = root, random.Random(seed)  # noqa: S311
        self._is_2 = "swagger" in root
        self._validators: dict[tuple[str, str], jsonschema_rs.Validator] = {}
        self._registries = {
            side: jsonschema_rs.Registry([("urn:d", self._as_json_schema(root, side))]) for side in (SENT, ANSWERED)
        }
        items = [(path, self.target(item)) for path, item in root.get("paths", {}).items()]
        operations = [self._operation(path, item, method) for path, item in items for method in METHODS & item.keys()]
        self.operations = sorted(operations, key=lambda each: each.template.count("{"))

    def target(self, value: Any) -> Any:
        """What a reference within the document leads to."""
        while isinstance(value, dict) and isinstance(value.get("$ref"), str):
            steps, value = unquote(value["$ref"]).split("/")[1:], self.root
            for step in steps:
                value = value[step.replace("~1", "/").replace("~0", "~")]
        return value

    def _as_json_schema(self, value: Any, side: str, *, are_names: bool = False) -> Any:
        if isinstance(value, list):
            return [self._as_json_schema(each, side) for each in value]
        if not isinstance(value, dict) or are_names:
            return {k: self._as_json_schema(v, side) for k, v in value.items()} if are_names else value
        if isinstance(value.get("$ref"), str):
            return {"$ref": f"urn:d{value['$ref']}"}
        schema = {k: v if k in DATA else self._as_json_schema(v, side, are_names=k in NAMES) for k, v in value.items()}
        for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            if isinstance(schema.get(exclusive), bool) and schema.pop(exclusive):
                schema[exclusive] = schema.pop(bound)
        if isinstance(schema.get("required"), bool):
            del schema["required"]  # of a parameter
        members = {name: self.target(each) for name, each in value.get("properties", {}).items()}
        if "required" in schema:
            schema["required"] = [n for n in schema["required"] if members.get(n, {}).get(side) is not True]
        if True in (schema.get("nullable"), schema.get("x-nullable")) and isinstance(schema.get("type"), str):
            schema["type"] = [schema["type"], "null"]
        return schema

    def faults(self, side: str, schema: Any, value: Any) -> Iterator[str]:
        """What is wrong with a value."""
        key = side, json.dumps(schema, sort_keys=True, default=str)
        if key not in self._validators:
            whole = {"$schema": DIALECT, "allOf": [self._as_json_schema(schema, side)]}
            self._validators[key] = jsonschema_rs.validator_for(
                whole, registry=self._registries[side], validate_formats=True
            )
        for error in self._validators[key].iter_errors(value):
            yield f"{error.instance_path}: {error.message[:200]}"

    def _operation(self, path: str, item: dict[str, Any], method: str) -> Operation:
        keys = item[method]
        described = [self.target(each) for holder in (item, keys) for each in holder.get("parameters", [])]
        parameters = list({(each["name"], each["in"]): each for each in described}.values())
        pattern = re.sub(r"\\\{[^{}]*\\\}", "([^/]+)", re.escape(path.partition("#")[0]))
        bodies, must_have_body = self._bodies(keys, parameters)
        return Operation(
            method,
            path,
            re.compile(re.escape(self._base(keys, item)) + pattern),
            [each for each in parameters if each["in"] not in ("body", "formData")],
            bodies,
            must_have_body,
            self._answer(keys),
        )

    def _base(self, *holders: dict[str, Any]) -> str:
        servers = [server for holder in (*holders, self.root) for server in holder.get("servers", [])]
        if self._is_2 or not servers:
            return str(self.root.get("basePath", "")).rstrip("/")
        variables = servers[0].get("variables", {})
        url = re.sub(r"\{(.*?)\}", lambda match: str(variables[match[1]]["default"]), servers[0]["url"])
        return urlsplit(url).path.rstrip("/")

    def _bodies(self, keys: dict[str, Any], parameters: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], bool]:
        if not self._is_2:
            body = self.target(keys.get("requestBody", {}))
            return body.get("content", {}), body.get("required") is True
        consumes = keys.get("consumes", self.root.get("consumes")) or ["application/json"]
        for each in parameters:
            if each["in"] == "body":
                return {name: {"schema": each["schema"]} for name in consumes}, each.get("required") is True
        form = [each for each in parameters if each["in"] == "formData"]
        required = [each["name"] for each in form if each.get("required") is True]
        schema = {
            "type": "object",
            "required": required,
            "properties": {each["name"]: _schema_of(each) for each in form},
        }
        return {name: {"schema": schema} for name in consumes if form}, bool(required)

    def _answer(self, keys: dict[str, Any]) -> tuple[int, str, Any]:
        responses = {str(status): self.target(each) for status, each in keys.get("responses", {}).items()}
        for status in sorted((each for each in responses if each[0] in "23"), key=lambda each: each[0]):
            response, number = responses[status], int(status.upper().replace("X", "0"))
            if self._is_2:
                produces = keys.get("produces", self.root.get("produces")) or ["application/json"]
                return number, _json_first(produces), response.get("schema")
            content = response.get("content") or {"": {}}
            kind = _json_first(list(content))
            return number, kind, content[kind].get("schema")
        return 200, "", None

    def check(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Operation:
        """The operation that a request asks for.

        Args:
            headers: by name in lower case.

        Raises:
            Refused: the document does not allow the request.
        """
        path, _, query = url.partition("?")
        matches = ((each, each.pattern.fullmatch(path)) for each in self.operations if each.method == method.lower())
        operation, match = next(((each, match) for each, match in matches if match), (None, None))
        if operation is None or match is None:
            raise Refused(f"no such operation: {method} {path}")
        in_path = dict(zip(re.findall(r"\{([^{}]*)\}", operation.template), match.groups(), strict=True))
        pairs = [(unquote_plus(name), value) for name, value in _pairs(query)]
        for parameter in operation.parameters:
            name = parameter["name"]
            schema = _schema_of(parameter)
            values = {"path": [in_path.get(name)], "header": [headers.get(name.lower())]}.get(parameter["in"])
            value: Any
            if values is None:
                value = self._of_pairs(name, schema, parameter, pairs)
            else:
                value = self._cast(schema, unquote(values[0]), ",") if values[0] is not None else None
            if value is None and parameter.get("required") is True and parameter["in"] != "cookie":
                raise Refused(f"{parameter['in']} parameter {name} is missing")
            if value is not None:
                self._assert_fits(f"{parameter['in']} parameter {name}", schema, value)
        self._assert_body(operation, headers.get("content-type", ""), body)
        return operation

    def _assert_fits(self, name: str, schema: Any, value: Any) -> None:
        for fault in self.faults(SENT, schema, value):
            raise Refused(f"{name} = {json.dumps(value)[:200]}: {fault}")

    def _assert_body(self, operation: Operation, content_type: str, body: bytes) -> None:
        if not body and not operation.must_have_body:
            return
        kind = content_type.partition(";")[0].strip().lower()
        names = [n for n in operation.bodies if re.fullmatch(re.escape(n.split(";")[0]).replace(r"\*", ".*"), kind)]
        if not names:
            raise Refused(f"a body of {content_type!r} is none of {list(operation.bodies)}")
        media = operation.bodies[names[0]]
        schema = media.get("schema", {})
        if kind == FORM:
            pairs = [(unquote_plus(name), value) for name, value in _pairs(body.decode())]
            rules = {n: media.get("encoding", {}).get(n, {}) for n in self._members(schema)}
            values = {n: self._of_pairs(n, self._member(schema, n), rule, pairs) for n, rule in rules.items()}
            self._assert_fits("its form", schema, {n: each for n, each in values.items() if each is not None})
        elif "json" in kind:
            try:
                value = json.loads(body)
            except ValueError as error:
                raise Refused("its body is no JSON") from error
            self._assert_fits("its body", schema, value)

    def _of_pairs(self, name: str, schema: Any, rules: dict[str, Any], pairs: Sequence[tuple[str, str]]) -> Any:
        """The value of a parameter of a query, or of a member of a form; None if it is not there."""
        if rules.get("style") == "deepObject":
            inner = [(key[len(name) :], unquote_plus(each)) for key, each in pairs if key.startswith(f"{name}[")]
            return self._deep(schema, inner) if inner else None
        values = [each for key, each in pairs if key == name]
        if not values:
            return None
        style = rules.get("collectionFormat", "csv") if self._is_2 else rules.get("style", "form")
        signs = {"ssv": "%20", "pipes": "%7C", "spaceDelimited": "%20", "pipeDelimited": "%7C"}
        explodes = style == "multi" if self._is_2 else rules.get("explode", style == "form")
        if explodes and "array" in self._kinds(schema):
            return [self._cast(self._items(schema), unquote_plus(each), "") for each in values]
        if len(values) > 1:
            raise Refused(f"{name} stands more than once")
        return self._cast(schema, values[0], signs.get(style, ","), unquoted=unquote_plus)

    def _cast(self, schema: Any, text: str, sign: str, unquoted: Any = str) -> Any:
        """A text as the value that its schema speaks of; the text where it is none."""
        kinds = self._kinds(schema)
        if "array" in kinds and sign and "string" not in kinds:
            return [self._cast(self._items(schema), unquoted(each), "") for each in text.split(sign)]
        text = unquoted(text)
        try:
            value = json.loads(text)
        except ValueError:
            return text
        kind = {bool: "boolean", int: "integer", float: "number", dict: "object"}.get(type(value), "")
        return value if kind in kinds or (kind == "integer" and "number" in kinds) else text

    def _deep(self, schema: Any, pairs: Sequence[tuple[str, str]]) -> Any:
        """What `[a][0]=x` stands for."""
        if not pairs[0][0]:
            return self._cast(schema, pairs[0][1], "")
        groups: dict[str, list[tuple[str, str]]] = {}
        for key, text in pairs:
            name, _, rest = key[1:].partition("]")
            groups.setdefault(name, []).append((rest, text))
        if "array" in self._kinds(schema) and all(each.isdigit() for each in groups):
            return [self._deep(self._items(schema), each) for each in groups.values()]
        return {name: self._deep(self._member(schema, name), each) for name, each in groups.items()}

    def _parts(self, schema: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
        """A schema, and those that it is joined of."""
        schema = self.target(schema)
        if isinstance(schema, dict) and depth <= DEEPEST:
            yield schema
            for key in ("allOf", "anyOf", "oneOf"):
                for each in schema.get(key, []):
                    yield from self._parts(each, depth + 1)

    def _kinds(self, schema: Any) -> set[str]:
        kinds: set[str] = set()
        for each in self._parts(schema):
            kind = each.get("type", "object" if "properties" in each else [])
            kinds |= {kind} if isinstance(kind, str) else set(kind)
        return kinds

    def _items(self, schema: Any) -> Any:
        return next((each["items"] for each in self._parts(schema) if "items" in each), {})

    def _members(self, schema: Any) -> dict[str, Any]:
        return {name: each for part in self._parts(schema) for name, each in part.get("properties", {}).items()}

    def _member(self, schema: Any, name: str) -> Any:
        return self._members(schema).get(name, {})

    def answer(self, operation: Operation) -> tuple[int, str, bytes]:
        """Status, media type and body; 501 if chance makes none that fits its schema."""
        status, kind, schema = operation.answer
        if schema is None or status == 204:
            return status, kind, b""
        for attempt in range(TRIES):
            value = self._made(schema, 0, 0.5 if attempt < TRIES // 2 else 0.0)
            if next(self.faults(ANSWERED, schema, value), None) is None:
                text = value if isinstance(value, str) and "json" not in kind else json.dumps(value)
                return status, kind.replace("*/*", "application/json"), text.encode()
        return 501, "text/plain", b"no answer can be made"

    def _made(self, schema: Any, depth: int, more: float) -> Any:
        """A value; `more` is the chance of what need not be there."""
        schema, chance = self.target(schema), self._chance
        if not isinstance(schema, dict):
            return "anything"
        if schema.get("nullable") and "enum" not in schema and chance.random() < more:
            return None
        if "const" in schema or schema.get("enum"):
            return chance.choice(schema.get("enum") or [schema["const"]])
        for key in ("oneOf", "anyOf"):
            if schema.get(key):
                choices = [each for each in schema[key] if depth < DEEPEST or "object" not in self._kinds(each)]
                return self._made(chance.choice(choices or schema[key]), depth + 1, more if depth < DEEPEST else 0)
        if schema.get("allOf"):
            parts = [self._made(each, depth + 1, more) for each in schema["allOf"]]
            own = self._made({**schema, "allOf": [], "type": "object"}, depth + 1, more)
            values = [each for each in (own, *parts) if isinstance(each, dict)]
            return {name: each for value in values for name, each in value.items()} if values[1:] else parts[-1]
        kinds = [each for each in self._kinds(schema) if each != "null"]
        return self._made_of(kinds[0] if kinds else "string", schema, depth, more)

    def _made_of(self, kind: str, schema: dict[str, Any], depth: int, more: float) -> Any:
        chance, inner = self._chance, more if depth < DEEPEST else 0
        if kind == "object":
            members, required = schema.get("properties", {}), schema.get("required", [])
            names = [n for n in members if n in required or chance.random() < inner]
            names = [n for n in names if self.target(members[n]).get(ANSWERED) is not True]
            return {n: self._made(members[n], depth + 1, inner) for n in names}
        if kind == "array":
            number = max(schema.get("minItems", 0), chance.randrange(3) if inner else 0)
            return [self._made(schema.get("items", {}), depth + 1, inner) for _ in range(number)]
        if kind in ("integer", "number"):
            least, most = schema.get("minimum", -5), schema.get("maximum", 10**15)
            value = min(max(chance.choice((least, 0, 17, most)), least), most)
            return value if kind == "integer" or value in (least, most) else value + 0.5
        if kind == "boolean":
            return chance.random() < 0.5
        if prefix := re.match(r"\^([\w/.:-]+)", str(schema.get("pattern", ""))):
            return prefix[1]
        text = FORMATS.get(str(schema.get("format"))) or chance.choice(TEXTS)
        return text.ljust(schema.get("minLength", 0), "y")[: schema.get("maxLength")]


def _schema_of(parameter: dict[str, Any]) -> Any:
    if "schema" in parameter or "content" in parameter:
        return parameter.get("schema", {})
    others = ("name", "in", "required", "description", "collectionFormat")
    plain = {key: each for key, each in parameter.items() if key not in others}
    return {**plain, "type": "string"} if plain.get("type") == "file" else plain


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(part.partition("=")[0], part.partition("=")[2]) for part in text.split("&") if part]


def _json_first(names: Sequence[str]) -> str:
    return next((name for name in names if "json" in name), names[0])
