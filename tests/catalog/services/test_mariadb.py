"""What is MariaDB's own: its columns, its users, and rows that no index spares."""

from pathlib import Path

from fairtrial.catalog.services.mariadb import SERVICE
from tests.catalog.services.needed import needs
from tests.catalog.services.stacks_side import ROWS, cursor, execute, tables

COLUMNS = """
    SELECT column_name, column_type, collation_name FROM information_schema.columns
    WHERE table_schema = 'fairtrial' AND table_name = 'items'
"""


@needs("mariadb")
def test_columns_users_and_what_is_told(cache: Path, temporary: Path) -> None:
    with SERVICE.up(tables(), "default", lambda table, count: None) as running:
        with cursor(running.url) as opened:
            opened.execute(COLUMNS)
            columns = {name: (kind, collation) for name, kind, collation in opened.fetchall()}
        assert columns["uuid"] == ("varchar(255)", "utf8mb4_bin")
        assert columns["description"] == ("varchar(1024)", "utf8mb4_bin")
        assert columns["created_at"] == ("datetime", None)
        users = running._lab.ask("SELECT user, host FROM mysql.global_priv ORDER BY user")  # type: ignore[attr-defined]
        assert users == [("fairtrial", "127.0.0.1"), ("mariadb.sys", "localhost"), ("root", "localhost")]
        before = running.counters()
        assert "commits" not in before, "MariaDB counts other things under that name"
        execute(running.url, "SELECT id FROM items WHERE description = 'no index spares looking at every row'")
        assert running.counters()["rows_read"] - before["rows_read"] == ROWS
        assert not running.altered()
        execute(running.url, "CREATE INDEX more ON items (name)")
        assert running.altered()
