"""The MongoDB protocol: MongoDB's own server where it is installed, else SecantusDB; or one that runs already.

The record says which of them it is, in the server's own words.
"""

from functools import partial

from fairtrial.catalog.services.common.private import private_service
from fairtrial.catalog.services.model import Service
from fairtrial.catalog.services.mongodb.client import NAME, TITLE, external_mongodb
from fairtrial.catalog.services.mongodb.program import install_secantus, missing_server, server_version
from fairtrial.catalog.services.mongodb.server import program

SERVICE = Service(
    name=NAME,
    title=TITLE,
    roles=("database",),
    start=partial(private_service, program),
    loads_files=True,
    missing=missing_server,
    version=server_version,
    port=27017,
    schemes=("mongodb", "mongodb+srv"),
    connect=external_mongodb,
    install=install_secantus,
)
