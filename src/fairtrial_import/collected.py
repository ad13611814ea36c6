"""Collections of requests (Postman, Insomnia, Bruno): folders whose headers, credentials and variables reach below."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.secret_names import is_secret_name
from fairtrial_import.bodies import JSON, MULTIPART, form_body, is_json, media_type, template_body
from fairtrial_import.entries import read_each
from fairtrial_import.headers import keep_headers
from fairtrial_import.http_variables import FileVariables
from fairtrial_import.json_value import objects, text
from fairtrial_import.model import Body, FileBody, FormBody, FormFile, FoundRequest, ImportedRequests, TextBody
from fairtrial_import.source import ImportSource
from fairtrial_import.template import encoded
from fairtrial_import.variables import Variables, variable_name

MOST_REQUESTS = 10_000
DEEPEST = 32
REMEDY = "write the request yourself, with body_file"
COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
"""These clients take comments out of JSON before they send it. Texts are matched first, as they may hold `//`."""
OF_BRU = re.compile(r"@file\(([^)]*)\)(?:\s*@contentType\(([^)]*)\))?")
"""Files in Bruno's language."""
IN_PATH = re.compile(r"/:([^/]+)")
PREFERRED = re.compile(r"local|dev", re.IGNORECASE)
NOT_SENT = frozenset({"", "none", "noauth", "inherit"})
PLACES_IN_QUERY = frozenset({"query", "queryparams"})
SCRIPT = "Left out: scripts, which run before a request or handle its answer."

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class CallBody:
    """A body: a text, the pairs of a form, a file, or the parts of a form."""

    content_type: str = ""
    """that the client sends where the headers have none"""
    text: str = ""
    form: Pairs | None = None
    file: str = ""
    parts: tuple[tuple[str, str | FormFile], ...] | None = None
    """of a form of several parts"""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request as the client keeps it. Texts may hold `{{name}}`."""

    method: str
    url: str
    query: Pairs = ()
    """beside that of the URL"""
    in_path: Pairs = ()
    """values for `/:name`"""
    body: CallBody = field(default_factory=CallBody)


@dataclass(frozen=True)
class Auth:
    """How a request is let in: the client's name for it, and what it needs."""

    kind: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Item:
    """A request, or a folder of items. Headers, credentials and variables of a folder are those of all below it."""

    name: str
    call: Call | None = None
    below: Sequence["Item"] = ()
    headers: Pairs = ()
    auth: Auth | None = None
    """None: that of the folder"""
    values: Mapping[str, str | None] = field(default_factory=dict)
    """None: a secret"""
    has_script: bool = False


def enabled_pairs(value: Any) -> Pairs:
    """Names and values of a list, without those that are switched off."""
    return tuple((as_text(each.get("key", each.get("name"))), as_text(each.get("value"))) for each in _enabled(value))


def _enabled(value: Any) -> list[dict[str, Any]]:
    """The objects of a list that are not switched off."""
    return [each for each in objects(value) if not each.get("disabled") and each.get("enabled", True) is not False]


def form_parts(value: Any) -> CallBody:
    """A form of several parts, without those that are switched off: a list of objects with a name, and with a value, or
    the paths of files under `src`, `fileName` or, in Bruno, `value`."""
    parts: list[tuple[str, str | FormFile]] = []
    for each in _enabled(value):
        name = as_text(each.get("key", each.get("name")))
        in_bru = OF_BRU.fullmatch(text(each.get("value")))
        if each.get("type") != "file" and in_bru is None:
            parts.append((name, as_text(each.get("value"))))
            continue
        paths = in_bru[1].split("|") if in_bru else each.get("src") or each.get("fileName") or each.get("value")
        content_type = (in_bru and in_bru[2]) or text(each.get("contentType"))
        parts += [
            (name, FormFile(as_text(path), media_type=media_type(content_type)))
            for path in (paths if isinstance(paths, list) else [paths])
        ]
    return CallBody(content_type=MULTIPART, parts=tuple(parts))


def values_of(value: Any) -> dict[str, str | None]:
    """Variables of a list by name, without those that are switched off; None: the list says that it is a secret."""
    secrets = {as_text(each.get("key", each.get("name"))) for each in objects(value) if _is_secret(each)}
    return {name: None if name in secrets else text for name, text in enabled_pairs(value)}


def _is_secret(entry: Mapping[str, Any]) -> bool:
    return entry.get("type") == "secret" or entry.get("secret") is True


