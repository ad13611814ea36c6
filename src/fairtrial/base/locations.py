"""Where things lie: what ships with Fairtrial, and what it keeps between runs."""

import os
from pathlib import Path

import platformdirs

PACKAGE = Path(__file__).resolve().parents[1]


def shipped(name: str) -> Path:
    """A shipped folder (`engine`, `stacks`, `experiments`): in the checkout, or inside the installed package."""
    bundled = PACKAGE / "bundled" / name
    return bundled if bundled.exists() else PACKAGE.parents[1] / name


def cache_folder() -> Path:
    """What is expensive to make and can be made again: engine, built stacks, datasets.

    `FAIRTRIAL_CACHE` overrides the place where this system keeps a user's caches.
    """
    chosen = os.environ.get("FAIRTRIAL_CACHE")
    return Path(chosen).resolve() if chosen else platformdirs.user_cache_path("fairtrial")
