"""What is MariaDB's own: its columns, its users, and rows that are looked at without an index."""

from tests.catalog.services.lab_client import lab_client
from tests.catalog.services.shared import Shared
from tests.catalog.services.stacks_side import ROWS, cursor, execute
from tests.machine.needs import needs

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
        users = lab_client(running).query("SELECT user, host FROM mysql.global_priv ORDER BY user")
        assert users == [("fairtrial", "127.0.0.1"), ("mariadb.sys", "localhost"), ("root", "localhost")]
        before = running.counters()
        assert "commits" not in before, "MariaDB counts other things under that name"
        execute(running.url, "SELECT id FROM items WHERE description = 'no index spares looking at every row'")
        assert running.counters()["rows_read"] - before["rows_read"] == ROWS
        assert not running.altered()
        lab_client(running).execute("CREATE INDEX more ON items (name)")
        assert running.altered()
