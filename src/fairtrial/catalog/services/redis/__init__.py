"""Redis: keys and values, as a database or as a cache. A private server, or one that runs already."""

from functools import partial

from fairtrial.catalog.services.common.drivers import fetch_drivers, with_driver
from fairtrial.catalog.services.common.installed import missing_program, version_line
from fairtrial.catalog.services.common.private import private_service
from fairtrial.catalog.services.common.server_program import Settings
from fairtrial.catalog.services.model import Service

NAME, TITLE = "redis", "Redis"
PROGRAM = "redis-server"
VARIANTS = {
    "append-only-always": Settings(
        "every write is in the append-only file, synced, before it is answered "
        "(appendonly yes, appendfsync always); by default there are snapshots only, and a crash loses what is newer",
        ("--appendonly", "yes", "--appendfsync", "always"),
    ),
}

missing = partial(missing_program, TITLE, PROGRAM, "redis-server")
version = partial(version_line, [PROGRAM, "--version"])

SERVICE = Service(
    name=NAME,
    title=TITLE,
    roles=("database", "cache"),
    start=partial(private_service, with_driver(f"{__name__}.server:program")),
    loads_files=True,
    missing=missing,
    version=version,
    port=6379,
    schemes=("redis", "rediss"),
    connect=with_driver(f"{__name__}.client:external_redis"),
    install=fetch_drivers,
    variants={name: variant.description for name, variant in VARIANTS.items()},
)
