"""The remedy for a service that lacks its database, or tables in it, by its last words."""

import re

NO_TABLES = re.compile(
    r"no such table|relation .* does not exist|unapplied migration|migrations are pending|table .* doesn.t exist"
    r"|table .* not found|undefined ?table",
    re.IGNORECASE,
)
MIGRATE = (
    "its database lacks tables: add the migration to `build`, such as `manage.py migrate`, `alembic upgrade head`, "
    "`rails db:migrate` or `npx prisma migrate deploy`; or migrate the database that it uses"
)
LACKS = r"(?:not set|unset|not found|not defined|undefined|missing|required|must be set|empty|KeyError)"
NO_ADDRESS = rf"{LACKS}[^\n=;,]{{0,40}}DATABASE_URL(?!=)|DATABASE_URL(?:[^\n=;,]{{0,40}}?\b|\s+Field ){LACKS}"
"""Of programs that miss the variable, and do not just name it."""
UNREACHED = {
    "mariadb": re.compile(r"\b3306\b|can't connect to (?:local )?(?:mysql|mariadb)|communications link failure", re.I),
    "mongodb": re.compile(r"\b27017\b|ServerSelectionTimeout"),
    "redis": re.compile(r"\b6379\b"),
    "postgresql": re.compile(rf"\b5432\b|connection to server (?:at|on) |{NO_ADDRESS}", re.I),
}
"""By service, what drivers say that do not reach it: its usual port, or their own words. The last one's are also of
programs that miss the variable."""


def database_remedy(words: str) -> str:
    """The remedy for a program's last words; empty where they are about no database."""
    if NO_TABLES.search(words):
        return MIGRATE
    service = next((name for name, pattern in UNREACHED.items() if pattern.search(words)), None)
    if service is None:
        return ""
    return (
        f'it lacks its database: write service = "{service}" above the tables of fairtrial.toml, and each trial has '
        "one of its own, whose address is in DATABASE_URL; `data` in the workload file says what it holds "
        '(docs/two-services.md). Or pass on the address of yours: env_from = ["DATABASE_URL"] below [contenders.app]'
    )
