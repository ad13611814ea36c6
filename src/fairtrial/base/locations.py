"""The folders of what ships with Fairtrial, and of what it keeps between runs."""

import os
from pathlib import Path

import platformdirs

PACKAGE = Path(__file__).resolve().parents[1]


def shipped(name: str) -> Path:
    """A shipped folder (`engine`, `stacks`, `docs`, …): in the checkout, or inside the installed package."""
    bundled = PACKAGE / "bundled" / name
    return bundled if bundled.exists() else PACKAGE.parents[1] / name


def cache_folder() -> Path:
    """The folder for the built engine, built stacks and datasets; all of it can be made again.

    `FAIRTRIAL_CACHE` overrides the folder in which the system keeps a user's caches.
    """
    override = os.environ.get("FAIRTRIAL_CACHE")
    return Path(override).resolve() if override else platformdirs.user_cache_path("fairtrial")
