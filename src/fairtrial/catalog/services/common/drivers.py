"""The drivers of databases and caches: Python packages by which the lab talks to a service, fetched when one is used.

They are there where Fairtrial was installed with its part `databases`. Otherwise those that `drivers.txt` pins are put
into the cache, once. A service's module names its functions that need a driver by `with_driver`, so that listing
services needs none.
"""

import importlib
import importlib.util
import pkgutil
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairtrial.catalog.services.common.pinned import Pinned

MODULES = frozenset({"psycopg", "pymysql", "redis", "pymemcache", "pymongo", "bson"})
DRIVERS = Pinned(
    title="the drivers of databases and caches",
    name=f"drivers-{sys.implementation.cache_tag}-{platform.machine()}",  # some are compiled for both
    file=Path(__file__).with_name("drivers.txt"),
    remedy="see to the network, or install Fairtrial with them: `uv tool install 'fairtrial[databases]'`, or "
    "`pip install 'fairtrial[databases]'`; on Debian, `apt install python3-venv`",
)


def with_driver(function: str) -> Callable[..., Any]:
    """`MODULE:NAME`, a function whose module imports a driver: imported when it is called, and its driver fetched.

    Calling it raises Problem if the driver is not installed and cannot be fetched.
    """

    def call(*arguments: Any, **keywords: Any) -> Any:
        return _resolved(function)(*arguments, **keywords)

    return call


def _resolved(function: str) -> Any:
    try:
        return pkgutil.resolve_name(function)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in MODULES:
            raise
    fetch_drivers()
    return pkgutil.resolve_name(function)


def fetch_drivers() -> None:
    """Make the drivers importable, where they are not installed beside Fairtrial.

    Raises:
        Problem: they cannot be fetched.
    """
    if all(importlib.util.find_spec(module) for module in MODULES):
        return
    packages = str(next(DRIVERS.install().glob("lib/python*/site-packages")))
    if packages not in sys.path:
        sys.path.append(packages)  # at the end: what is installed beside Fairtrial goes first
    importlib.invalidate_caches()
