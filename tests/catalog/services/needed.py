"""Tests that need a service that is not part of the project."""

import os

import pytest

from fairtrial.tools.provision.inventory import pick_provided


def needs(name: str) -> pytest.MarkDecorator:
    """Skip where the service is missing, naming what brings it; with FAIRTRIAL_REQUIRE_SERVICES=1 run, and fail."""
    missing = pick_provided(name).missing()
    required = os.environ.get("FAIRTRIAL_REQUIRE_SERVICES") == "1"
    brought = f": {missing.remedy}" if missing else ""
    return pytest.mark.skipif(missing is not None and not required, reason=f"needs {name}{brought}")
