"""HttpArena: `meta.json` and a Dockerfile. Its profiles `baseline`, `pipelined` (one request at a time) and `json`."""

from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial_adopt.boards import BoardReader
from fairtrial_adopt.described import file_within, slug_of, table_of, text_of
from fairtrial_adopt.entry import Entry, EntryExamination

NAME = "httparena"
PATHS = {"baseline": "/baseline11", "pipelined": "/pipeline", "json": "/json/"}
"""By profile, the path of its requests, which is the same for all entries."""
PORT = 8080
MOUNTED = ("data", "certs")
"""Folders of the collection that its containers find at `/`."""


def read(folder: Path, _test: str) -> Entry:
    """The entry of this folder.

    Raises:
        Problem: it takes part in no profile that is asked here, or has a build of its own.
    """
    meta = table_of(folder / "meta.json")
    profiles = meta.get("tests") or []
    paths = {path: path for profile, path in PATHS.items() if profile in profiles}
    if not paths:
        raise Problem(f"its profiles are {', '.join(map(str, profiles))}", f"adopted are entries of {', '.join(PATHS)}")
    if (folder / "build.sh").exists():
        raise Problem("build.sh: it builds its image by a script of its own", "adopt one that has a Dockerfile alone")
    collection = folder.parents[1] if folder.parent.name == "frameworks" else folder
    left_out = [str(each) for each in profiles if each not in PATHS]
    return Entry(
        board=NAME,
        name=slug_of(NAME, folder.name),
        title=str(meta.get("display_name") or folder.name),
        language=str(meta.get("language") or ""),
        folder=folder,
        dockerfile=text_of(file_within(folder, "Dockerfile")),
        port=PORT,
        examinations=(EntryExamination(name="httparena", workload="httparena", paths=paths),),
        mounted={f"/{name}": collection / name for name in MOUNTED if (collection / name).is_dir()},
        remarks=(f"not asked: {', '.join(left_out)}",) if left_out else (),
    )


BOARD = BoardReader(NAME, "meta.json", read)
