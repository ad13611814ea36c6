"""Fairtrial: performance claims about HTTP API stacks, on trial."""

from importlib.metadata import version

__version__ = version("fairtrial")
