"""memcached: keys and values in memory, as a database or as a cache. A private server, or one that runs already."""

from functools import partial

from fairtrial.catalog.services.common.private import private_service
from fairtrial.catalog.services.memcached.client import NAME, SCHEME, TITLE, external_memcached
from fairtrial.catalog.services.memcached.server import missing, program, version
from fairtrial.catalog.services.model import Service

SERVICE = Service(
    name=NAME,
    title=TITLE,
    roles=("database", "cache"),
    start=partial(private_service, program),
    missing=missing,
    version=version,
    is_open=True,  # no password serves all clients: docs/services.md
    port=11211,
    schemes=(SCHEME,),
    connect=external_memcached,
)
