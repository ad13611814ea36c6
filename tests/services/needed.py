"""Tests that need a server: skipped where it is not installed, unless all are required."""

import os

import pytest

from fairtrial.services import pick_service

REQUIRED = "FAIRTRIAL_REQUIRE_SERVICES"


def needs(name: str) -> pytest.MarkDecorator:
    """Skip a test if the service is not installed; with FAIRTRIAL_REQUIRE_SERVICES=1 it runs, and fails, instead."""
    lacking = pick_service(name).missing()
    wanted = os.environ.get(REQUIRED) == "1"
    reason = f"{lacking.reason}: {lacking.remedy}" if lacking else ""
    return pytest.mark.skipif(lacking is not None and not wanted, reason=reason)
