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
    ("said", "words"),
    [
        ({"files": {"data/items.json": "x"}}, "write an absolute path"),
        ({"files": {"/": "x"}}, "write an absolute path"),
        ({"files": {"/data/../etc/passwd": "x"}}, "write an absolute path"),
        ({"files": {"/data/": "x"}}, "write an absolute path"),
        ({"files": {"//data": "x"}}, "write an absolute path"),
        ({"files": {"/data=1": "x"}}, "without `=`"),
        ({"files": {"/data\n": "x"}}, "printable characters"),
        ({"files": {"/proc/cpuinfo": "x"}}, "nothing can be put below /proc"),
        ({"files": {"/dev": "x"}}, "nothing can be put below /proc"),
        ({"files": {"/data": ""}}, "name the file"),
        ({"files": {"/data/items.json": "x", "/data": "y"}}, "/data/items.json: /data is put above it"),
        ({"hosts": {"a b": "127.0.0.1"}}, "a host name has letters"),
        ({"hosts": {"db\n127.0.0.1 other": "127.0.0.1"}}, "a host name has letters"),
        ({"hosts": {"db=x": "127.0.0.1"}}, "a host name has letters"),
        ({"hosts": {"db": "localhost"}}, "'localhost' is no IP address"),
        ({"hosts": {"db": "fe80::1%eth0 x"}}, "leave the interface out"),
        ({"hosts": {"db": "127.0.0.1"}, "files": {"/etc/hosts": "hosts"}}, "hosts: `files` has /etc/hosts"),
        ({"network": "mine"}, "Input should be 'own'"),
    ],
)
def test_what_cannot_be_done_is_refused(said: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError) as error:
        Contender.model_validate(PROGRAM | said)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("described", "words"),
    [
        ({"url": "http://127.0.0.1:1", "network": "own"}, "network: what runs at `url` is not started"),
        ({"folder": ".", "hosts": {"db": "127.0.0.1"}}, "hosts: without `command`, the stack.toml"),
    ],
)
def test_it_is_said_where_the_program_is_described(described: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Contender.model_validate(described)
