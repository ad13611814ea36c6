"""MariaDB's account of its commits: settings in force, the engines of the tables, and how often InnoDB flushed."""

from fairtrial.base.printable import printable
from fairtrial.catalog.services.mariadb.client import TRANSACTIONS, WRITING_COMMITS, MariaClient
from fairtrial.catalog.services.model import DurabilityReading

PROMISES = {"innodb_flush_log_at_trx_commit": ("1", "3"), "innodb_doublewrite": ("ON",)}
"""Settings, and the values at which a commit is on the disk when it is answered (MariaDB: InnoDB System Variables)."""

SETTINGS = f"SHOW GLOBAL VARIABLES WHERE variable_name IN {tuple(PROMISES)!r}"
WRITE_THROUGH = "SHOW GLOBAL VARIABLES WHERE variable_name = 'innodb_log_file_write_through' AND value = 'ON'"
ENGINES = """
    SELECT table_name, engine FROM information_schema.tables
    WHERE table_schema = database() AND table_type = 'BASE TABLE' AND engine <> 'InnoDB' ORDER BY table_name
"""
FLUSHES = "SHOW GLOBAL STATUS LIKE 'Innodb_data_fsyncs'"
SESSIONS = "SELECT count(*) FROM information_schema.processlist WHERE user = %s"
EXCERPT_CHARACTERS = 120


def count_commits(client: MariaClient) -> None:
    """Have InnoDB count transactions, and those that write, from now on.

    Raises:
        Problem: the database cannot be asked.
    """
    client.execute(*(f"SET GLOBAL innodb_monitor_enable = '{name}'" for name in (*WRITING_COMMITS, *TRANSACTIONS)))


def durability(client: MariaClient) -> DurabilityReading:
    """Read it all, as root. `Innodb_data_fsyncs` also counts flushes of pages: more than those of the log.

    Raises:
        Problem: the database cannot be asked.
    """
    settings = {str(name): str(value) for name, value in client.query(SETTINGS)}
    commits = client.transactions(WRITING_COMMITS)
    through = bool(client.query(WRITE_THROUGH))
    return DurabilityReading(
        settings=settings,
        promised=all(settings.get(name, values[0]) in values for name, values in PROMISES.items()),
        relaxed=frozenset(
            f"table {printable(str(name), EXCERPT_CHARACTERS)} has the engine {printable(str(engine), 40)}"
            for name, engine in client.query(ENGINES)
        ),
        writing=() if commits is None else (commits,),
        flushes=None if through else int(client.query(FLUSHES)[0][1]),
    )


def sessions(client: MariaClient, user: str) -> int:
    """How many sessions of this user are open."""
    return int(client.query(SESSIONS, [user])[0][0])
