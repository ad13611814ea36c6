"""Tests that need a service that is not part of the project."""

import os
from functools import cache

import pytest

from fairtrial.catalog.services.model import Missing
from fairtrial.tools.provision.inventory import pick_provided


def needs(name: str) -> pytest.MarkDecorator:
    """Skip where the service is missing, naming what brings it; with FAIRTRIAL_REQUIRE_SERVICES=1 run, and fail."""
    missing = missing_service(name)
    brought = f": {missing.remedy}" if missing else ""
    return pytest.mark.skipif(missing is not None, reason=f"needs {name}{brought}")


@cache
def missing_service(name: str) -> Missing | None:
    """What this machine lacks of a service, and what brings it; None if it is there, or has to be."""
    return None if all_required() else pick_provided(name).missing()


def all_required() -> bool:
    """Whether what is missing is a failure, no reason to skip."""
    return os.environ.get("FAIRTRIAL_REQUIRE_SERVICES") == "1"
