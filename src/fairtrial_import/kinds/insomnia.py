"""`Insomnia_2026.json`, `shop.yaml`: what Insomnia exports, of format 4 (JSON) or 5 (YAML)."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fairtrial_import.bodies import FORM, JSON, MULTIPART, media_type
from fairtrial_import.collected import (
    Auth,
    Call,
    CallBody,
    Item,
    as_text,
    auth_of,
    below_at,
    enabled_pairs,
    form_parts,
    requests_of,
    with_environment,
)  # fmt: skip
from fairtrial_import.document import parsed
from fairtrial_import.json_value import member_at, objects, text
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.model import ImportedRequests
from fairtrial_import.source import ImportSource
from fairtrial_import.variables import Variables

GRAPHQL = "application/graphql"
OTHERS = ("websocket_request", "grpc_request", "socketio_request", "ws-req", "greq", "socketio-req")
VARIABLE = re.compile(r"\{\{-?\s*(?:(?:_\.)?(?P<name>[\w.$\[\]-]+?)|_\[['\"](?P<quoted>[^'\"]+)['\"]\])\s*-?\}\}")
TAG = re.compile(r"\{%-?\s*(?P<tag>\w+)\s*(?P<arguments>(?:'[^']*'|[^'%])*)%\}")
TAGS = {"uuid": "$uuid", "timestamp": "$timestamp", "now": "$isoTimestamp"}
"""Template tags that a request is given anew each time, by the names that other clients have for them."""


def read(source: ImportSource, variables: Variables) -> ImportedRequests:
    """The requests of an export, with the variables of its environment replaced.

    Raises:
        Problem: it is neither JSON nor YAML, or no request of it can be read.
    """
    document = parsed(source)
    is_tree = "collection" in document
    roots = [{**document, "children": document.get("collection")}] if is_tree else _trees(document)
    remarks: list[str] = []
    items = []
    for root in roots:
        item, more = _with_values(root)
        items.append(item)
        remarks += more
    number = sum(1 for root in roots for _ in _others(root))
    if number:
        remarks.append(f"Left out: {number:,} of gRPC or WebSocket.")
    whole = items[0] if len(items) == 1 else Item(name="", below=items)
    return requests_of(whole, source, variables, list(dict.fromkeys(remarks)))


def _trees(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The list of format 4, whose members name their parents, as a tree for each workspace."""
    resources = [dict(each) for each in objects(document.get("resources"))]
    by_id = {text(each.get("_id")): each for each in resources}
    roots = [each for each in resources if each.get("_type") == "workspace"] or [{"name": ""}]
    for each in resources:
        kind, parent = each.get("_type"), by_id.get(text(each.get("parentId")))
        of_parent = parent is not None and parent is not each and parent.get("_type")
        if kind == "environment":
            key = "subEnvironments" if of_parent == "environment" else "bases"
            holder = parent if parent is not None and of_parent in ("environment", "workspace") else roots[0]
            holder.setdefault(key, []).append(each)
        elif kind in ("request", "request_group", *OTHERS):
            holder = parent if parent is not None and of_parent in ("request_group", "workspace") else roots[0]
            holder.setdefault("children", []).append(each)
    for root in roots:
        root["environments"] = next(iter(root.get("bases", ())), None)
    return roots


def _with_values(root: dict[str, Any]) -> tuple[Item, list[str]]:
    """A collection with the variables of its base environment, and of one below it; and a remark which."""
    base, item = root.get("environments"), _item(root)
    item = replace(item, values={**item.values, **dict(_flat(member_at(base, "data"), ""))})
    below = objects(member_at(base, "subEnvironments"))
    return with_environment(item, {text(each.get("name")): dict(_flat(each.get("data"), "")) for each in below})


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Variables by their names: `a`, `a.b` within others, `a[0]` in lists."""
    for name, each in value.items() if isinstance(value, dict) else ():
        yield from _flat_value(each, f"{path}{name}")


def _flat_value(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        yield from _flat(value, f"{name}.")
        return
    yield name, _plain(as_text(value))
    for number, each in enumerate(value if isinstance(value, list) else ()):
        yield from _flat_value(each, f"{name}[{number}]")


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
        params = objects(member_at(body, "params"))
        return form_parts([{**each, "value": _plain(as_text(each.get("value")))} for each in params])
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
    return TAG.sub(lambda match: f"{{{{{_name_of_tag(match['tag'], match['arguments'])}}}}}", text)


def _name_of_tag(tag: str, arguments: str) -> str:
    """A name for what the tag stands for: another one for each that is not known."""
    words = [re.sub(r"[{}]", "", word) for word in re.findall(r"'([^']*)'", arguments)]
    if tag == "faker":
        return f"${''.join(words[:1])}"
    return TAGS.get(tag) or " ".join([tag, *words])


def _recognises(source: ImportSource) -> bool:
    keys = source.keys
    return {"_type", "resources"} <= keys or (
        {"type", "collection"} <= keys and re.search(r"\binsomnia\.rest/5", source.head) is not None
    )


KIND = SourceKind("insomnia", "an export of Insomnia", _recognises, read)
