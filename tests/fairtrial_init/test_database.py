"""Which last words of a program are of one that misses DATABASE_URL, and which just name it."""

import pytest

from fairtrial_init.database import database_remedy


@pytest.mark.parametrize(
    "words",
    [
        "KeyError: 'DATABASE_URL'",
        "panicked at src/main.rs: DATABASE_URL must be set: NotPresent",
        "error: Environment variable not found: DATABASE_URL.",
        "Error: Missing required environment variable DATABASE_URL",
        "TypeError: process.env.DATABASE_URL is undefined",
        "1 validation error for Settings\nDATABASE_URL\n  Field required [type=missing, input_value={}]",
    ],
)
def test_one_that_misses_it_is_told_how_it_gets_it(words: str) -> None:
    assert 'service = "postgresql"' in database_remedy(words)


@pytest.mark.parametrize(
    "words",
    [
        "DATABASE_URL=sqlite:///shop.db\nOSError: [Errno 98] Address already in use",
        "read DATABASE_URL from .env\nKeyError: 'SECRET_KEY'",
        "SECRET_KEY is required\nDATABASE_URL is sqlite:///shop.db",
        "KeyError: 'SECRET_KEY', DATABASE_URL=sqlite:///shop.db",
    ],
)
def test_one_that_names_it_is_not(words: str) -> None:
    assert database_remedy(words) == ""
