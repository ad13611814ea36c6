"""MariaDB: a private server with its own defaults, or one that runs already."""

from functools import partial

from fairtrial.catalog.services.common.login import login_of
from fairtrial.catalog.services.common.private import private_service
from fairtrial.catalog.services.common.sql_external import external_sql
from fairtrial.catalog.services.mariadb.client import PORT, TITLE, client_at
from fairtrial.catalog.services.mariadb.server import NAME, PROGRAMS, SUPERUSER, VARIANTS, program
from fairtrial.catalog.services.mariadb.user_sql import SQL
from fairtrial.catalog.services.model import Service

SERVICE = Service(
    name=NAME,
    title=TITLE,
    roles=("database",),
    start=partial(private_service, program),
    loads_files=True,
    sql=SQL,
    assert_address=partial(login_of, TITLE, SUPERUSER),
    missing=PROGRAMS.missing,
    version=PROGRAMS.version,
    port=PORT,
    schemes=("mysql", "mariadb"),
    connect=partial(external_sql, NAME, TITLE, client_at),
    variants={name: variant.description for name, variant in VARIANTS.items()},
)
