"""Signed records, by the real ssh-keygen."""

import subprocess
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.tools.pool.signatures import signer_of
from tests.lines import passage
from tests.machine.needs import needs

pytestmark = needs("ssh-keygen")


def ssh_keygen(*arguments: object) -> None:
    subprocess.run(["ssh-keygen", *map(str, arguments)], check=True, capture_output=True, timeout=30)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder whose record is signed by ada, whom `allowed` allows."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run/record.jsonl").write_text('{"kind": "experiment"}\n')
    for who in ("ada", "eve"):
        ssh_keygen("-q", "-t", "ed25519", "-N", "", "-C", who, "-f", tmp_path / who)
    key = (tmp_path / "ada.pub").read_text()
    (tmp_path / "allowed").write_text(f"ada@example.org {key}")
    ssh_keygen("-Y", "sign", "-n", "fairtrial", "-f", tmp_path / "ada", tmp_path / "run/record.jsonl")
    return tmp_path / "run"


def test_the_signer_is_named(place: Path) -> None:
    assert signer_of(place, place.parent / "allowed") == "ada@example.org"


def test_a_record_that_was_changed_is_not_hers(place: Path, snapshot: object) -> None:
    (place / "record.jsonl").write_text('{"kind": "forged"}\n')
    with pytest.raises(Problem) as error:
        signer_of(place, place.parent / "allowed")
    assert passage(str(error.value), "no signature of", "by anybody") == snapshot


def test_a_signature_by_somebody_else_or_for_something_else_is_none(place: Path) -> None:
    record, signature = place / "record.jsonl", place / "record.jsonl.sig"
    for key, namespace in (("eve", "fairtrial"), ("ada", "file")):
        signature.unlink()
        ssh_keygen("-Y", "sign", "-n", namespace, "-f", place.parent / key, record)
        with pytest.raises(Problem, match="no signature"):
            signer_of(place, place.parent / "allowed")


def test_without_a_signature_the_remedy_says_how_to_make_one(place: Path) -> None:
    (place / "record.jsonl.sig").unlink()
    with pytest.raises(Problem, match="is not signed") as refused:
        signer_of(place, place.parent / "allowed")
    assert "ssh-keygen -Y sign -n fairtrial" in refused.value.remedy
