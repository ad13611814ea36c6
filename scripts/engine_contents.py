"""`python scripts/engine_contents.py TARGET FOLDER`: writes what a target's programs in that folder have inside.

`engine.cdx.json` is a bill of materials in CycloneDX 1.6; `LICENSES.txt` has the licences of all that is in it.
"""

import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ENGINE = Path(__file__).resolve().parents[1] / "engine"
LICENCE_FILES = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*", "COPYRIGHT*", "UNLICENSE*")
Package = Mapping[str, Any]


def main(target: str, folder: Path) -> None:
    """Write both files into the folder."""
    packages, dependencies = contents(target, folder)
    others = libraries(target)
    text = json.dumps(bill(packages, dependencies, others), indent=1)
    (folder / "engine.cdx.json").write_text(text + "\n", encoding="utf-8")
    (folder / "LICENSES.txt").write_text(licences([*packages, *others]), encoding="utf-8")


def contents(target: str, folder: Path) -> tuple[list[Package], dict[str, list[str]]]:
    """The packages that are linked into the programs, and by identifier those that each of them depends on.

    What runs while they are compiled is no part of them: macros, and dependencies of build scripts.
    """
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--filter-platform", target]
    metadata = json.loads(subprocess.check_output(command, cwd=ENGINE))
    packages = {package["id"]: package for package in metadata["packages"]}
    linked: dict[str, list[str]] = {}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [each for each in metadata["workspace_members"] if (folder / packages[each]["name"]).exists()]
    while waiting:
        identifier = waiting.pop()
        if identifier not in linked:
            linked[identifier] = sorted(
                each["pkg"]
                for each in nodes[identifier]["deps"]
                if any(kind["kind"] is None for kind in each["dep_kinds"]) and not is_macro(packages[each["pkg"]])
            )
            waiting += linked[identifier]
    return [packages[each] for each in sorted(linked)], linked


def is_macro(package: Package) -> bool:
    """Whether the compiler runs it, and links nothing of it."""
    return any("proc-macro" in target["kind"] for target in package["targets"])


def libraries(target: str) -> list[Package]:
    """What is linked in that is no package of cargo's: Rust's own library and, where zig links, what comes with zig."""
    rust_version = subprocess.check_output(["rustc", "--version"], text=True).split()[1]
    rust = Path(subprocess.check_output(["rustc", "--print", "sysroot"], text=True).strip()) / "share/doc/rust/licenses"
    linked = [library("rust-std", rust_version, "MIT OR Apache-2.0", rust / "MIT.txt", rust / "Apache-2.0.txt")]
    zig = find_spec("ziglang")
    if zig is not None and zig.origin is not None:
        folder, zig_version = Path(zig.origin).parent, version("ziglang")
        unwind = folder / "lib/libunwind/LICENSE.TXT"
        linked.append(library("zig", zig_version, "MIT", folder / "LICENSE"))
        linked.append(library("libunwind", f"zig-{zig_version}", "Apache-2.0 WITH LLVM-exception", unwind))
        if target.endswith("-musl"):
            musl = folder / "lib/libc/musl"
            number = re.findall(r'VERSION "(.*)"', (musl / "src/internal/version.h").read_text(encoding="utf-8"))
            linked.append(library("musl", number[0], "MIT", musl / "COPYRIGHT"))
    return linked


def library(name: str, number: str, licence: str, *licence_files: Path) -> Package:
    """A library in the words of `cargo metadata`, as far as they are read here."""
    return {"id": name, "name": name, "version": number, "license": licence, "licence_files": licence_files}


def bill(packages: list[Package], dependencies: Mapping[str, list[str]], others: list[Package]) -> dict[str, object]:
    """The bill of materials: without an hour and a number of its own, so that the same contents give the same bytes."""
    locked = tomllib.loads((ENGINE / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    sha256 = {(each["name"], each["version"]): each.get("checksum") for each in locked}
    urls = {package["id"]: f"pkg:cargo/{package['name']}@{package['version']}" for package in packages}
    components = [component(package, urls[package["id"]], sha256) for package in packages]
    engine = next(each for each in components if each["name"] == "fairtrial-engine")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**engine, "type": "application"}},
        "components": [
            *(each for each in components if each is not engine),
            *(described(each, f"{each['name']}@{each['version']}") for each in others),
        ],
        "dependencies": [
            {"ref": urls[package["id"]], "dependsOn": [urls[each] for each in dependencies[package["id"]]]}
            for package in packages
        ],
    }


def component(package: Package, url: str, sha256: Mapping[tuple[str, str], str | None]) -> dict[str, object]:
    """A package of cargo's in the words of CycloneDX."""
    checksum = sha256[package["name"], package["version"]]
    hashes = {"hashes": [{"alg": "SHA-256", "content": checksum}]} if checksum else {}
    return {**described(package, url), **hashes, "purl": url}


def described(package: Package, reference: str) -> dict[str, object]:
    """What is said of everything that is linked in."""
    return {
        "type": "library",
        "bom-ref": reference,
        "name": package["name"],
        "version": package["version"],
        "licenses": [{"expression": (package["license"] or "Apache-2.0").replace("/", " OR ")}],
    }


def licences(packages: list[Package]) -> str:
    """Each text once, below the names of the packages that have it."""
    names = defaultdict(list)
    for package in packages:
        title = f"{package['name']} {package['version']} ({package['license'] or 'Apache-2.0'})"
        for text in texts(package) or texts_of_repository(package, packages):
            names[text].append(title)
    return "\n".join(f"== {', '.join(titles)}\n\n{text}" for text, titles in names.items())


def texts(package: Package) -> list[str]:
    """The licences in a package's folder; the project's own lies beside the engine."""
    if (named := package.get("licence_files")) is None:
        folder = ENGINE.parent if package["source"] is None else Path(package["manifest_path"]).parent
        named = sorted({path for pattern in LICENCE_FILES for path in folder.glob(pattern)})
    return [path.read_text(encoding="utf-8", errors="replace").strip() + "\n" for path in named if path.is_file()]


def texts_of_repository(package: Package, packages: list[Package]) -> list[str]:
    """The licences of another package of the same repository, for one that is published without them."""
    origin = (package["license"], package.get("repository"))
    others = (each for each in packages if (each["license"], each.get("repository")) == origin)
    return next(filter(None, map(texts, others)), []) if package.get("repository") else []


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
