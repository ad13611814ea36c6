"""What was imported, sent and received again is what the source says: for many sources, which chance makes."""

import json
import random
import re
import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

import pytest

from tests.command_line import Finished
from tests.fairtrial_import.imported import import_to
from tests.machine.needs import needs
from tests.tools.load.conftest import Listener, ReceivedRequest

SEED = 45
NUMBER = 40
CHARACTERS = "aZ09-_~!*'()@:/?&=+%#$^|;,<>[]{}\"\\` éж\U0001f600"
Call = Callable[..., Finished]


def text(chance: random.Random, without: str = "") -> str:
    """A text of any characters but these."""
    return "x" + "".join(chance.choice(CHARACTERS) for _ in range(chance.randrange(8))).translate(
        {ord(each): None for each in without}
    )


def sent_again(call: Call, listener: Listener, folder: Path, source: Path, number: int) -> list[ReceivedRequest]:
    """What the server receives of a load of the imported source, in the order of the source."""
    imported = import_to(folder, source, most=1000)
    assert len(imported.model.entries()) == number, imported.comments
    listener.received.clear()
    finished = call("load", "-f", imported.file, "-n", str(number), "-c", "1", listener.url)
    assert finished.status == 0, finished.err
    received = sorted(listener.received, key=lambda request: int(request.path.split("/")[1]))
    assert [int(request.path.split("/")[1]) for request in received] == list(range(number))
    return received


def same_target(path: str) -> str:
    """Without the characters that some clients send as they are, and the small letters that curl writes with -G."""
    encoded = quote(path.encode("latin-1"), safe="%/:@!$&'()*+,;=~?[]")
    return re.sub("%[0-9a-f]{2}", lambda match: match.group().upper(), encoded)


def content(request: ReceivedRequest) -> Any:
    """The body; of JSON, the value."""
    if request.headers.get("content-type") == "application/json" and request.body:
        return json.loads(request.body)
    return request.body.decode()


def curl_line(chance: random.Random, number: int) -> str:
    """A call of curl, as bash has it."""
    url = f'"${{BASE}}{number}/{quote(text(chance))}?q={quote(text(chance))}"'
    words = ["curl", *chance.choice([["-s"], ["--silent", "--retry", "2"], ["-sSo", "/dev/null"]])]
    value = text(chance, "\\`")
    words += chance.choice(
        [
            [],
            ["-d", shlex.quote(value)],
            ["-d", "a=1", "--data-raw", shlex.quote(f"@{value}")],
            ["--data-urlencode", shlex.quote(f"b={value}"), "-d", "c=2"],
            ["-G", "--data-urlencode", shlex.quote(f"b={value}"), "-d", "c=2"],
            ["--json", shlex.quote(json.dumps({"a": value, "b": [1, 2.5, True]}))],
            ["--json", '"{\\"a\\": \\"$NAME\\"}"'],
            ["--data-binary", "$'a\\nb\\x41\\u00e9'", "-H", "'content-type: text/plain'"],
            ["-X", chance.choice(["PUT", "DELETE", "PATCH"]), "--data", "@-", f"<<E\na=$NAME\nb={number}\nE"],
            ["-H", shlex.quote(f"x-text: {quote(value)}"), "-H", '"x-name: ${NAME}s"'],
            ["--url-query", shlex.quote(f"d={value}"), "-X", "POST"],
        ]
    )
    return " ".join([*words[:1], url, *words[1:]])


