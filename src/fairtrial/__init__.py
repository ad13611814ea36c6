"""Fairtrial: performance claims about HTTP API stacks, on trial."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("fairtrial")
except PackageNotFoundError:  # scripts/set-up builds the engine before the package is installed
    __version__ = "unknown"
