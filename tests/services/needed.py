"""Tests that need a server which may not be installed."""

import os

import pytest

from fairtrial.services import pick_service


def needs(service_name: str) -> pytest.MarkDecorator:
    """Skips, naming the Debian packages, where the service cannot be brought up.

    With FAIRTRIAL_REQUIRE_SERVICES=1 nothing is skipped: the test fails.
    """
    missing = pick_service(service_name).missing()
    required = os.environ.get("FAIRTRIAL_REQUIRE_SERVICES") == "1"
    packages = " ".join(missing.packages) if missing else ""
    return pytest.mark.skipif(missing is not None and not required, reason=f"not installed: {packages or service_name}")
