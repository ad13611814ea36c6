"""What a process is run by: digests that change with what they stand for."""

from pathlib import Path

from fairtrial.cluster import facts


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
    renamed = facts._sha256(lab, ["."])
    (lab / "two.toml").write_text("words = []\n")
    assert len({before, changed, renamed, facts._sha256(lab, ["."])}) == 4


def test_the_engine_of_a_checkout_and_of_a_package_have_one_digest(tmp_path: Path) -> None:
    """An installed package bundles the sources alone, without tests and what cargo made."""
    checkout, package = tmp_path / "checkout/src/fairtrial", tmp_path / "package/fairtrial"
    engines = (tmp_path / "checkout/engine", package / "bundled/engine")
    for lab, engine in zip((checkout, package), engines, strict=True):
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
    one, other = (facts._sha256(engine, list(facts.ENGINE_SOURCE)) for engine in engines)
    assert one == other
    assert facts._sha256(checkout, ["."]) == facts._sha256(package, ["."])
    (package / "bundled/engine/src/main.rs").write_text("fn main() { }\n")
    assert facts._sha256(engines[1], list(facts.ENGINE_SOURCE)) != one
