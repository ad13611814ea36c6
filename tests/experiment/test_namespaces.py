"""Files, host names and networks of programs that run untouched: what can be said, and what is refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from fairtrial.experiment.contenders import Contender

PROGRAM = {"directory": ".", "command": ["./shop"]}


@pytest.mark.parametrize(
    "said",
    [
        {"files": {"/data/items.json": "../items.json", "/data/items.json.d": "folder", "/certs": "/srv/certs"}},
        {"files": {"/etc/hosts": "hosts"}},
        {"hosts": {"tfb-database": "127.0.0.1", "cache_1.shop.internal": "::1"}},
        {"network": "own", "port": 8080, "files": {"/process": "x"}, "hosts": {"db": "127.0.0.1"}},
    ],
)
def test_what_a_program_finds_can_be_said(said: dict[str, Any]) -> None:
    contender = Contender.model_validate(PROGRAM | said)
    assert {name: getattr(contender.origin, name) for name in said} == said


@pytest.mark.parametrize(
    "said",
    [
        {"files": {"data/items.json": "x"}},
        {"files": {"/": "x"}},
        {"files": {"/data/../etc/passwd": "x"}},
        {"files": {"/data/": "x"}},
        {"files": {"//data": "x"}},
        {"files": {"/data=1": "x"}},
        {"files": {"/data\n": "x"}},
        {"files": {"/proc/cpuinfo": "x"}},
        {"files": {"/dev": "x"}},
        {"files": {"/data": ""}},
        {"files": {"/data/items.json": "x", "/data": "y"}},
        {"hosts": {"a b": "127.0.0.1"}},
        {"hosts": {"db\n127.0.0.1 other": "127.0.0.1"}},
        {"hosts": {"db=x": "127.0.0.1"}},
        {"hosts": {"db": "localhost"}},
        {"hosts": {"db": "fe80::1%eth0 x"}},
        {"hosts": {"db": "127.0.0.1"}, "files": {"/etc/hosts": "hosts"}},
        {"network": "mine"},
    ],
)
def test_what_cannot_be_done_is_refused(said: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(ValidationError) as error:
        Contender.model_validate(PROGRAM | said)
    assert [each["msg"] for each in error.value.errors()] == snapshot


@pytest.mark.parametrize(
    "described",
    [{"url": "http://127.0.0.1:1", "network": "own"}, {"folder": ".", "hosts": {"db": "127.0.0.1"}}],
)
def test_it_is_said_where_the_program_is_described(described: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(ValidationError) as error:
        Contender.model_validate(described)
    assert [each["msg"] for each in error.value.errors()] == snapshot
