"""The environment in which stacks are built and run."""

import os
from collections.abc import Mapping

LABS_OWN = frozenset({"VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUNBUFFERED"})
"""Variables that speak of the Python the lab runs on: a stack has its own."""


def stack_environment(settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """The user's environment without the lab's own Python, plus `settings`."""
    inherited = {name: value for name, value in os.environ.items() if name not in LABS_OWN}
    return inherited | dict(settings or {})
