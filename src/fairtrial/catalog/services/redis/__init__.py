"""Redis: keys and values, as a database or as a cache. A private server, or one that runs already."""

from functools import partial

from fairtrial.catalog.services.common.private import private_service
from fairtrial.catalog.services.model import Service
from fairtrial.catalog.services.redis.client import NAME, TITLE, external_redis
from fairtrial.catalog.services.redis.server import VARIANTS, missing, program, version

SERVICE = Service(
    name=NAME,
    title=TITLE,
    roles=("database", "cache"),
    start=partial(private_service, program),
    loads_files=True,
    missing=missing,
    version=version,
    port=6379,
    schemes=("redis", "rediss"),
    connect=external_redis,
    variants={name: variant.description for name, variant in VARIANTS.items()},
)
