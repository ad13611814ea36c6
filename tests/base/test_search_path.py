"""Programs of administrators are found by a user's lab."""

import os

import pytest

from fairtrial.base.search_path import search_administrators_folders


def test_a_plain_user_of_debian_finds_what_is_in_sbin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/home/me/bin:/usr/bin:/bin:/usr/bin")
    search_administrators_folders()
    assert os.environ["PATH"] == "/home/me/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"


def test_the_order_of_roots_path_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    monkeypatch.setenv("PATH", path)
    search_administrators_folders()
    assert os.environ["PATH"] == path
    monkeypatch.delenv("PATH")
    search_administrators_folders()
    assert os.environ["PATH"].startswith(os.defpath)
