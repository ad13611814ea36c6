"""Lock files, and the files beside them that say which versions may be locked, read as pieces: most of them lines, each
of one package or of none. Written one after the other, the pieces are the file.

Sources: pip, Requirements File Format; Go Modules Reference, go.mod and go.sum; npm, package-lock.json (lockfileVersion
1 to 3); Bundler, lib/bundler/lockfile_parser.rb; the lock files that Cargo, uv and Poetry write.
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

GO = "Go"

RANGES = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
"""Keys of package.json: by package, the versions that it may have."""

OWN_SOURCES = frozenset({"editable", "virtual", "directory", "path"})
"""Of uv.lock: keys of the `source` of a package that is the project's own."""

PIN = re.compile(r"([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[[^]]*\]\s*)?={2,3}\s*([\w.!+*-]+)")
REQUIREMENT = re.compile(r"\s*(?:require\s+)?([^\s()/][^\s()]*)\s+(v\S+)")
GEM_SPEC = re.compile(r" {4}([\w.-]+) \(([^)]+)\)")
GEM_NAME = re.compile(r" {2}([\w.-]+)")
GEM = re.compile(r"""\s*gem[ (]\s*["']([\w.-]+)["']""")
TABLE = re.compile(r"\[.*?dependencies(?:\.[\"']?([\w-]+)[\"']?)?\]")
CRATE = re.compile(r"([\w-]+)[\w.\s-]*=")
IN_NODE_MODULES = re.compile(r"node_modules/((?:@[^/]+/)?[^/]+)")


@dataclass(frozen=True)
class Piece:
    """A part of a file."""

    section: str
    package: str | None
    version: str
    """empty: this piece does not say it"""
    text: str


@dataclass(frozen=True)
class LockFormat:
    """How a file is read and written. A package is switched in all files of its language at once."""

    language: str
    read: Callable[[str], Iterable[Piece]]
    write: Callable[[Iterable[str]], str] = "".join
    unless_with: str = ""
    """a file beside it: if it changed too, its tool refuses a lock file that is switched in part"""
    is_union: bool = False
    """Whether it may have lines of packages that are not used: in between it has the old ones and the new ones."""

    @property
    def is_json(self) -> bool:
        """Whether the pieces are parts of one JSON document."""
        return self.write is write_json


def format_of(path: str) -> LockFormat | None:
    """How a file of this name is read; None: it is neither a lock file nor what stands beside one."""
    name = PurePosixPath(path).name
    return next((each for pattern, each in FORMATS.items() if fnmatchcase(name, pattern)), None)


