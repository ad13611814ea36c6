"""PostgreSQL: a private server with its own defaults, or one that runs already."""

from functools import partial

from fairtrial.catalog.services.common.drivers import fetch_drivers, with_driver
from fairtrial.catalog.services.common.installed import Programs
from fairtrial.catalog.services.common.login import login_of
from fairtrial.catalog.services.common.private import private_service
from fairtrial.catalog.services.common.server_program import Settings
from fairtrial.catalog.services.common.sql_external import external_sql
from fairtrial.catalog.services.model import Service, SqlAccess

NAME, TITLE = "postgresql", "PostgreSQL"
SUPERUSER = "lab"
OLDEST = (13,)
PROGRAMS = Programs(
    title=TITLE,
    names=("postgres", "initdb"),
    usual_folders=("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin"),
    packages=("postgresql",),
    oldest=OLDEST,
)
VARIANTS = {
    "relaxed": Settings(
        "synchronous_commit=off: a commit is answered before it is on the disk, and the last ones are lost in a crash",
        ("synchronous_commit=off",),
    )
}
SERVICE = Service(
    name=NAME,
    title=TITLE,
    roles=("database",),
    start=partial(private_service, with_driver(f"{__name__}.server:program")),
    loads_files=True,
    sql=SqlAccess(with_driver(f"{__name__}.user_sql:rows"), with_driver(f"{__name__}.user_sql:rows")),
    assert_address=partial(login_of, TITLE, SUPERUSER),
    missing=PROGRAMS.missing,
    version=PROGRAMS.version,
    port=5432,
    schemes=("postgresql", "postgres"),
    connect=partial(external_sql, NAME, TITLE, with_driver(f"{__name__}.client:client_at")),
    install=fetch_drivers,
    variants={name: variant.description for name, variant in VARIANTS.items()},
)
