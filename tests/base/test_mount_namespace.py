"""Mounts of one's own: others do not see them, and nothing stays."""

import subprocess
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from fairtrial.base.mount_namespace import mount_namespace
from tests.machine.needs import needs

pytestmark = needs("mounts")


def test_what_is_mounted_is_there_for_the_thread_and_what_it_starts_alone(tmp_path: Path) -> None:
    folder, seen_by_another, before = tmp_path / "own", [True], Path.cwd()
    folder.mkdir()
    with mount_namespace():
        subprocess.run(["mount", "-t", "tmpfs", "none", str(folder)], check=True)
        (folder / "file").touch()
        assert subprocess.run(["ls", str(folder)], check=True, capture_output=True, text=True).stdout == "file\n"
        inside = Thread(target=lambda: seen_by_another.append(folder.is_mount()))
        inside.start()
        inside.join()
    assert seen_by_another[1:] == [True], "a thread that was started within"
    assert not folder.is_mount() and list(folder.iterdir()) == []
    assert Path.cwd() == before
    assert str(folder) not in Path("/proc/self/mountinfo").read_text()


def test_a_thread_from_before_does_not_see_them(tmp_path: Path) -> None:
    asked: SimpleQueue[Path | None] = SimpleQueue()
    told: SimpleQueue[bool] = SimpleQueue()

    def tell() -> None:
        while (folder := asked.get()) is not None:
            told.put(folder.is_mount())

    before = Thread(target=tell)
    before.start()
    try:
        with mount_namespace():
            subprocess.run(["mount", "-t", "tmpfs", "none", str(tmp_path)], check=True)
            asked.put(tmp_path)
            assert told.get(timeout=30) is False
    finally:
        asked.put(None)
        before.join()
