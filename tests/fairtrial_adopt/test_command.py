"""`fairtrial adopt` as a user calls it: entries of each board, built, started and asked; and those that are refused."""

from pathlib import Path

from tests.command_line import Lab
from tests.fairtrial_adopt.entries import httparena, techempower, the_benchmarker
from tests.machine.needs import needs

pytestmark = needs("network-namespace")


@needs("node")
def test_a_registry_is_adopted_and_tried(lab: Lab) -> None:
    collection = lab.folder / "collection"
    entries = {
        "arena": httparena(collection / "arena"),
        "wrong": the_benchmarker(collection / "wrong", "wrong"),
        "refused": httparena(collection / "refused", "refused", "FROM someone/unknown\nCMD x"),
        "tfb": techempower(collection / "tfb"),
    }
    server = entries["wrong"] / "app.js"
    server.write_text(server.read_text().replace("path.slice(6)", "'0'"))
    registry = lab.folder / "entries"
    registry.mkdir()
    for name, folder in entries.items():
        (registry / f"{name}.toml").write_text(f'folder = "{folder}"\n')
    done = lab.fairtrial("adopt", registry, "--registry", "--as", "program")
    assert done.status == 3, done.out + done.err
    lines = {line.split()[0]: line for line in done.out.splitlines() if line}
    assert "came up" in lines["httparena-python-plain"] and "httparena" in lines["httparena-python-plain"], done.out
    assert "came up" in lines["techempower-node"], done.out
    assert (
        "broke its contract" in lines["the-benchmarker-javascript-wrong"]
        and "user:" in lines["the-benchmarker-javascript-wrong"]
    ), done.out
    assert "refused" in lines["httparena-refused"] and "someone/unknown" in lines["httparena-refused"], done.out
    assert "2 of 4 came up" in done.out


def test_wrong_use_is_told(lab: Lab, tmp_path: Path) -> None:
    for arguments, why in (
        (["https://example.org/x"], "commit"),
        ([str(tmp_path), "--path", "x"], "--commit and --path are of a URL"),
        ([str(tmp_path), "--registry"], "holds no file NAME.toml"),
        ([str(tmp_path), "--registry", "--test", "x"], "--commit, --path and --test are of one entry"),
        ([str(tmp_path)], "no entry of a board"),
    ):
        done = lab.fairtrial("adopt", *arguments)
        assert done.status == 2 and why in done.err, done.err
