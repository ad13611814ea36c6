"""Variants behind nginx: how nginx reaches the server is all in which a variant and its `-tcp` differ."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.folder import ready
from fairtrial.catalog.stacks.model import Variant
from fairtrial.catalog.stacks.requests import BuildRequest, StartRequest
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.catalog.stacks.run import RunningStack, start_process
from tests.machine.needs import needs, skip_without

STACKS = find_stacks()


@contextmanager
def running(name: str, variant: str, folder: Path) -> Iterator[RunningStack]:
    """One of a stack's variants without a database, which works on one request at a time."""
    skip_without(name)
    stack = STACKS[name]
    built = ready(BuildRequest(stack, folder / "log", lambda: None, versions=installed_versions(stack))).folder
    settings = {"WEB_CONCURRENCY": "1", "MAX_THREADS": "1", "MAX_CONCURRENCY": "1"}
    started = start_process(
        StartRequest(
            stack, stack.variants.get(variant, Variant()), built, settings=settings, cpus=[], log=folder / "log"
        )
    )
    try:
        yield started
    finally:
        started.process.stop()


@needs("nginx")
@pytest.mark.parametrize(
    ("name", "variant"),
    [("python-flask", "sync"), ("ruby-rails", "puma-nginx"), ("ruby-rails", "thin-nginx")],
)
def test_a_variant_and_its_tcp_differ_in_the_socket_behind_nginx(
    cache: Path, tmp_path: Path, name: str, variant: str
) -> None:
    for reached, tcp_ports in ((variant, 0), (f"{variant}-tcp", 1)):
        with running(name, reached, tmp_path) as stack:
            answer = httpx.get(f"{stack.url}/plaintext", trust_env=False)
            listening = stack.listening()

        assert answer.headers["server"].startswith("nginx/"), reached
        assert answer.text == "Hello, World!"
        assert ("127.0.0.1", stack.port) in listening
        assert len(listening) == 1 + tcp_ports, (reached, listening)


@needs("nginx")
def test_nginx_alone_serves_files_and_leaves_none_of_its_own_behind(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))

    with running("nginx-static", "default", tmp_path) as stack:
        assert httpx.get(f"{stack.url}/plaintext", trust_env=False).text == "Hello, World!"
        assert len(list(temporary.iterdir())) == 1

    assert list(temporary.iterdir()) == []
