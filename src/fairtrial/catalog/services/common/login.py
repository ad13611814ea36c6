"""The login by which stacks get into a private database: one of the lab's own, or one that stands in their source."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.server_program import Location
from fairtrial.catalog.services.common.sql import MOST_CONNECTIONS, PASSWORD_BYTES, USER
from fairtrial.experiment.service_address import ServiceAddress

MOST_CONNECTIONS_AT_ADDRESS = 2000
"""As many as TechEmpower's own databases take (toolset/databases/postgres/postgresql.conf): a program with a login in
its source was not told of a budget, and two processes of its entry for FastAPI open five hundred."""


@dataclass(frozen=True)
class Login:
    """The login of stacks. Names are as `ServiceAddress` has them, so that they can be quoted."""

    user: str
    database: str
    """which the user owns"""
    most_connections: int
    port: int | None = None
    """None: a free one"""
    password: str | None = field(default=None, repr=False)
    """None: a new one for each server"""

    @property
    def key(self) -> Sequence[str]:
        """Its part of what decides a server's filled data: nothing for the lab's own."""
        return () if (self.user, self.database) == (USER, USER) else (self.user, self.database)

    def password_to_use(self) -> str:
        """The password, or a new one."""
        return self.password or secrets.token_urlsafe(PASSWORD_BYTES)

    def url(self, scheme: str, password: str, location: Location) -> str:
        """The stacks' DATABASE_URL."""
        return f"{scheme}://{self.user}:{quote(password, safe='')}@{location.host}:{location.port}/{self.database}"


LAB_LOGIN = Login(USER, USER, MOST_CONNECTIONS)


def login_of(title: str, superuser: str, address: ServiceAddress) -> Login:
    """The login that stands in programs.

    Args:
        title: of the server, for messages.
        superuser: the user as which the lab itself logs in.

    Raises:
        Problem: it is that user.
    """
    if address.user == superuser:
        raise Problem(
            f"address.user: {title} is started with {superuser!r} as the lab's own user, whose statements are not "
            "counted as the stack's",
            "name another user: in the program's settings, too",
        )
    return Login(
        user=address.user,
        database=address.database,
        most_connections=MOST_CONNECTIONS_AT_ADDRESS,
        port=address.port,
        password=address.password.get_secret_value(),
    )
