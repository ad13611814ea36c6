"""The folder of the site: files that pages share, pages, and the list by which the next build takes old ones away."""

import json
import lzma
import shutil
from collections.abc import Set
from copy import copy
from functools import cache
from pathlib import Path

from jinja2 import Environment

from fairtrial import __version__
from fairtrial.base.problem import Problem
from fairtrial.base.text_file import make_folder, unwritable
from fairtrial.record.read import COMPRESSED
from fairtrial.report.page import BUNDLE, TEMPLATES, json_for_html, page_environment, page_parts
from fairtrial.report.vega import Spec

OWN = Path(__file__).with_name("templates")
LIST = "docket.json"
FASTEST = 1
"""Of the presets of xz: records are large, and the next one makes a tenth less of them in twice the time."""


class Site:
    """A site that is being written."""

    def __init__(self, folder: Path) -> None:
        """Raises Problem: the folder holds something that no docket wrote, or cannot be made."""
        make_folder(folder)
        self.folder, self.written = folder, {LIST}
        self._before = _files_before(folder)
        self._list(self._before)  # a build that is interrupted leaves a docket, too
        style = (TEMPLATES / "report.css").read_text(encoding="utf-8") + (OWN / "docket.css").read_text("utf-8")
        self.write("docket.css", style)
        for script in ("docket.js", "choice.js"):
            self.write(script, (OWN / script).read_text(encoding="utf-8"))
        self.write("charts.js", BUNDLE.read_text(encoding="utf-8"))

    def part(self) -> "Site":
        """The same site, of which `written` is only what is written through this part."""
        part = copy(self)
        part.written, part._before = set(), set()
        return part

    def write(self, path: str, text: str) -> None:
        """Write a file of the site.

        Raises:
            Problem: it cannot be written.
        """
        target = self._target(path)
        try:
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            raise unwritable(target, error) from error

    def page(self, path: str, template: str, charts: dict[str, Spec] | None = None, **variables: object) -> None:
        """Write a page by a template of this package."""
        text = _environment().get_template(template).render(**variables, **frame(path), **page_parts(charts or {}))
        self.write(path, text)

    def keep(self, file: Path, name: str) -> str:
        """Put a file that figures rest on beside the pages, compressed by xz; its path below the site."""
        path = f"records/{name}{'.jsonl' if '.jsonl' in file.name else '.json'}{COMPRESSED}"
        target = self._target(path)
        try:
            if file.suffix == COMPRESSED:
                shutil.copyfile(file, target)
            else:
                with file.open("rb") as opened, lzma.open(target, "wb", preset=FASTEST) as packed:
                    shutil.copyfileobj(opened, packed, 1 << 20)
        except OSError as error:
            raise unwritable(target, error) from error
        return path

    def remove(self, paths: Set[str]) -> None:
        """Take files away that this build wrote."""
        for path in paths:
            (self.folder / path).unlink(missing_ok=True)
        self.written -= paths

    def finish(self) -> None:
        """Take away what an earlier build wrote and this one did not, and write the list of files."""
        self.remove(self._before - self.written)
        self._list(self.written)

    def _list(self, paths: set[str]) -> None:
        self.write(LIST, json.dumps({"fairtrial": __version__, "files": sorted(paths)}, indent=0))

    def _target(self, path: str) -> Path:
        target = self.folder / path
        if target.parent != self.folder:
            make_folder(target.parent)
        self.written.add(path)
        return target


def frame(path: str) -> dict[str, object]:
    """The variables that every page needs: where the shared files are, as seen from the page."""
    return {"files": "../" * path.count("/"), "version": __version__, "json_for_html": json_for_html}


@cache
def _environment() -> Environment:
    return page_environment(OWN)


def _files_before(folder: Path) -> set[str]:
    list_file = folder / LIST
    if not list_file.exists():
        if any(folder.iterdir()):
            raise Problem(
                f"{folder} holds other files, and no {LIST}: it is no docket", "name an empty or a new folder (--out)"
            )
        return set()
    try:
        paths = json.loads(list_file.read_text(encoding="utf-8"))["files"]
        return {path for path in paths if folder.resolve() in (folder / path).resolve().parents}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Problem(f"{list_file} is not as a docket writes it", "remove the folder, and build it anew") from error
