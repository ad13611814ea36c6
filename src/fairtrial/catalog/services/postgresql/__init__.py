"""PostgreSQL: a private server with its own defaults, or one that runs already."""

from functools import partial

from fairtrial.catalog.services.common.login import login_of
from fairtrial.catalog.services.common.private import private_service
from fairtrial.catalog.services.common.sql_external import external_sql
from fairtrial.catalog.services.model import Service
from fairtrial.catalog.services.postgresql.client import TITLE, PostgresClient
from fairtrial.catalog.services.postgresql.server import NAME, PROGRAMS, SUPERUSER, VARIANTS, program
from fairtrial.catalog.services.postgresql.user_sql import SQL

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
    port=5432,
    schemes=("postgresql", "postgres"),
    connect=partial(external_sql, NAME, TITLE, lambda url, redact: PostgresClient(url, redact=redact)),
    variants={name: variant.description for name, variant in VARIANTS.items()},
)
