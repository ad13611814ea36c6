"""MariaDB: a private server with its own defaults, or one that runs already."""

from dataclasses import replace
from functools import partial

from fairtrial.catalog.services.common.login import login_of
from fairtrial.catalog.services.common.private import private_service, private_service_on, private_service_with
from fairtrial.catalog.services.common.sql_external import external_sql
from fairtrial.catalog.services.mariadb.client import PORT, TITLE, client_at
from fairtrial.catalog.services.mariadb.server import NAME, PROGRAMS, SUPERUSER, VARIANTS, program
from fairtrial.catalog.services.mariadb.user_sql import SQL
from fairtrial.catalog.services.model import Service
from fairtrial.experiment.service_address import ServiceAddress


def _at(address: ServiceAddress) -> Service:
    at_address = partial(program, login=login_of(TITLE, SUPERUSER, address))
    return replace(
        SERVICE,
        up=partial(private_service, at_address),
        up_with=partial(private_service_with, at_address),
    )


SERVICE = Service(
    name=NAME,
    title=TITLE,
    roles=("database",),
    up=partial(private_service, program),
    up_with=partial(private_service_with, program),
    up_on=partial(private_service_on, program),
    sql=SQL,
    at=_at,
    missing=PROGRAMS.missing,
    version=PROGRAMS.version,
    port=PORT,
    schemes=("mysql", "mariadb"),
    connect=partial(external_sql, NAME, TITLE, client_at),
    variants={name: variant.description for name, variant in VARIANTS.items()},
)
