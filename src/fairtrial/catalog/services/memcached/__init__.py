"""memcached: keys and values in memory, as a database or as a cache. A private server, or one that runs already."""

from functools import partial

from fairtrial.catalog.services.common.drivers import fetch_drivers, with_driver
from fairtrial.catalog.services.common.installed import missing_program, version_line
from fairtrial.catalog.services.common.private import private_service
from fairtrial.catalog.services.model import Service

NAME = TITLE = SCHEME = PROGRAM = "memcached"

missing = partial(missing_program, TITLE, PROGRAM, "memcached")

SERVICE = Service(
    name=NAME,
    title=TITLE,
    roles=("database", "cache"),
    start=partial(private_service, with_driver(f"{__name__}.server:program")),
    missing=missing,
    version=partial(version_line, [PROGRAM, "--version"]),
    is_open=True,  # no password serves all clients: docs/services.md
    port=11211,
    schemes=(SCHEME,),
    connect=with_driver(f"{__name__}.client:external_memcached"),
    install=fetch_drivers,
)
