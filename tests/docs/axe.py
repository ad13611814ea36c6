"""axe-core, by which a page in the browser is held against WCAG 2.2, A and AA."""

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.docs.browser import Page
from tests.docs.pages import ROOT

PINNED = ROOT / "tests" / "fixtures" / "axe"
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def axe_script() -> str:
    """axe-core as its package-lock.json pins it, fetched once by npm into `build`."""
    lock = (PINNED / "package-lock.json").read_bytes()
    folder = ROOT / "build" / f"axe-{hashlib.sha256(lock).hexdigest()[:16]}"
    if not folder.exists():
        folder.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            copy = shutil.copytree(PINNED, Path(made) / "axe")
            command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
            subprocess.run(command, cwd=copy, check=True, timeout=120)
            if not folder.exists():  # else a test beside this one was quicker
                copy.rename(folder)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text()


def violations(page: Page, script: str) -> list[str]:
    """A line for each rule that the page breaks, with the first three elements that break it."""
    page.evaluate("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))")  # laid out
    page.evaluate(f"{script}; 0")
    options = json.dumps({"runOnly": LEVELS, "resultTypes": ["violations"], "preload": False})
    found = page.evaluate(
        f"axe.run(document, {options}).then(({{violations}}) => violations.map(({{id, nodes}}) =>"
        "[id, ...nodes.slice(0, 3).map(each => each.html.slice(0, 200))].join(' | ')))"
    )
    assert isinstance(found, list)
    return found
