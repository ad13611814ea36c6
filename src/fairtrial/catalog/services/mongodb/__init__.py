"""The MongoDB protocol: MongoDB's own server where it is installed, else SecantusDB; or one that runs already.

The record says which of them it is, in the server's own words.
"""

from functools import partial

from fairtrial.catalog.services.common.drivers import with_driver
from fairtrial.catalog.services.common.private import private_service
from fairtrial.catalog.services.model import Service
from fairtrial.catalog.services.mongodb.program import install_lacking, missing_server, server_version

NAME, TITLE = "mongodb", "the MongoDB protocol"

SERVICE = Service(
    name=NAME,
    title=TITLE,
    roles=("database",),
    start=partial(private_service, with_driver(f"{__name__}.server:program")),
    loads_files=True,
    missing=missing_server,
    version=server_version,
    port=27017,
    schemes=("mongodb", "mongodb+srv"),
    connect=with_driver(f"{__name__}.client:external_mongodb"),
    install=install_lacking,
)
