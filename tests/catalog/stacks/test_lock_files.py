"""What changes in lock files, package by package: texts in which only some are switched."""

import json
import random
import tomllib
from typing import Any

import pytest

from fairtrial.catalog.stacks.lock_files import LockChange, merge
from fairtrial.catalog.stacks.lock_formats import FORMATS, read_requirements


def change_of(**files: tuple[str, str]) -> LockChange:
    """Of files by name, each as it was and as it is; __ stands for a dot."""
    named = {name.replace("__", "."): sides for name, sides in files.items()}
    before, after = ({name: sides[side] for name, sides in named.items()} for side in (0, 1))
    return LockChange(before, after, list(named))


def changes(change: LockChange) -> list[str]:
    return [", ".join(switch.changes) for switch in change.switches]


REQUIREMENTS = """\
# made by pip-compile
-i https://example.invalid/simple
fastapi[standard]==0.110.0 ; python_version >= "3.8" \\
    --hash=sha256:aa \\
    --hash=sha256:ab
    # via -r requirements.in
h11 == 0.13.0
    # via uvicorn
HTTP_tools==0.6.1 \\
    --hash=sha256:ba  # fast
uvicorn==0.29.0
loose>=1
"""


def test_pinned_lines_are_switched_one_at_a_time_with_all_that_belongs_to_them() -> None:
    after = REQUIREMENTS.replace("0.110.0", "0.111.0").replace(":aa", ":ca").replace("0.6.1", "0.6.4")
    after = after.replace(":ba", ":da").replace("loose>=1", "loose>=2")
    change = change_of(requirements__txt=(REQUIREMENTS, after))
    assert changes(change) == ["fastapi 0.110.0 to 0.111.0", "http-tools 0.6.1 to 0.6.4"]
    assert change.texts([]) == {}
    first = change.texts(change.switches[:1])["requirements.txt"]
    assert first == REQUIREMENTS.replace("0.110.0", "0.111.0").replace(":aa", ":ca")
    last = change.texts(change.switches)["requirements.txt"]
    assert last == after.replace("loose>=2", "loose>=1") and change.beyond == ["requirements.txt"]


def test_what_comes_or_goes_does_so_with_what_needs_it_and_stands_where_it_will() -> None:
    after = REQUIREMENTS.replace("h11 == 0.13.0\n    # via uvicorn\n", "httpcore==1.0\n    # via uvicorn\n")
    after = "anyio==4.0\n" + after.replace("uvicorn==0.29.0", "uvicorn==0.30.0")
    change = change_of(requirements__txt=(REQUIREMENTS, after))
    assert changes(change) == ["anyio 4.0 added", "uvicorn 0.29.0 to 0.30.0, httpcore 1.0 added, h11 0.13.0 removed"]
    assert change.texts(change.switches)["requirements.txt"] == after and change.beyond == []


def test_what_comes_by_itself_does_so_with_all_that_comes_with_it() -> None:
    after = REQUIREMENTS + "pg==8.0\nuvloop==0.19\npg-pool==3.0\n    # via pg\npg-types==2.0\n    # via pg-pool\n"
    change = change_of(requirements__txt=(REQUIREMENTS, after))
    assert changes(change) == ["pg 8.0 added, pg-pool 3.0 added, pg-types 2.0 added", "uvloop 0.19 added"]


def test_a_further_version_of_a_package_is_told_with_those_that_stay() -> None:
    crate = '[[package]]\nname = "syn"\nversion = "{}"\nsource = "registry"\n\n'
    one, two, three = (crate.format(version) for version in ("1.0", "2.0", "3.0"))
    assert changes(change_of(Cargo__lock=(one, one + two))) == ["syn 1.0 to 1.0, 2.0"]
    assert changes(change_of(Cargo__lock=(one + two, one + three))) == ["syn 2.0 to 3.0"]


def test_a_file_without_an_end_of_its_last_line_gets_lines_below() -> None:
    change = change_of(requirements__txt=("a==1\nb==1", "a==2\nb==1\nc==1"))
    assert change.texts(change.switches)["requirements.txt"] == "a==2\nb==1\nc==1\n" and change.beyond == []


