"""The charts' script in the page: the bundle that is committed."""

import hashlib
from pathlib import Path

import pytest

from fairtrial.report import page


def test_it_is_made_of_what_lies_beside_it() -> None:
    """After a change of report.js or of a pinned package: `make charts`."""
    made_of = [page.BUNDLE.with_name(name).read_bytes() for name in ("report.js", "package-lock.json")]
    assert f"Made of {hashlib.sha256(b''.join(made_of)).hexdigest()} " in page.BUNDLE.read_text().partition("\n")[0]


def test_nothing_in_it_can_end_its_element(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.js"
    bundle.write_text("/* </script> */")
    monkeypatch.setattr(page, "BUNDLE", bundle)
    assert page._script.__wrapped__() == "/* \\x3c/script> */"
