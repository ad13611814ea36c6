"""Names are nouns, as CONTRIBUTING.md says: no value or function has a participle as its name, or `one`."""

import ast
import re
from collections.abc import Iterator

import pytest

from fairtrial.base.locations import PACKAGE

SOURCE = PACKAGE.parent
PACKAGES = sorted(path.parent for path in SOURCE.glob("fairtrial*/__init__.py"))
"""The lab, and the packages beside it."""

FORBIDDEN = frozenset(
    re.findall(
        r"\w+",
        """asked begun chosen done drawn found given got heard held kept known listed lost made meant met named needed
        one said seen sent shown taken there told tried wanted written""",
    )
)

FIELDS_OF_FORMATS = {
    "Acknowledgements.begun",
    "CapacitySearch.found",
    "ClaimInWords.asked",
    "ClaimResult.asked",
    "CrashAudit.drawn",
    "CrashAudit.lost",
    "Difference.asked",
    "EngineSummary.sent",
    "KeptAnswer.asked",
    "Ledger.done",
    "LoadHostAccount.sent",
    "ObjectiveMet.met",
    "SetupCounts.sent",
    "Share.sent",
    "Sightings.kept",
    "Slice.kept",
}
"""Keys of records, of results and of what the engine writes: old files have them. Add nothing."""


def participles(tree: ast.AST, holder: str = "") -> Iterator[tuple[str, int]]:
    """(name, line) of each forbidden name that is bound below a node; a field as `Class.field`."""
    for node in ast.iter_child_nodes(tree):
        for name in _bound(node):
            if name.lstrip("_").lower() in FORBIDDEN:
                is_field = isinstance(tree, ast.AnnAssign) and holder
                yield f"{holder}.{name}" if is_field else name, node.lineno  # type: ignore[attr-defined]
        if isinstance(node, ast.ClassDef):
            yield from participles(node, node.name)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from participles(node)
        else:
            yield from participles(node, holder)


def _bound(node: ast.AST) -> list[str]:
    """What a node by itself gives a name to."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
            return [name]
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
    return []


@pytest.fixture(scope="module")
def offences() -> list[str]:
    """`file:line name` of each forbidden name in the packages."""
    return [
        f"{file.relative_to(SOURCE)}:{line} {name}"
        for package in PACKAGES
        for file in sorted(package.rglob("*.py"))
        for name, line in participles(ast.parse(file.read_text()))
    ]


def test_the_packages_beside_the_lab_are_looked_at() -> None:
    names = {package.name for package in PACKAGES}
    assert {"fairtrial", "fairtrial_adopt", "fairtrial_docket", "fairtrial_import", "fairtrial_init"} <= names


def test_names_are_no_participles(offences: list[str]) -> None:
    assert [each for each in offences if each.rpartition(" ")[2] not in FIELDS_OF_FORMATS] == []


def test_every_field_in_the_list_exists(offences: list[str]) -> None:
    assert {offence.rpartition(" ")[2] for offence in offences} >= FIELDS_OF_FORMATS


@pytest.mark.parametrize(
    "source",
    [
        "found = 1",
        "for told in []: pass",
        "[done for done in []]",
        "def f(given): pass",
        "def f(*, kept=1): pass",
        "lambda seen: 1",
        "def _taken(): pass",
        "class Made: pass",
        "TRIED = 1",
        "with open('f') as held: pass",
        "if (met := 1): pass",
        "import json as sent",
        "try: pass\nexcept ValueError as known: pass",
        "match 1:\n  case asked: pass",
        "class A:\n  def f(self): said: int = 1",
    ],
)
def test_every_way_to_give_a_name_is_seen(source: str) -> None:
    assert len(list(participles(ast.parse(source)))) == 1


def test_a_field_is_named_with_its_class() -> None:
    assert list(participles(ast.parse("class Share:\n  sent: int\n  sent_ns: int"))) == [("Share.sent", 2)]


@pytest.mark.parametrize("source", ["estimate = found.value", "f(kept=1)", "kept_rounds = 1", "print(done)"])
def test_nouns_and_foreign_names_are_fine(source: str) -> None:
    assert list(participles(ast.parse(source))) == []