GO_MOD = """\
module example.invalid/shop

go 1.21

require github.com/one/one v1.0.0

require (
	github.com/gin-gonic/gin v1.9.0
	github.com/quic/quic v0.40.0 // indirect
)

replace github.com/x/y => ../y
"""


def test_modules_are_switched_and_sums_are_of_both() -> None:
    after = GO_MOD.replace("gin v1.9.0", "gin v1.10.0").replace("one v1.0.0", "one v1.1.0").replace("1.21", "1.22")
    after = after.replace("\tgithub.com/quic", "\tgithub.com/new/new v0.1.0\n\tgithub.com/quic")
    change = change_of(go__mod=(GO_MOD, after), go__sum=("a h1:x=\nb h1:y=\n", "b h1:y=\nc h1:z=\n"))
    assert changes(change) == [
        "github.com/new/new v0.1.0 added",
        "github.com/gin-gonic/gin v1.9.0 to v1.10.0",
        "github.com/one/one v1.0.0 to v1.1.0",
    ]
    assert change.texts(change.switches[1:]) == {
        "go.mod": GO_MOD.replace("one v1.0.0", "one v1.1.0").replace("gin v1.9.0", "gin v1.10.0"),
        "go.sum": "a h1:x=\nb h1:y=\nc h1:z=\n",
    }
    assert change.beyond == ["go.mod"], "the version of the language is of no package"


def test_a_block_that_was_not_there_cannot_be_switched_in_part() -> None:
    after = GO_MOD.replace("gin v1.9.0", "gin v1.10.0") + "\nrequire (\n\tgithub.com/new/new v0.1.0\n)\n"
    change = change_of(go__mod=(GO_MOD, after))
    assert changes(change) == ["github.com/gin-gonic/gin v1.9.0 to v1.10.0"] and change.beyond == ["go.mod"]


def npm(ranges: dict[str, str], entries: dict[str, str | dict[str, Any]]) -> tuple[str, str]:
    """package.json and package-lock.json."""
    packages = {
        f"node_modules/{key}": {"version": entry} if isinstance(entry, str) else entry for key, entry in entries.items()
    }
    top = {"name": "shop", "version": "1.0.0"}
    lock = top | {"lockfileVersion": 3, "packages": {"": top | {"dependencies": ranges}} | packages}
    return json.dumps(top | {"dependencies": ranges}, indent=2), json.dumps(lock, indent=4)


def test_a_package_is_switched_with_what_is_below_it_and_with_its_range() -> None:
    needs_accepts = {"version": "5.0.0", "dependencies": {"accepts": "^2.0.0"}}
    old_json, old_lock = npm(
        {"@fastify/cors": "^8.0.0", "express": "^4.0.0"},
        {"@fastify/cors": "8.0.0", "express": "4.18.0", "express/node_modules/ms": "2.0.0", "gone": "1.0.0"},
    )
    new_json, new_lock = npm(
        {"@fastify/cors": "^9.0.0", "express": "^5.0.0"},
        {"@fastify/cors": "9.0.1", "accepts": "2.0.0", "express": needs_accepts, "express/node_modules/ms": "2.1.0"},
    )
    change = change_of(package__json=(old_json, new_json), **{"package-lock__json": (old_lock, new_lock)})
    assert changes(change) == [
        "@fastify/cors 8.0.0 to 9.0.1",
        "express 4.18.0 to 5.0.0, accepts 2.0.0 added",
    ]
    assert change.removals == ["gone 1.0.0 removed"], "the code may need it"
    first = {name: json.loads(text) for name, text in change.texts(change.switches[:1]).items()}
    ranges = {"@fastify/cors": "^9.0.0", "express": "^4.0.0"}
    assert first["package.json"]["dependencies"] == first["package-lock.json"]["packages"][""]["dependencies"] == ranges
    assert list(first["package.json"]) == ["name", "version", "dependencies"]
    packages = first["package-lock.json"]["packages"]
    assert {key: entry["version"] for key, entry in packages.items()} == {
        "": "1.0.0",
        "node_modules/@fastify/cors": "9.0.1",
        "node_modules/express": "4.18.0",
        "node_modules/express/node_modules/ms": "2.0.0",
        "node_modules/gone": "1.0.0",
    }
    last = change.texts(change.switches)
    assert json.loads(last["package.json"]) == json.loads(new_json)
    lock = json.loads(new_lock)
    lock["packages"]["node_modules/gone"] = {"version": "1.0.0"}
    assert json.loads(last["package-lock.json"]) == lock and change.beyond == ["package-lock.json"]


