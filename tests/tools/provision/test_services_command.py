"""`fairtrial services`: which services are installed, and installing others."""

import io
import os
import stat
from pathlib import Path

import pytest
from rich.console import Console

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Missing
from fairtrial.tools.provision.install import install_services
from fairtrial.tools.provision.inventory import inventory as found
from fairtrial.tools.provision.inventory import pick_provided, print_inventory, provided
from tests.command_line import Lab


def inventory() -> str:
    """What `fairtrial services` prints."""
    output = io.StringIO()
    print_inventory(Console(file=output, width=140), found())
    return output.getvalue()


@pytest.fixture
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is on PATH, so nothing is installed as far as anybody can tell."""
    monkeypatch.setenv("PATH", str(tmp_path))


def test_every_service_is_listed_with_its_variants() -> None:
    output = inventory()
    for name, service in provided().items():
        assert name in output
        for variant in getattr(service, "variants", {}):
            assert variant in output


def test_a_missing_service_is_named_with_its_package(empty_path: None) -> None:
    output = inventory()
    assert "package redis-server" in " ".join(output.split())
    assert "fairtrial services install" in output


def test_the_command_lists_and_installs_nothing_twice(lab: Lab) -> None:
    assert "sqlite" in lab.fairtrial("services").out
    finished = lab.fairtrial("services", "install", "sqlite", "none")
    assert finished.status == 0
    assert "SQLite" in finished.out


def test_an_unknown_service_is_an_error(lab: Lab) -> None:
    finished = lab.fairtrial("services", "install", "oracle")
    assert finished.status == 2
    assert "postgresql" in finished.err


def test_installing_needs_a_package_manager(empty_path: None) -> None:
    with pytest.raises(Problem, match=r"redis-server.*no apt-get"):
        install_services(Console(quiet=True), [pick_provided("redis")])


def test_a_package_manager_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for sudo, so that nothing of the system is touched: it runs nothing and fails."""
    for name, status in (("apt-get", 0), ("sudo", 7)):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\nexit {status}\n")
        program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    nginx = pick_provided("nginx")
    assert isinstance(nginx.missing(), Missing)
    with pytest.raises(Problem, match="status 7"):
        install_services(Console(quiet=True), [nginx])
