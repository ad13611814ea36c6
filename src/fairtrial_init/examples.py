"""`fairtrial init --examples`: the shipped examples, where they can be run and changed."""

import re
import shutil
from pathlib import Path

from rich.console import Console
from rich.text import Text

from fairtrial.base.locations import shipped
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

NAME = "examples"
LEFT_BY_RUNS = ("__pycache__", "results", "node_modules", ".venv")
"""What runs and builds leave in those of a checkout."""

LINK_TO_DOCS = re.compile(r"\[([^\]]*)\]\((?:\.\./)+docs/[^)]*\)")
"""A copy has the text of such a link alone: the pages are not copied."""


def copy_examples(folder: Path, console: Console) -> Path:
    """Copy the shipped examples into a folder, below which the documentation's commands find them, and return the copy.

    Raises:
        Problem: there is no such folder, or something of that name is there already.
    """
    if not folder.is_dir():
        raise Problem(f"there is no folder {printable(str(folder), 300)}", "make it, or name another")
    copy = folder / NAME
    if copy.exists() or copy.is_symlink():
        raise Problem(f"{printable(str(copy), 300)}: there already", "use what is there, or name another folder")
    shutil.copytree(shipped(NAME), copy, ignore=shutil.ignore_patterns(*LEFT_BY_RUNS))
    for page in copy.rglob("*.md"):
        page.write_text(LINK_TO_DOCS.sub(r"\1", page.read_text()))
    lines = (f"written: {copy}/", f"{copy}/README.md says what each shows, and how it is tried")
    for line in lines:
        console.print(Text(printable(line, 300)), soft_wrap=True)
    return copy
