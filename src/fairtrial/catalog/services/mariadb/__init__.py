"""MariaDB: a private server with its own defaults, or one that runs already."""

from functools import partial

from fairtrial.catalog.services.common.drivers import fetch_drivers, with_driver
from fairtrial.catalog.services.common.installed import Programs
from fairtrial.catalog.services.common.login import login_of
from fairtrial.catalog.services.common.private import private_service
from fairtrial.catalog.services.common.server_program import Settings
from fairtrial.catalog.services.common.sql_external import external_sql
from fairtrial.catalog.services.model import Service, SqlAccess

NAME, TITLE = "mariadb", "MariaDB"
PORT = 3306
SUPERUSER = "root"
OLDEST = (10, 5)
SERVER, INITIALISE = "mariadbd|mysqld", "mariadb-install-db|mysql_install_db"
PROGRAMS = Programs(
    title=TITLE,
    names=(SERVER, INITIALISE),
    usual_folders=("/usr/sbin", "/usr/libexec", "/usr/bin", "/usr/local/mysql/bin"),
    packages=("mariadb-server",),
    oldest=OLDEST,
)
VARIANTS = {
    "relaxed": Settings(
        "innodb_flush_log_at_trx_commit=2: a commit is answered when the log is written but not yet on the disk, "
        "and the last second is lost when the machine crashes",
        ("--innodb-flush-log-at-trx-commit=2",),
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
    port=PORT,
    schemes=("mysql", "mariadb"),
    connect=partial(external_sql, NAME, TITLE, with_driver(f"{__name__}.client:client_at")),
    install=fetch_drivers,
    variants={name: variant.description for name, variant in VARIANTS.items()},
)