GEMFILE_LOCK = """\
GEM
  remote: https://example.invalid/
  specs:
    mustermann (2.0.2)
      ruby2_keywords (~> 0.0.1)
    puma (6.3.0)
      nio4r (~> 2.0)
    rack (2.2.8)
    ruby2_keywords (0.0.5)

PLATFORMS
  ruby

DEPENDENCIES
  puma (~> 6.3)
  rack

BUNDLED WITH
   2.4.10
"""
GEMFILE = 'source "https://example.invalid"\ngem "puma",\n  "~> 6.3"\ngem "rack"\n'


def test_gems_are_switched_with_what_the_gemfile_says_of_them() -> None:
    after = GEMFILE_LOCK.replace("6.3.0", "7.0.0").replace("~> 6.3", "~> 7.0").replace("2.0.2", "3.0.0")
    after = after.replace("      ruby2_keywords (~> 0.0.1)\n", "").replace("    ruby2_keywords (0.0.5)\n", "")
    change = change_of(Gemfile__lock=(GEMFILE_LOCK, after), Gemfile=(GEMFILE, GEMFILE.replace("6.3", "7.0")))
    assert changes(change) == ["mustermann 2.0.2 to 3.0.0, ruby2_keywords 0.0.5 removed", "puma 6.3.0 to 7.0.0"]
    assert change.texts(change.switches[1:]) == {
        "Gemfile.lock": GEMFILE_LOCK.replace("6.3.0", "7.0.0").replace("~> 6.3", "~> 7.0"),
        "Gemfile": GEMFILE.replace("6.3", "7.0"),
    }
    assert change.texts(change.switches)["Gemfile.lock"] == after and change.beyond == []


def test_packages_that_need_other_versions_of_each_other_are_switched_at_once() -> None:
    spec = "    {} ({})\n      rack (>= 2)\n      {} (= {})\n    {} ({}-x86-linux)\n    {} ({})\n    rack (2.2.8)\n"

    def lock(version: str, rack: str) -> str:
        names = ("actioncable", version, "actionpack", version, "actionpack", version, "actionpack", version)
        return "GEM\n  specs:\n" + spec.format(*names).replace("2.2.8", rack)

    change = change_of(Gemfile__lock=(lock("8.0.1", "2.2.8"), lock("8.0.2", "2.2.9")))
    assert changes(change) == ["actioncable 8.0.1 to 8.0.2, actionpack 8.0.1 to 8.0.2", "rack 2.2.8 to 2.2.9"]


CARGO_LOCK = """\
# made by Cargo
version = 3

[[package]]
name = "hyper"
version = "0.14.0"
source = "registry+https://example.invalid"
dependencies = [
 "tower",
]

[[package]]
name = "shop"
version = "0.1.0"
dependencies = [
 "hyper",
 "tokio",
]

[[package]]
name = "tokio"
version = "1.30.0"
source = "registry+https://example.invalid"

[[package]]
name = "tower"
version = "0.4.0"
source = "registry+https://example.invalid"
"""
CARGO_TOML = """\
[package]
name = "shop"
version = "0.1.0"

[dependencies]
hyper = { version = "0.14", features = [
  "full",
] }

[dependencies.tokio]
version = "1.30"
"""


def test_crates_are_switched_with_their_requirements() -> None:
    after = CARGO_LOCK.replace("0.14.0", "1.0.0").replace(' "tower",\n', "").replace("1.30.0", "1.38.0")
    after = after.partition('\n[[package]]\nname = "tower"')[0]
    manifest = CARGO_TOML.replace("0.14", "1.0").replace("1.30", "1.38")
    change = change_of(Cargo__lock=(CARGO_LOCK, after), Cargo__toml=(CARGO_TOML, manifest))
    assert changes(change) == ["hyper 0.14.0 to 1.0.0, tower 0.4.0 removed", "tokio 1.30.0 to 1.38.0"]
    tokio = change.texts(change.switches[1:])
    assert tokio == {
        "Cargo.lock": CARGO_LOCK.replace("1.30.0", "1.38.0"),
        "Cargo.toml": CARGO_TOML.replace("1.30", "1.38"),
    }
    assert change.texts(change.switches) == {"Cargo.lock": after, "Cargo.toml": manifest} and change.beyond == []


