"""The workload of a board for one entry: a shipped file, with the entry's paths, and without what it lacks."""

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairtrial.base.locations import shipped
from fairtrial_adopt.entry import EntryExamination
from fairtrial_import.toml_text import inline, table_lines

METHODS = ("get", "post")


def write_workload(examination: EntryExamination, folder: Path) -> Path:
    """Write the workload file and the files that it names into a folder, and return it."""
    shipped_folder = shipped("examples") / "public-entries"
    text = (shipped_folder / f"{examination.workload}.workload.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    requests = {name: each for name, each in table["requests"].items() if _is_asked(each, examination.paths)}
    table["requests"] = requests
    table["rows"] = {name: rows for name, rows in table.get("rows", {}).items() if f"{{{{row {name} " in str(requests)}
    table.setdefault("data", dict(examination.data))
    first = next(each[method] for each in requests.values() for method in METHODS if method in each)
    ready = table["ready"]["path"]
    table["ready"]["path"] = _own_path(ready, examination.paths) or first
    lines = [f"{name} = {inline(table[name])}" for name in ("title", "ready", "data") if table.get(name)]
    lines += ["", *table_lines(["defaults"], table["defaults"])]
    for kind in ("rows", "requests", "audit"):
        for name, values in table.get(kind, {}).items():
            lines += ["", *table_lines([kind, name], values)]
    file = folder / f"{examination.name}.workload.toml"
    text = "\n".join(lines) + "\n"
    file.write_text(text, encoding="utf-8")
    for beside in shipped_folder.iterdir():
        if beside.suffix in (".csv", ".sql", ".json", ".html") and beside.name in text:
            shutil.copyfile(beside, folder / beside.name)
    return file


def _is_asked(request: dict[str, Any], paths: Mapping[str, str]) -> bool:
    """Whether an entry is asked this request, which then has the entry's own path."""
    method = next(each for each in METHODS if each in request)
    path = _own_path(request[method], paths)
    if path is not None:
        request[method] = path
    return path is not None


def _own_path(path: str, paths: Mapping[str, str]) -> str | None:
    """The path with the entry's own beginning; None: it has none for it."""
    beginning = max((each for each in paths if path.startswith(each)), key=len, default=None)
    return None if beginning is None else paths[beginning] + path.removeprefix(beginning)
