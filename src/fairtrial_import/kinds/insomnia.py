"""`Insomnia_2026.json`, `shop.yaml`: what Insomnia exports, of format 4 (JSON) or 5 (YAML)."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fairtrial_import.bodies import FORM, JSON, media_type
from fairtrial_import.collected import (
    PARTS,
    Auth,
    Call,
    CallBody,
    Item,
    as_text,
    auth_of,
    below_at,
    enabled_pairs,
    requests_of,
)  # fmt: skip
from fairtrial_import.document import parsed
from fairtrial_import.json_value import member_at, objects, text
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.model import ImportedRequests
from fairtrial_import.source import ImportSource
from fairtrial_import.variables import Variables

MULTIPART = "multipart/form-data"
GRAPHQL = "application/graphql"
OTHERS = ("websocket_request", "grpc_request", "socketio_request", "ws-req", "greq", "socketio-req")
VARIABLE = re.compile(r"\{\{\s*(?:(?:_\.)?(?P<name>[\w.$-]+)|_\[['\"](?P<quoted>[^'\"]+)['\"]\])\s*\}\}")
TAG = re.compile(r"\{%-?\s*(?P<tag>\w+)\s*(?:'(?P<argument>[^']*)')?[^%]*%\}")
TAGS = {"uuid": "$uuid", "timestamp": "$timestamp", "now": "$isoTimestamp"}
"""Template tags that a request is given anew each time, by the names that other clients have for them."""


def read(source: ImportSource, variables: Variables) -> ImportedRequests:
    """The requests of an export, with the variables of its environment replaced.

    Raises:
        Problem: it is neither JSON nor YAML, or no request of it can be read.
    """
    document = parsed(source)
    is_tree = "collection" in document
    root = {**document, "children": document.get("collection")} if is_tree else _tree(document)
    base, others = _environments(document if is_tree else root)
    values, remarks = dict(_flat(member_at(base, "data"), "")), list[str]()
    if others:
        values |= dict(_flat(member_at(others[0], "data"), ""))
        names = ", ".join(text(each.get("name")) for each in others[1:])
        more = f"; others: {names}" if names else ""
        remarks.append(f"Variables are those of the environment {text(others[0].get('name'))}{more}.")
    item = _item(root)
    number = sum(1 for _ in _others(root))
    if number:
        remarks.append(f"Left out: {number:,} of gRPC or WebSocket.")
    return requests_of(replace(item, values={**item.values, **values}), source, variables, remarks)


def _tree(document: dict[str, Any]) -> dict[str, Any]:
    """The list of format 4, whose members name their parents, as a tree."""
    resources = [dict(each) for each in objects(document.get("resources"))]
    by_id = {text(each.get("_id")): each for each in resources}
    root: dict[str, Any] = {"name": "", "children": [], "found": []}
    for each in resources:
        kind, parent = each.get("_type"), by_id.get(text(each.get("parentId")))
        if kind == "workspace":
            root["name"] = root["name"] or text(each.get("name"))
        elif kind == "environment":
            root["found"].append(each)
        elif kind in ("request", "request_group", *OTHERS):
            is_below = parent is not None and parent.get("_type") == "request_group" and parent is not each
            (parent if is_below and parent is not None else root).setdefault("children", []).append(each)
    return root


def _environments(root: dict[str, Any]) -> tuple[Any, list[dict[str, Any]]]:
    """The base environment, and those below it."""
    environments = objects(root.get("found"))
    if environments:
        ids = {text(each.get("_id")) for each in environments}
        base = next((each for each in environments if text(each.get("parentId")) not in ids), environments[0])
        return base, [each for each in environments if each is not base]
    whole = root.get("environments")
    return whole, objects(member_at(whole, "subEnvironments"))


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Variables by their names, with a point before those within others."""
    for name, each in value.items() if isinstance(value, dict) else ():
        if isinstance(each, dict):
            yield from _flat(each, f"{path}{name}.")
        else:
            yield f"{path}{name}", _plain(as_text(each))


def _others(item: dict[str, Any], depth: int = 0) -> Iterator[dict[str, Any]]:
    for each in below_at(depth, item.get("children")):
        if _is_other(each):
            yield each
        yield from _others(each, depth + 1)


def _is_other(item: dict[str, Any]) -> bool:
    name = text(item.get("_type")) or text(member_at(item, "meta", "id"))
    return name.startswith(OTHERS)


def _item(value: dict[str, Any], depth: int = 0) -> Item:
    call = _call(value) if "url" in value and not _is_other(value) else None
    scripts = ("preRequestScript", "afterResponseScript")
    return Item(
        name=text(value.get("name")),
        call=call,
        below=[_item(each, depth + 1) for each in below_at(depth, value.get("children"))],
        headers=_pairs(value.get("headers")),
        auth=_auth(value.get("authentication")),
        values=dict(_flat(value.get("environment"), "")),
        has_script=any(value.get(name) for name in scripts) or bool(value.get("scripts")),
    )


def _auth(value: Any) -> Auth | None:
    if not isinstance(value, dict) or not value.get("type") or value.get("disabled"):
        return None
    return auth_of(text(value["type"]), {name: _plain(as_text(each)) for name, each in value.items()})


def _call(value: dict[str, Any]) -> Call:
    return Call(
        method=text(value.get("method")) or "GET",
        url=_plain(text(value.get("url"))),
        query=_pairs(value.get("parameters")),
        in_path=_pairs(value.get("pathParameters")),
        body=_body(value.get("body")),
    )


def _body(body: Any) -> CallBody:
    content_type, content = text(member_at(body, "mimeType")), _plain(text(member_at(body, "text")))
    name = media_type(content_type)
    if name == MULTIPART:
        return CallBody(refused=PARTS)
    if name == FORM:
        return CallBody(content_type=FORM, form=_pairs(member_at(body, "params")))
    if file := text(member_at(body, "fileName")):
        return CallBody(content_type=content_type, file=file)
    return CallBody(content_type=JSON if name == GRAPHQL else content_type, text=content)


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    return tuple((_plain(name), _plain(content)) for name, content in enabled_pairs(value))


def _plain(text: str) -> str:
    """A text whose variables and tags are written as in other clients."""
    text = VARIABLE.sub(lambda match: f"{{{{{match['name'] or match['quoted']}}}}}", text)
    return TAG.sub(lambda match: f"{{{{{_name_of_tag(match['tag'], match['argument'] or '')}}}}}", text)


def _name_of_tag(tag: str, argument: str) -> str:
    return f"${argument}" if tag == "faker" else TAGS.get(tag, tag)


def _recognises(source: ImportSource) -> bool:
    keys = source.keys
    return {"_type", "resources"} <= keys or (
        {"type", "collection"} <= keys and re.search(r"\binsomnia\.rest/5", source.head) is not None
    )


KIND = SourceKind("insomnia", "an export of Insomnia", _recognises, read)
