"""Documents from which requests can be imported are found, and others are not taken for them."""

import shutil
from pathlib import Path

from fairtrial_init.documents import documents_in
from fairtrial_init.project_folder import ProjectFolder
from tests.fairtrial_import.imported import DATA


def test_a_document_of_the_service_comes_first(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    shutil.copy(next(DATA.glob("*.har")), tmp_path / "a.har")
    shutil.copy(next(DATA.glob("*.yaml")), tmp_path / "docs/openapi.yaml")
    (tmp_path / "swagger.json").write_text("{}")
    (tmp_path / "notes.http").write_bytes(b"\xff\x00")
    (tmp_path / "items.yaml").write_text("openapi: 3.1.0")
    assert documents_in(ProjectFolder(tmp_path)) == ["docs/openapi.yaml", "a.har"]