def usual_name(name: str) -> str:
    """A package's name as Python compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_requirements(text: str) -> Iterator[Piece]:
    """Read requirements.txt: lines with one version, with what continues them, and comments that are indented below."""
    package, version, continues = None, "", False
    for line in _lines(text):
        if not continues and not re.match(r"[ \t]+#", line):
            pin = PIN.match(line)
            package, version = (usual_name(pin[1]), pin[2]) if pin else (None, "")
        continues = line.rstrip().endswith("\\")
        yield Piece("", package, version, line)


def read_go_mod(text: str) -> Iterator[Piece]:
    """Read go.mod: its requirements, block by block."""
    section, blocks = "", 0
    for line in _lines(text):
        bare = line.split("//")[0].strip()
        module = REQUIREMENT.match(line) if section or bare.startswith("require ") else None
        if re.fullmatch(r"require\s*\(", bare):
            blocks += 1
            section = f"block {blocks}"
            yield Piece(section, None, "", line)
        elif module:
            yield Piece(section, module[1], module[2], line)
        else:
            section = "" if bare == ")" else section
            yield Piece(section, None, "", line)


def read_lines(text: str) -> Iterator[Piece]:
    """Lines of no package."""
    for line in _lines(text):
        yield Piece("", None, "", line)


def read_gemfile_lock(text: str) -> Iterator[Piece]:
    """Read Gemfile.lock: the gems of its GEM sections with what they depend on, and their lines in DEPENDENCIES and
    CHECKSUMS. Gems of a folder or a repository have none."""
    section, package, times = "", None, Counter[str]()
    for line in _lines(text):
        version = ""
        if line[:1].strip():
            times[line.strip()] += 1
            section, package = f"{line.strip()} {times[line.strip()]}", None
        elif section.startswith("GEM "):
            spec = GEM_SPEC.match(line)
            package, version = (
                (spec[1], spec[2].split("-")[0]) if spec else (package if line.startswith(" " * 6) else None, "")
            )
        elif section.startswith(("DEPENDENCIES ", "CHECKSUMS ")):
            name = GEM_NAME.match(line)
            package = name[1] if name else None
        else:
            package = None
        yield Piece(section, package, version, line)


def read_gemfile(text: str) -> Iterator[Piece]:
    """Read Gemfile: its calls of `gem`."""
    package, continues = None, False
    for line in _lines(text):
        if not continues:
            gem = GEM.match(line)
            package = gem[1] if gem else None
        continues = package is not None and line.rstrip().endswith(",")
        yield Piece("", package, "", line)


def read_cargo_toml(text: str) -> Iterator[Piece]:
    """Read Cargo.toml: the keys of its tables of dependencies, and such tables of one package."""
    section, of_table, package, depth, in_dependencies = "", None, None, 0, False
    for line in _lines(text):
        if depth == 0 and line.startswith("["):
            table = TABLE.match(line)
            section, in_dependencies, of_table = line.strip(), table is not None, table[1] if table else None
            package = of_table
        else:
            if depth == 0:
                key = CRATE.match(line) if in_dependencies else None
                package = of_table or (key[1] if key else None)
            depth = max(depth + sum(map(line.count, "[{")) - sum(map(line.count, "]}")), 0)
        yield Piece("" if of_table else section, package, "", line)


def read_toml_packages(text: str) -> Iterator[Piece]:
    """Read lock files of Cargo, uv and Poetry: the tables `[[package]]`, each with the empty lines above it. What is
    the project's own, which has no source or one of its folders, is of no package.

    Raises:
        ValueError: a table is no TOML, or has no name.
    """
    blocks: list[tuple[list[str], bool]] = [([], False)]
    for line in _lines(text):
        if line.startswith("[") and not re.match(r"\[\[?package\.", line):
            above, empty = blocks[-1][0], list[str]()
            while above and not above[-1].strip():
                empty.insert(0, above.pop())
            blocks.append((empty, line.startswith("[[package]]")))
        blocks[-1][0].append(line)
    for lines, is_package in blocks:
        if is_package:
            block = "".join(lines)
            (entry,) = tomllib.loads(block)["package"]
            source = entry.get("source", "files" in entry)
            is_own = not source or (
                isinstance(source, dict) and (bool(OWN_SOURCES & source.keys()) or source.get("type") == "directory")
            )
            name, version = str(entry["name"]), str(entry.get("version", ""))
            yield Piece("", None if is_own else name, "" if is_own else version, block)
        else:
            yield from read_lines("".join(lines))


def read_npm(text: str) -> Iterator[Piece]:
    """Read package.json: its ranges of versions; of package-lock.json also its entries, those below a package with it.

    The pieces are parts of the document as documents.
    """
    document = json.loads(text)
    tables: list[tuple[str, ...]] = [(key,) for key in RANGES]
    if "lockfileVersion" in document:
        tables = [("dependencies",), ("packages",), *(("packages", "", key) for key in RANGES)]
    parts = []
    for place in tables:
        table: Any = document
        for key in place:
            table = table.get(key, {})
        for key in list(table):
            path = IN_NODE_MODULES.search(key)
            if place == ("packages",) and path is None:
                continue
            name, entry = path[1] if path else key, table.pop(key)
            is_above = key.count("node_modules/") < 2
            version = str(entry.get("version", "")) if isinstance(entry, dict) and is_above else ""
            for each in (key, *reversed(place)):
                entry = {each: entry}
            parts.append(Piece("", name, version, json.dumps(entry, indent=0)))
    yield Piece("", None, "", json.dumps(document))
    yield from parts


def write_json(parts: Iterable[str]) -> str:
    """A document of its parts."""
    document: dict[str, Any] = {}
    for part in parts:
        _add(document, json.loads(part))
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _add(document: dict[str, Any], part: Mapping[str, Any]) -> None:
    for key, value in part.items():
        if isinstance(value, dict) and isinstance(document.get(key), dict):
            _add(document[key], value)
        else:
            document[key] = value


def _lines(text: str) -> list[str]:
    """With their ends."""
    return [f"{line}\n" for line in text.split("\n")[:-1]]


FORMATS: Mapping[str, LockFormat] = {
    "*requirements*.txt": LockFormat("Python", read_requirements),
    "*requirements*.lock": LockFormat("Python", read_requirements),
    "uv.lock": LockFormat("Python", read_toml_packages, unless_with="pyproject.toml"),
    "poetry.lock": LockFormat("Python", read_toml_packages, unless_with="pyproject.toml"),
    "go.mod": LockFormat(GO, read_go_mod),
    "go.sum": LockFormat(GO, read_lines, is_union=True),
    "package-lock.json": LockFormat("JavaScript", read_npm, write_json),
    "npm-shrinkwrap.json": LockFormat("JavaScript", read_npm, write_json),
    "package.json": LockFormat("JavaScript", read_npm, write_json),
    "Gemfile.lock": LockFormat("Ruby", read_gemfile_lock),
    "Gemfile": LockFormat("Ruby", read_gemfile),
    "Cargo.lock": LockFormat("Rust", read_toml_packages),
    "Cargo.toml": LockFormat("Rust", read_cargo_toml),
}
"""By pattern of a file's name; before what says which versions may be locked, what says which are."""