@needs("curl")
def test_a_script_of_curl(listener: Listener, call: Call, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    lines = [curl_line(chance, number) for number in range(NUMBER)]
    script = tmp_path / "all.sh"
    script.write_text(f"BASE={listener.url}\nNAME='two words'\n" + "\n".join(lines) + "\n")
    subprocess.run(["bash", "-e", script], check=True, capture_output=True, timeout=60)
    by_curl = list(listener.received)
    for line, theirs, ours in zip(lines, by_curl, sent_again(call, listener, tmp_path, script, NUMBER), strict=True):
        assert (ours.method, ours.path) == (theirs.method, same_target(theirs.path)), line
        assert content(ours) == content(theirs), line
        for name in ("content-type", "x-text", "x-name"):
            assert ours.headers.get(name) == theirs.headers.get(name), line


@dataclass
class Written:
    """A request of a file, and what it has to become."""

    lines: list[str]
    method: str
    path: str
    body: Any


def block(chance: random.Random, number: int) -> Written:
    """A request as it may stand in a file of requests."""
    method = chance.choice(["GET", "POST", "put", "Delete"])
    value, query = text(chance, "{}\\").strip(), quote(text(chance))
    comments = [chance.choice(["# a note", "// a note", "# @note", "  # indented"]) for _ in range(chance.randrange(3))]
    lines = [f"### number {number}", *comments, f"@n = {number}", f"{method} {{{{host}}}}/{{{{n}}}}/a"]
    lines += [f"  ?q={query}", "// &gone=1", "  &n={{n}}"]
    lines += ["x-note: {{n}}", *comments]
    body: Any = ""
    if method != "GET":
        if chance.random() < 0.5:
            body = {"value": value, "n": number}
            members = [f'  "value": {json.dumps(value, ensure_ascii=False)},', *comments, '  "n": {{n}}']
            lines += ["Content-Type: application/json", "", "{", *members, "}", ""]
        else:
            body = f"{value}\n\n{number}"
            lines += ["Content-Type: text/plain", "", value, *comments, "", "{{n}}", ""]
    lines += chance.choice([[], ["> {%", '  client.log("###");', "%}"], ["", ">> answer.json"]])
    return Written(lines, method.upper(), f"/{number}/a?q={query}&n={number}", body)


def test_a_file_of_requests(listener: Listener, call: Call, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    blocks = [block(chance, number) for number in range(NUMBER)]
    file = tmp_path / "all.http"
    head = ["# all of them", f"@host = {listener.url.rstrip('/')}", ""]
    file.write_text("\n".join([*head, *(line for each in blocks for line in each.lines)]) + "\n")
    for written, ours in zip(blocks, sent_again(call, listener, tmp_path, file, NUMBER), strict=True):
        assert (ours.method, ours.path) == (written.method, written.path), written.lines
        assert content(ours) == written.body, written.lines
        assert ours.headers["x-note"] == ours.path.split("/")[1]


STYLES = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
}
OPEN = {"spaceDelimited": " ", "pipeDelimited": "|", "label": ".", "simple": ""}
"""Characters that a style cannot tell from what stands between values."""


def parameter(chance: random.Random) -> dict[str, Any]:
    """A parameter with a value for which its style is defined."""
    place = chance.choice(list(STYLES))
    style = chance.choice(STYLES[place])
    is_delimited = style.endswith("Delimited")
    explode = style == "deepObject" or (not is_delimited and chance.random() < 0.5)
    without = OPEN.get(style, "") + (",=\\éж\U0001f600" if place == "header" else "")

    def some() -> str:
        return text(chance, without).strip()

    shapes: list[Any] = [some(), chance.randrange(1000), [some() for _ in range(1 + chance.randrange(3))]]
    shapes.append({"R": some(), "G": chance.randrange(100)})
    value = shapes[3] if style == "deepObject" else chance.choice(shapes[2:] if is_delimited else shapes)
    return {"name": "colour", "in": place, "required": True, "style": style, "explode": explode, "example": value}


def read_back(keys: dict[str, Any], request: ReceivedRequest) -> Any:
    """The value that a server reads by the specification, as texts."""
    name, style, explode, shape = keys["name"], keys["style"], keys["explode"], keys["example"]
    is_header = keys["in"] == "header"
    plain: Callable[[str], str] = str if is_header else unquote
    if style in ("form", "deepObject") or style.endswith("Delimited"):
        query = request.path.partition("?")[2]
        pairs = [part.split("=") for part in query.split("&")]
        if style == "deepObject":
            return {unquote(key).removeprefix(f"{name}[").removesuffix("]"): unquote(value) for key, value in pairs}
        if explode:
            return _shaped([unquote(value) for _, value in pairs], [unquote(key) for key, _ in pairs], shape)
        between = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}[style]
        ((key, value),) = pairs
        assert key == name
        return _listed([unquote(each) for each in value.split(between)], shape)
    value = request.headers[name] if is_header else request.path.split("/")[2]
    first = {"simple": "", "label": ".", "matrix": ";"}[style]
    assert value.startswith(first)
    parts = value.removeprefix(first).split({"simple": ",", "label": ".", "matrix": ";"}[style] if explode else ",")
    if style == "matrix":
        pairs = [part.split("=") for part in parts] if explode else [value.removeprefix(first).split("=")]
        if explode:
            return _shaped([unquote(each) for _, each in pairs], [key for key, _ in pairs], shape)
        ((key, joined),) = pairs
        assert key == name
        return _listed([unquote(each) for each in joined.split(",")], shape)
    if explode and isinstance(shape, dict):
        return {plain(key): plain(each) for key, each in (part.split("=") for part in parts)}
    return _listed([plain(each) for each in parts], shape)


def _shaped(values: Sequence[str], names: Sequence[str], shape: Any) -> Any:
    if isinstance(shape, dict):
        return dict(zip(names, values, strict=True))
    assert set(names) == {"colour"}
    return list(values) if isinstance(shape, list) else values[0]


def _listed(values: Sequence[str], shape: Any) -> Any:
    if isinstance(shape, dict):
        return dict(zip(values[::2], values[1::2], strict=True))
    return list(values) if isinstance(shape, list) else ",".join(values)


def as_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: str(each) for key, each in value.items()}
    return [str(each) for each in value] if isinstance(value, list) else str(value)


def test_parameters_of_an_openapi_document(listener: Listener, call: Call, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    parameters = [parameter(chance) for _ in range(3 * NUMBER)]
    paths = {
        f"/{number}/{'{colour}' if keys['in'] == 'path' else 'a'}/end": {"get": {"parameters": [keys]}}
        for number, keys in enumerate(parameters)
    }
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps({"paths": paths, "openapi": "3.1.1"}))
    for keys, ours in zip(parameters, sent_again(call, listener, tmp_path, file, len(parameters)), strict=True):
        assert read_back(keys, ours) == as_texts(keys["example"]), (keys, ours.path, ours.headers)


@pytest.mark.parametrize("pairs", [{"a": "x y", "b": ["1&2", "é"]}])
def test_a_form_of_an_openapi_document(listener: Listener, call: Call, tmp_path: Path, pairs: dict[str, Any]) -> None:
    media = {"application/x-www-form-urlencoded": {"example": pairs}}
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps({"openapi": "3.1.1", "paths": {"/0": {"post": {"requestBody": {"content": media}}}}}))
    (ours,) = sent_again(call, listener, tmp_path, file, 1)
    assert parse_qsl(ours.body.decode()) == [("a", "x y"), ("b", "1&2"), ("b", "é")]
