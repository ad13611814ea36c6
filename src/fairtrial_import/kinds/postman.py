"""`shop.postman_collection.json`: a collection of Postman, of format 2.0 or 2.1."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial_import.bodies import FORM, JSON
from fairtrial_import.collected import (
    Auth,
    Call,
    CallBody,
    Item,
    as_text,
    auth_of,
    below_at,
    by_preference,
    enabled_pairs,
    form_parts,
    graphql_body,
    requests_of,
    values_of,
    with_environment,
)  # fmt: skip
from fairtrial_import.document import parsed
from fairtrial_import.json_value import member_at, objects, text
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.model import ImportedRequests
from fairtrial_import.source import ImportSource, open_source
from fairtrial_import.variables import Variables

ENVIRONMENT = ".postman_environment.json"
"""How Postman names the export of an environment."""
MOST_ENVIRONMENTS = 20
TYPES = {
    "json": JSON, "xml": "application/xml", "html": "text/html", "javascript": "application/javascript",
}  # fmt: skip
"""What Postman sends as content-type for a raw body in this language."""


def read(source: ImportSource, variables: Variables) -> ImportedRequests:
    """The requests of a collection, with its variables replaced, and those of an environment beside it.

    Raises:
        Problem: it is no JSON, or no request of it can be read.
    """
    document = parsed(source)
    inner = document.get("collection")  # as Postman's own API gives it
    root = inner if isinstance(inner, dict) else document
    item = _item({**root, "name": text(member_at(root, "info", "name"))})
    item, remarks = with_environment(item, _environments(source))
    return requests_of(item, source, variables, remarks)


def _environments(source: ImportSource) -> dict[str, dict[str, str | None]]:
    """By their names, the environments whose exports lie beside a collection's file."""
    environments: dict[str, dict[str, str | None]] = {}
    files = Path(source.folder).glob(f"*{ENVIRONMENT}") if source.path is not None else []
    names = sorted((file.name.removesuffix(ENVIRONMENT) for file in files), key=by_preference)
    for name in names[:MOST_ENVIRONMENTS]:
        with suppress(Problem):  # one that is broken has no values
            values = parsed(open_source(str(Path(source.folder, name + ENVIRONMENT)))).get("values")
            environments[printable(name, 80)] = values_of(values)
    return environments


def _item(value: dict[str, Any], depth: int = 0) -> Item:
    request = value.get("request")
    auth = value.get("auth")
    request = {"url": request} if isinstance(request, str) else request
    call = _call(request) if isinstance(request, dict) and request.get("url") else None
    return Item(
        name=text(value.get("name")),
        call=call,
        below=[_item(each, depth + 1) for each in below_at(depth, value.get("item"))],
        headers=_headers(member_at(request, "header")),
        auth=_auth(member_at(request, "auth") or auth),
        values=values_of(value.get("variable")),
        has_script=any(
            member_at(event, "script", "exec") not in (None, "", [], [""]) for event in objects(value.get("event"))
        ),
    )


def _auth(value: Any) -> Auth | None:
    kind = text(member_at(value, "type"))
    return auth_of(kind, member_at(value, kind)) if kind else None


def _headers(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, str):
        return enabled_pairs(value)
    lines = (line.partition(":") for line in value.splitlines() if not line.startswith("//"))
    return tuple((name.strip(), content.strip()) for name, colon, content in lines if colon)


def _call(request: dict[str, Any]) -> Call:
    url = request.get("url")
    return Call(
        method=text(request.get("method")) or "GET",
        url=url if isinstance(url, str) else _url(url),
        in_path=enabled_pairs(member_at(url, "variable")),
        body=_body(request.get("body")),
    )


def _url(url: Any) -> str:
    """The address as it was typed; without one, its parts."""
    raw = text(member_at(url, "raw"))
    if raw:
        return raw
    host, path = (_joined(member_at(url, name), sign) for name, sign in (("host", "."), ("path", "/")))
    protocol = text(member_at(url, "protocol"))
    port = as_text(member_at(url, "port"))
    query = "&".join(f"{name}={value}" for name, value in enabled_pairs(member_at(url, "query")))
    start = (f"{protocol}://" if protocol else "") + host + (f":{port}" if port else "")
    return f"{start}/{path.lstrip('/')}" + (f"?{query}" if query else "") if start or path else ""


def _joined(value: Any, sign: str) -> str:
    parts = value if isinstance(value, list) else [value]
    return sign.join(as_text(member_at(part, "value") if isinstance(part, dict) else part) for part in parts)


def _body(body: Any) -> CallBody:
    mode = text(member_at(body, "mode"))
    content = member_at(body, mode)
    if not mode or member_at(body, "disabled"):
        return CallBody()
    if mode == "urlencoded":
        return CallBody(content_type=FORM, form=enabled_pairs(content))
    if mode == "formdata":
        return form_parts(content)
    if mode == "graphql":
        return graphql_body(text(member_at(content, "query")), as_text(member_at(content, "variables")))
    if mode == "file":
        path = as_text(member_at(content, "src"))
        return CallBody(file=path) if path else CallBody(text=text(member_at(content, "content")))
    language = text(member_at(body, "options", "raw", "language"))
    return CallBody(content_type=TYPES.get(language, "text/plain"), text=as_text(content))


def _recognises(source: ImportSource) -> bool:
    keys = source.keys
    return {"info", "item"} <= keys or ("collection" in keys and re.search(r'"_?postman_id"', source.head) is not None)


KIND = SourceKind("postman", "a collection of Postman", _recognises, read)