def below_at(depth: int, value: Any) -> list[dict[str, Any]]:
    """The objects of a list that stands so deep in folders.

    Raises:
        Problem: it is deeper than anybody puts folders.
    """
    if depth > DEEPEST:
        raise Problem(f"folders nest more than {DEEPEST} deep", "import a part of them")
    return objects(value)


def as_text(value: Any) -> str:
    """A text; a number or a word of JSON as it is written; empty for nothing."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, dict) and "data" in value:  # OpenCollection: a value with its type
        return as_text(value["data"])
    return json.dumps(value, ensure_ascii=False)


def auth_of(kind: str, values: Any) -> Auth:
    """Credentials: `values` is an object, or a list of names and values."""
    pairs: Iterable[tuple[Any, Any]] = values.items() if isinstance(values, dict) else enabled_pairs(values)
    return Auth(kind.lower(), {str(name): as_text(value) for name, value in pairs})


def graphql_body(query: str, variables: str) -> CallBody:
    """A query and its variables, which are JSON, as they are sent."""
    return CallBody(
        content_type=JSON, text=f'{{"query": {json.dumps(query)}, "variables": {variables.strip() or "{ }"}}}'
    )


def by_preference(name: str) -> tuple[bool, str]:
    """Sorts environments by their names: local ones first, then by the alphabet."""
    return PREFERRED.search(name) is None, name


def with_environment(root: Item, environments: Mapping[str, Mapping[str, str | None]]) -> tuple[Item, list[str]]:
    """A collection with the values of one of its environments, the only one or by its name a local one; and a remark
    which."""
    names = sorted(environments, key=by_preference)
    if not names:
        return root, []
    if names[1:] and PREFERRED.search(names[0]) is None:
        return root, [
            f"Variables are those of no environment, as none is local or dev by its name: {', '.join(names)}."
        ]
    others = f"; others: {', '.join(names[1:])}" if names[1:] else ""
    remarks = [f"Variables are those of the environment {names[0]}{others}."]
    return replace(root, values={**root.values, **environments[names[0]]}), remarks


def requests_of(
    root: Item, source: ImportSource, variables: Variables, remarks: Sequence[str] = ()
) -> ImportedRequests:
    """All requests of a collection.

    Raises:
        Problem: no request of it can be read, or it holds too many.
    """
    items = []
    for item in _with_inherited(root):
        items.append(item)
        if len(items) > MOST_REQUESTS:
            raise Problem(f"{source.label}: more than {MOST_REQUESTS:,} requests", "import a folder of them")
    reader = _Reader(source, variables)
    requests, broken = read_each(items, lambda item: [reader.request(item)], source.label)
    scripts = [SCRIPT] if any(item.has_script for item in items) else []
    return ImportedRequests(
        title=root.name or source.stem,
        requests=requests,
        remarks=[*remarks, *scripts, *broken, *reader.values.remarks],
    )


def _with_inherited(item: Item) -> Iterator[Item]:
    """The requests below an item, with what they have from their folders."""
    if item.call is not None:
        yield item
    for each in item.below:
        names = {name.lower() for name, _ in each.headers}
        inherited = tuple((name, value) for name, value in item.headers if name.lower() not in names)
        yield from _with_inherited(
            replace(
                each,
                headers=(*inherited, *each.headers),
                auth=item.auth if each.auth is None or each.auth.kind == "inherit" else each.auth,
                values={**item.values, **each.values},
                has_script=item.has_script or each.has_script,
            )
        )


class _Reader:
    def __init__(self, source: ImportSource, variables: Variables) -> None:
        self._source = source
        self._variables = variables
        self.values = FileVariables(variables, source.label)

    def request(self, item: Item) -> FoundRequest:
        """An item as a request.

        Raises:
            Problem: it cannot be imported; names the item.
        """
        where = f"{self._source.label}: {printable(item.name, 80) or 'a request'}"
        call = item.call or Call(method="", url="")
        self.values.use(self._without_secrets(item.values))
        remarks: list[str] = []
        headers, query = self._credentials(item.auth, remarks)
        address = self.values.read_address(self._url(call, query), where)
        resolved = [(name, self.values.resolved(value)) for name, value in item.headers if name.strip()]
        names = {name.lower() for name, _ in resolved}
        headers = [(name, value) for name, value in headers if name.lower() not in names]
        if address.credentials is not None and not headers and "authorization" not in names:
            headers.append(("authorization", f"Basic {address.credentials}"))
        method = call.method.lower() or "get"
        content_type = {name.lower(): value for name, value in resolved}.get("content-type", "")
        body = self._body(method, call.body, content_type, where)
        if isinstance(body, FormBody):  # the boundary is that of the body that is written
            resolved = [(name, value) for name, value in resolved if name.lower() != "content-type"]
        elif body is not None and call.body.content_type and "content-type" not in names:
            headers.append(("content-type", call.body.content_type))
        selection = keep_headers([*resolved, *headers], are_templates=True)
        return FoundRequest(
            method=method,
            path=address.path,
            headers=selection.headers,
            body=body,
            name=item.name,
            origin=address.origin,
            remarks=tuple(remarks),
            left_out_headers=selection.left_out,
        )

    def _without_secrets(self, values: Mapping[str, str | None]) -> dict[str, str]:
        """The values that may stand in a file; the others become variables of the environment, as if they had none."""
        plain = {}
        for name, value in values.items():
            if value is None or is_secret_name(name, value):
                self._variables.placeholder_of(variable_name(name), f"the collection's {printable(name, 60)}")
            else:
                plain[name] = value
        return plain

    def _url(self, call: Call, query: Sequence[str]) -> str:
        url = call.url.strip().partition("#")[0]
        base, mark, rest = url.partition("?")
        values = {name: value or f"{{{{{name}}}}}" for name, value in call.in_path}
        base = IN_PATH.sub(lambda match: f"/{values.get(match[1], match.group()[1:])}", base)
        pairs = "&".join([*(f"{self._quoted(name)}={self._quoted(value)}" for name, value in call.query), *query])
        return self.values.resolved(f"{base}{mark}{rest}") + (f"{'&' if mark else '?'}{pairs}" if pairs else "")

    def _quoted(self, value: str) -> str:
        return encoded(self.values.resolved(value), safe="%")

    def _body(self, method: str, body: CallBody, content_type: str, where: str) -> Body | None:
        content_type = content_type or body.content_type
        if body.file:
            return FileBody(self._path(body.file))
        if body.parts is not None:
            parts = [
                (self.values.resolved(name), self.values.resolved(part) if isinstance(part, str) else self._part(part))
                for name, part in body.parts
            ]
            return form_body(method, parts, where, REMEDY)
        if body.form is not None:
            pairs = ((self.values.resolved(name), self.values.resolved(value)) for name, value in body.form)
            return TextBody("&".join(f"{encoded(name, safe='')}={encoded(value, safe='')}" for name, value in pairs))
        if not body.text.strip():
            return None
        plain = COMMENT.sub(lambda match: match[1] or "", body.text) if is_json(content_type) else body.text
        return template_body(self.values.resolved(plain.strip("\r\n") if plain != body.text else plain), content_type)

    def _part(self, part: FormFile) -> FormFile:
        return replace(part, path=self._path(part.path))

    def _path(self, template: str) -> str:
        path = self.values.resolved(template)
        return path if not path or os.path.isabs(path) else os.path.relpath(os.path.join(self._source.folder, path))

    def _credentials(self, auth: Auth | None, remarks: list[str]) -> tuple[list[tuple[str, str]], Sequence[str]]:
        """Headers and parameters that let a request in."""
        if auth is None or auth.kind in NOT_SENT:
            return [], ()
        values = auth.values
        if auth.kind == "basic":
            credentials = f"{values.get('username', '')}:{values.get('password', '')}"
            return [("authorization", f"Basic {self.values.resolved(credentials)}")], ()
        if auth.kind in ("bearer", "oauth2", "jwt"):
            token = values.get("token") or values.get("accessToken") or "{{access_token}}"
            prefix = values.get("prefix") or values.get("headerPrefix") or values.get("tokenPrefix") or "Bearer"
            return [("authorization", f"{prefix.strip()} {self.values.resolved(token)}")], ()
        name = values.get("key") or values.get("name", "")
        if auth.kind == "apikey" and name:
            value = self.values.resolved(values.get("value", ""))
            if "{{env" not in value:
                value = self._variables.placeholder(name, value, f"the key {printable(name, 60)}")
            place = (values.get("in") or values.get("addTo") or values.get("placement") or "header").lower()
            if place in PLACES_IN_QUERY:
                return [], [f"{self._quoted(name)}={value}"]
            return [("cookie", f"{name}={value}") if place == "cookie" else (name, value)], ()
        remarks.append(
            f"Left out: authentication of the kind {printable(auth.kind, 40)}, which is made for each request."
        )
        return [], ()
