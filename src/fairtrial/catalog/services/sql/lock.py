"""One lab at a time in a database that runs already."""

from typing import Any

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.in_use import in_use
from fairtrial.catalog.services.sql.client import SqlClient


class DatabaseLock:
    """The server's own lock, held by a connection that stays open. A context manager: entering takes it.

    The server frees it when the connection ends, however that happens: a dead lab holds none.
    """

    def __init__(self, client: SqlClient) -> None:
        self._client = client
        self._connection: Any = None

    def hold(self) -> Any:
        """Take it, or see that it is still held; taken anew if the connection was cut.

        Returns:
            The connection that holds it.

        Raises:
            Problem: another lab holds it, or the database cannot be reached.
        """
        if not self.is_held():
            self.release()
            self._connection = self._client.kept_connection()
            if not self._client.takes_lock(self._connection):
                self.release()
                raise in_use(self._client.title)
        return self._connection

    def is_held(self) -> bool:
        """Whether it was held all the time since it was taken."""
        try:
            # Who holds it may take it once more.
            return self._connection is not None and self._client.takes_lock(self._connection)
        except Problem:
            return False

    def release(self) -> None:
        """End the connection, if there is one."""
        if self._connection is not None:
            self._client.let_go(self._connection)
            self._connection = None

    def __enter__(self) -> "DatabaseLock":
        self.hold()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
