"""the-benchmarker/web-frameworks: `config.yaml` of an entry, of its language and of the collection, merged as its
Rakefile does, and a Dockerfile of the language, which is a template of Mustache."""

import platform
from pathlib import Path
from typing import Any

from fairtrial.base.problem import Problem
from fairtrial.base.registry import pick
from fairtrial_adopt.boards import BoardReader
from fairtrial_adopt.described import file_within, slug_of, table_at, table_of, text_of
from fairtrial_adopt.entry import Entry, EntryExamination
from fairtrial_adopt.mustache import render

NAME = "the-benchmarker"
PORT = 3000
APART = {"version", "engines", "website", "github"}
"""Keys of a language or a framework that say nothing about its image."""
MACHINES = {"aarch64": "arm64"}


def read(folder: Path, engine: str) -> Entry:
    """The entry of this folder with an engine; empty: with its first.

    Raises:
        Problem: it has no such engine, or its language has no Dockerfile.
    """
    above = [folder.parents[1], folder.parent, folder]
    config: dict[str, Any] = {}
    for each in above:
        config = _merged(config, table_of(each / "config.yaml"))
    framework, language = table_at(config, "framework"), table_at(config, "language")
    engines = _engines(framework.get("engines") or [], table_at(language, "engines"))
    name = engine or next(iter(engines), "")
    choice = pick("engine", name, engines)
    taken_out = {key for key, value in table_at(table_of(folder / "config.yaml"), "framework").items() if value is None}
    keys = _keys({key: value for key, value in language.items() if key not in taken_out}, framework, choice)
    template = next((each for each in (f"{name}.Dockerfile", "Dockerfile") if (folder.parent / each).is_file()), None)
    if template is None:
        raise Problem(f"{folder.parent.name} has no Dockerfile", "adopt one of another language")
    values = config | keys | {key: _files(folder, name, keys.get(key) or []) for key in ("files", "static_files")}
    values["environment"] = [f"{key}={value}" for key, value in table_at(values, "environment").items()]
    compiler = language.get("compiler")
    values["language"] = {**language, "compiler": {str(compiler): True}} if compiler else language
    architecture = MACHINES.get(platform.machine(), "amd64")
    values |= {"arch": platform.machine(), "architecture": architecture}
    values["if"] = {"arch": {platform.machine(): True}, "architecture": {architecture: True}}
    first = not engine or engine == next(iter(engines))
    return Entry(
        board=NAME,
        name=slug_of(NAME, folder.parent.name, folder.name, "" if first else name),
        title=f"{folder.name} on {name}",
        language=folder.parent.name,
        folder=folder,
        dockerfile=render(text_of(file_within(folder.parent, template)), values),
        port=PORT,
        examinations=(EntryExamination(name="web-frameworks", workload="web-frameworks", paths={"/": "/"}),),
    )


def _merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    both = {key: _merged(old[key], new[key]) for key in new if isinstance(old.get(key), dict) and _is_table(new[key])}
    return old | new | both


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _engines(names: list[Any], by_name: dict[str, Any]) -> dict[str, Any]:
    """The engines of an entry by name: of its language, or described where they are named."""
    engines: dict[str, Any] = {}
    for each in names:
        engines |= each if isinstance(each, dict) else {str(each): by_name.get(str(each)) or {}}
    return engines


def _keys(*tables: Any) -> dict[str, Any]:
    """The keys of an image from its language, framework and engine, merged as the collection does it.

    Lists are joined. The first text under a key stays. A later table has precedence over an earlier one.
    """
    keys: dict[str, Any] = {}
    for key, value in ((key, value) for table in tables for key, value in (table or {}).items()):
        if key in APART or value is None:
            continue
        if isinstance(value, list):
            keys[key] = list(dict.fromkeys([*keys.get(key, []), *value]))
        elif isinstance(value, dict) or key not in keys:
            keys[key] = value
    return keys


def _files(folder: Path, engine: str, patterns: list[Any]) -> list[dict[str, str]]:
    """The files that patterns find, each once; in the folder `.ENGINE` may lie another in its place."""
    names = dict.fromkeys(
        str(file.relative_to(folder))
        for pattern in patterns
        for file in sorted(folder.glob(str(pattern)))
        if file.is_file() and not str(file.relative_to(folder)).startswith(".")
    )
    return [
        {"source": f".{engine}/{name}" if (folder / f".{engine}" / name).is_file() else name, "target": name}
        for name in names
    ]


BOARD = BoardReader(NAME, "config.yaml", read)
