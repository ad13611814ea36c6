"""Which services there are: one folder or one file each, found by being there."""

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service, services
from fairtrial.catalog.services.model import ServiceStart

PRODUCTS = {"mariadb", "memcached", "mongodb", "postgresql", "redis"}


def test_packages_and_modules_are_found_and_what_they_share_is_not() -> None:
    assert set(services()) == PRODUCTS | {"none", "sqlite"}


def test_products_can_be_external_and_all_have_schemes_of_their_own() -> None:
    external = {name for name, service in services().items() if service.connect is not None}
    assert external == PRODUCTS
    schemes = [scheme for service in services().values() for scheme in service.schemes]
    assert len(schemes) == len(set(schemes))


def test_an_unknown_service() -> None:
    with pytest.raises(Problem, match="sqlite"):
        pick_service("oracle")


def test_no_database_at_all() -> None:
    with pick_service("none").start(ServiceStart()) as nothing:
        nothing.reset()
        nothing.change("items", 1, "name", "x")
        assert (nothing.url, nothing.pid, nothing.fault(), nothing.altered()) == ("", None, None, "")
        assert (dict(nothing.counters()), list(nothing.rows("items"))) == ({}, [])
