"""Where a private database listens and whom it lets in, for programs that have both in their source."""

from typing import Annotated, Any

from pydantic import Field, SecretStr

from fairtrial.base.strict import Strict

LONGEST_PASSWORD_CHARACTERS = 128

Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,31}$")]
"""Of a user or a database: what every product takes when it is quoted."""


class ServiceAddress(Strict):
    """`[services.NAME] address`: the login that programs have in their source.

    The password is a text of the experiment file. It is neither shown nor recorded: a record has asterisks instead.
    """

    port: int = Field(ge=1024, le=65535, description="of 127.0.0.1")
    user: Name
    password: SecretStr
    database: Name


def assert_secret(address: Any) -> None:
    """Refuse a password that no login has, and an address that is no table.

    It is called before the address is validated, and on what holds it: an error that is found later quotes its value.

    Raises:
        ValueError: the message holds nothing of the value.
    """
    if not isinstance(address, dict | ServiceAddress | None):
        raise ValueError("address: write it as { port = 5432, user = …, password = …, database = … }")
    if not isinstance(address, dict) or "password" not in address:
        return
    password = address["password"]
    text = password.get_secret_value() if isinstance(password, SecretStr) else password
    if not isinstance(text, str) or not 1 <= len(text) <= LONGEST_PASSWORD_CHARACTERS or not text.isprintable():
        raise ValueError(f"address.password: a text of 1 to {LONGEST_PASSWORD_CHARACTERS} printable characters")
