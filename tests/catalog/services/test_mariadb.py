"""What is MariaDB's own: its columns, its users, and rows that are looked at without an index."""

import tempfile
from pathlib import Path

import pytest

from fairtrial.catalog.services.mariadb.client import MariaClient
from fairtrial.catalog.services.mariadb.server import SOCKET, SUPERUSER
from tests.catalog.services.needed import needs
from tests.catalog.services.shared import Shared
from tests.catalog.services.stacks_side import ROWS, cursor, execute

COLUMNS = """
    SELECT column_name, column_type, collation_name FROM information_schema.columns
    WHERE table_schema = 'fairtrial' AND table_name = 'items'
"""


@needs("mariadb")
def test_columns_users_and_counters(shared: Shared) -> None:
    with shared.private("mariadb") as running:
        with cursor(running.url) as opened:
            opened.execute(COLUMNS)
            columns = {name: (kind, collation) for name, kind, collation in opened.fetchall()}
        assert columns["uuid"] == ("varchar(255)", "utf8mb4_bin")
        assert columns["description"] == ("varchar(1024)", "utf8mb4_bin")
        assert columns["created_at"] == ("datetime", None)
        for socket in Path(tempfile.gettempdir()).glob(f"*/data/{SOCKET}"):
            lab = MariaClient({"unix_socket": str(socket), "user": SUPERUSER, "database": None})
            users = lab.query("SELECT user, host FROM mysql.global_priv ORDER BY user")
            assert users == [("fairtrial", "127.0.0.1"), ("mariadb.sys", "localhost"), ("root", "localhost")]
            break
        else:
            pytest.fail("no socket of the server was found")
        before = running.counters()
        assert "commits" not in before, "MariaDB counts other things under that name"
        execute(running.url, "SELECT id FROM items WHERE description = 'no index spares looking at every row'")
        assert running.counters()["rows_read"] - before["rows_read"] == ROWS
        assert not running.altered()
        execute(running.url, "CREATE INDEX more ON items (name)")
        assert running.altered()
