"""External servers of the wrong version: one clear message, with the version that runs and the one that is needed."""

import pytest

from fairtrial.base.loopback import LOOPBACK
from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.common.external import external
from tests.catalog.services import stand_ins
from tests.catalog.services.stand_ins import Speak, standing_in
from tests.catalog.services.stores import unheard

VARIABLE = "OLD_SERVER_URL"
PASSWORD = "s3cret-of-the-test"

TOO_OLD: list[tuple[str, Speak, str]] = [
    ("postgresql", stand_ins.postgresql("9.2.24"), "PostgreSQL 9.2 runs there; 13 or newer is needed"),
    ("postgresql", stand_ins.postgresql("12.3"), "PostgreSQL 12 runs there; 13 or newer is needed"),
    ("postgresql", stand_ins.postgresql_of_protocol_2, "unsupported frontend protocol"),
    ("mariadb", stand_ins.mariadb("5.5.68-MariaDB"), "MariaDB 5.5 runs there; 10.5 or newer is needed"),
    ("mariadb", stand_ins.mariadb("5.5.5-10.4.33-MariaDB-log"), "MariaDB 10.4 runs there; 10.5 or newer is needed"),
    ("mongodb", stand_ins.mongodb(6), "the mongodb speaks version 6 of the wire protocol"),
]


@pytest.mark.parametrize(("name", "speak", "message"), TOO_OLD)
def test_a_server_by_url_that_is_too_old_is_refused(
    name: str, speak: Speak, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = pick_service(name)
    with standing_in(speak) as port:
        monkeypatch.setenv(VARIABLE, f"{service.schemes[0]}://me:{PASSWORD}@{LOOPBACK}:{port}/mine")
        with pytest.raises(Problem) as caught, external(service, VARIABLE, [], unheard):
            pass
    assert message in caught.value.reason
    assert caught.value.remedy
    assert PASSWORD not in caught.value.reason + caught.value.remedy


def test_a_server_by_url_that_is_new_enough_is_spoken_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in ends the connection at the first statement: that is not the version's fault."""
    service = pick_service("postgresql")
    with standing_in(stand_ins.postgresql("13.0")) as port:
        monkeypatch.setenv(VARIABLE, f"postgresql://me:{PASSWORD}@{LOOPBACK}:{port}/mine")
        with pytest.raises(Problem) as caught, external(service, VARIABLE, [], unheard):
            pass
    assert "PostgreSQL refused" in caught.value.reason
