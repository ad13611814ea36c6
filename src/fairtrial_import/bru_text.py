"""Bruno's own language: blocks of pairs, of names, or of text (docs.usebruno.com, Bru language)."""

import re
from typing import Any

START = re.compile(r"(?P<name>[\w:-]+)\s*(?P<open>[{\[])\s*(?:(?P<rest>.*)[}\]])?\s*$")
PAIR = re.compile(r'(?P<off>~?)@?(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<name>[^\s:"][^:]*?))\s*:\s*(?P<value>.*)$')
CLOSING = {"{": "}", "[": "]"}
TEXTS = re.compile(r"(?:body(?!:form-urlencoded|:multipart-form|:file)|script|tests|docs)\b")
"""Blocks whose lines are a text."""
FENCE = "'''"

Pairs = list[dict[str, Any]]


def bru_blocks(text: str) -> dict[str, str | Pairs]:
    """The blocks of a file by their names: a text, or pairs of `name`, `value` and `enabled`.

    Lines outside of blocks are passed over.
    """
    blocks: dict[str, str | Pairs] = {}
    lines = iter(text.replace("\r\n", "\n").split("\n"))
    for line in lines:
        match = START.match(line)
        if match is None:
            continue
        inner = [match["rest"]] if match["rest"] is not None else []
        if match["rest"] is None:
            closing = CLOSING[match["open"]]
            for each in lines:
                if each.rstrip() == closing:
                    break
                inner.append(each.removeprefix("  "))
        blocks[match["name"]] = "\n".join(inner) if TEXTS.match(match["name"]) else _pairs(inner)
    return blocks


def _pairs(lines: list[str]) -> Pairs:
    pairs: Pairs = []
    fenced: list[str] | None = None
    for line in lines:
        if fenced is not None:
            if line.strip() == FENCE:
                pairs[-1]["value"], fenced = "\n".join(fenced), None
            else:
                fenced.append(line.removeprefix("  "))
        elif match := PAIR.match(line.strip()):
            name = match["name"] or re.sub(r"\\(.)", r"\1", match["quoted"] or "")
            value = match["value"].strip()
            pairs.append({"name": name.strip(), "value": value, "enabled": not match["off"]})
            fenced = [] if value == FENCE else None
    return pairs
