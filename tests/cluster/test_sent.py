"""What is sent to hosts: it needs the standard library alone, and says what it is meant to say."""

import ast
import sys
from pathlib import Path

import pytest

from fairtrial.base.loopback import LOOPBACK, free_port
from fairtrial.cluster.sent import facts, link

SENT = Path(facts.__file__).parent


@pytest.mark.parametrize("path", sorted(SENT.glob("*.py")), ids=lambda path: path.stem)
def test_only_the_standard_library_is_imported(path: Path) -> None:
    """Dask apart, which every worker has: a missing module would end the worker."""
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(str(node.module).partition(".")[0])
    assert imported - sys.stdlib_module_names <= {"dask", "distributed"}


def test_the_digest_of_the_lab_changes_with_a_byte_of_it(tmp_path: Path) -> None:
    lab = tmp_path / "fairtrial"
    lab.mkdir()
    (lab / "one.py").write_text("x = 1\n")
    before = facts._sha256(lab, ["."])
    (lab / "one.pyc").write_text("compiled")
    assert facts._sha256(lab, ["."]) == before
    (lab / "one.py").write_text("x = 2\n")
    changed = facts._sha256(lab, ["."])
    (lab / "one.py").rename(lab / "two.py")
    assert len({before, changed, facts._sha256(lab, ["."])}) == 3


def test_the_engine_of_a_checkout_and_of_a_package_have_one_digest(tmp_path: Path) -> None:
    """An installed package bundles the sources alone, without tests and what cargo made."""
    checkout, package = tmp_path / "checkout/src/fairtrial", tmp_path / "package/fairtrial"
    for lab, engine in ((checkout, tmp_path / "checkout/engine"), (package, package / "bundled/engine")):
        (engine / "src").mkdir(parents=True)
        (engine / "guard/src").mkdir(parents=True)
        lab.mkdir(parents=True, exist_ok=True)
        (lab / "one.py").write_text("x = 1\n")
        (engine / "src/main.rs").write_text("fn main() {}\n")
        for name in ("Cargo.toml", "Cargo.lock", "guard/Cargo.toml"):
            (engine / name).write_text(name)
    made = tmp_path / "checkout/engine/target/debug/made.rs"
    made.parent.mkdir(parents=True)
    made.write_text("// by cargo")
    assert facts._engine_sha256(checkout) == facts._engine_sha256(package) is not None
    assert facts._sha256(checkout, ["."]) == facts._sha256(package, ["."])
    (package / "bundled/engine/src/main.rs").write_text("fn main() { }\n")
    assert facts._engine_sha256(checkout) != facts._engine_sha256(package)


def test_round_trips_and_bandwidth_over_loopback() -> None:
    port = link.listen(LOOPBACK, seconds=10.0)
    measured = link.measure(LOOPBACK, port, round_trips=5, seconds=0.05)
    assert len(measured["round_trips_seconds"]) == 5
    assert all(0 < each < 1 for each in measured["round_trips_seconds"])
    assert measured["bytes_per_second"] > 1e6


def test_nobody_listens() -> None:
    with pytest.raises(ConnectionRefusedError):
        link.measure(LOOPBACK, free_port(), round_trips=1, seconds=0.01)


def test_a_listener_outlives_a_client_that_leaves_and_one_that_says_nonsense() -> None:
    import socket

    port = link.listen(LOOPBACK, seconds=10.0)
    for nonsense in (b"", b"?", link.COUNT):
        with socket.create_connection((LOOPBACK, port), timeout=5) as connection:
            connection.sendall(nonsense)
    assert link.measure(LOOPBACK, port, round_trips=1, seconds=0.01)["bytes_per_second"] > 0
