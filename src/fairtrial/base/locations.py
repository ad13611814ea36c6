"""The folders of what ships with Fairtrial, and of what it keeps between runs."""

import os
from pathlib import Path

import platformdirs

PACKAGE = Path(__file__).resolve().parents[1]
STDOUT = Path("-")
"""As the file of an option: standard output."""

PROJECT_FILE = "fairtrial.toml"
"""The experiment of a service, in its folder: `fairtrial init` writes it, `run` and `ab-test` look for it."""

RESULT_FILE = "result.json"
REPORT_FILE = "report.html"
"""Both in a results folder."""


def shipped(name: str) -> Path:
    """A shipped folder (`engine`, `stacks`, `docs`, …): in the checkout, or inside the installed package."""
    bundled = PACKAGE / "bundled" / name
    return bundled if bundled.exists() else PACKAGE.parents[1] / name


def place_of_docs(text: str) -> str:
    """`docs/ is /…/docs`, where a text names a page of the documentation; empty where it names none, or from here the
    page is what the text says."""
    if "docs/" not in text or Path("docs").resolve() == shipped("docs"):
        return ""
    return f"docs/ is {shipped('docs')}"


def cache_folder() -> Path:
    """The folder for the built engine, built stacks and datasets; all of it can be made again.

    `FAIRTRIAL_CACHE` overrides the folder in which the system keeps a user's caches.
    """
    override = os.environ.get("FAIRTRIAL_CACHE")
    return Path(override).resolve() if override else platformdirs.user_cache_path("fairtrial")
