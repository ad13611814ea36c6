"""The MongoDB protocol: MongoDB's own server where it is installed, else SecantusDB; or one that runs already.

The record says which of them it is, in the server's own words.
"""

from functools import partial

from fairtrial.catalog.services.common.private import private_service, private_service_on, private_service_with
from fairtrial.catalog.services.model import Service
from fairtrial.catalog.services.mongodb.client import NAME, TITLE, external_mongodb
from fairtrial.catalog.services.mongodb.program import install, missing, version
from fairtrial.catalog.services.mongodb.server import program

SERVICE = Service(
    name=NAME,
    title=TITLE,
    roles=("database",),
    up=partial(private_service, program),
    up_with=partial(private_service_with, program),
    up_on=partial(private_service_on, program),
    missing=missing,
    version=version,
    port=27017,
    schemes=("mongodb", "mongodb+srv"),
    connect=external_mongodb,
    install=install,
)