UV_LOCK = """\
version = 1
requires-python = ">=3.11"

[[package]]
name = "httptools"
version = "0.6.1"
source = { registry = "https://example.invalid/simple" }
wheels = [
    { url = "https://example.invalid/httptools-0.6.1.whl", hash = "sha256:aa" },
]

[[package]]
name = "shop"
version = "0.1.0"
source = { virtual = "." }
dependencies = [
    { name = "httptools" },
]

[package.metadata]
requires-dist = [{ name = "httptools" }]
"""
POETRY_LOCK = """\
[[package]]
name = "httptools"
version = "0.6.1"
files = [
    {file = "httptools-0.6.1.whl", hash = "sha256:aa"},
]

[package.extras]
test = ["cython"]

[[package]]
name = "yarl"
version = "1.9.0"
files = []

[metadata]
lock-version = "2.0"
content-hash = "aa"
"""


@pytest.mark.parametrize(("name", "text"), [("uv.lock", UV_LOCK), ("poetry.lock", POETRY_LOCK)])
def test_tables_of_packages_are_switched_unless_what_they_were_made_of_changed(name: str, text: str) -> None:
    after = text.replace("0.6.1", "0.6.4").replace("1.9.0", "1.10.0").replace("0.1.0", "0.2.0")
    change = LockChange({name: text}, {name: after}, [name])
    own = ["yarl 1.9.0 to 1.10.0"] if name == "poetry.lock" else []
    assert changes(change) == ["httptools 0.6.1 to 0.6.4", *own]
    assert tomllib.loads(change.texts(change.switches[:1])[name]) == tomllib.loads(text.replace("0.6.1", "0.6.4"))
    assert change.beyond == ([] if own else ["uv.lock"]), "the project's own version is of no package"
    assert LockChange({name: text}, {name: after}, [name, "pyproject.toml"]).switches == []


def test_a_package_of_two_languages_is_two() -> None:
    old, new = (
        json.dumps({"lockfileVersion": 1, "dependencies": {"redis": {"version": version}}})
        for version in ("4.0.0", "5.0.0")
    )
    change = change_of(requirements__txt=("redis==1\n", "redis==2\n"), **{"package-lock__json": (old, new)})
    assert changes(change) == ["redis (Python) 1 to 2", "redis (JavaScript) 4.0.0 to 5.0.0"]
    assert list(change.texts(change.switches[:1])) == ["requirements.txt"]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("text", ["", "\n", "{", "[]", "[[package]]\n", "[[package]]\nname = 1\nsource = 1\n", "\0=="])
def test_what_is_not_as_its_tool_writes_it_has_no_switches(name: str, text: str) -> None:
    name = name.replace("*", "")
    for before, after in ((text, "a==1\n"), ("a==1\n", text), (text, text + "x\n")):
        assert all(switch.changes for switch in LockChange({name: before}, {name: after}, [name]).switches)


def test_in_between_each_package_is_as_before_or_as_after() -> None:
    draw = random.Random(1)

    def text(versions: dict[str, int]) -> str:
        return "# top\n" + "".join(f"{name}=={versions[name]} \\\n  --hash=x\n" for name in sorted(versions))

    for _ in range(300):
        old, new = ({name: draw.randint(1, 3) for name in "abcdefgh" if draw.random() < 0.7} for _ in range(2))
        names = {name for name in "abcdefgh" if draw.random() < 0.5}
        before, after = (list(read_requirements(text(versions))) for versions in (old, new))
        mixed = {name: (new if name in names else old).get(name) for name in "abcdefgh"}
        made = "".join(merge(before, after, names))
        found = {piece.package: int(piece.version) for piece in read_requirements(made) if piece.version}
        assert found == {name: version for name, version in mixed.items() if version is not None}
        assert "".join(merge(before, after, set())) == text(old)
        assert "".join(merge(before, after, set("abcdefgh"))) == text(new)
