"""Secrets: names that say so, and values that look like a known kind of key."""

import re

PARTS = (  # noqa: SIM905
    "password passwd passphrase pwd secret token apikey accesskey privatekey authorization credential signature "
    "sessionid sessid sessionkey jwt cookie csrf xsrf clientassertion authkey"
).split()
"""A name that holds one of these, without regard to case, `-` and `_`, is a secret's."""
WHOLE = frozenset("auth bearer cvc cvv otp pass pin pw session sid sig".split())  # noqa: SIM905
OF_NUMBERS = ("password", "passwd", "passphrase", "pwd", "secret")
WHOLE_OF_NUMBERS = frozenset("cvc cvv otp pass pin pw".split())  # noqa: SIM905
"""Numbers are secrets under these names alone: `max_tokens = 100` is none."""
KEY_CHARACTERS = 16
"""`key=` with at least so many characters is taken for an API key."""

VALUE = re.compile(
    r"""
    (?<![A-Za-z0-9_-])(?:
        eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*     # a JSON Web Token (RFC 7519)
        | gh[pousr]_[A-Za-z0-9]{20,} | github_pat_\w{20,} | glpat-[\w-]{16,}
        | sk-[A-Za-z0-9_-]{16,} | [rs]k_(?:live|test)_\w{8,}
        | xox[abprs]-[\w-]{10,} | AKIA[0-9A-Z]{16} | AIza[\w-]{30,}
    )
    | -----BEGIN[ ][A-Z ]{0,20}PRIVATE[ ]KEY-----.*?(?:-----END[ ][A-Z ]{0,20}PRIVATE[ ]KEY-----|\Z)
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
"""Keys and tokens that can be told by their form, whatever their name."""


def is_secret_name(name: str, value: str | float = "") -> bool:
    """Whether what has this name (of a header, a parameter, a member) is a secret.

    Args:
        value: text, or a number, of which fewer are secrets.
    """
    compact = re.sub(r"[^a-z0-9]", "", name.lower())
    if not isinstance(value, str):
        return compact in WHOLE_OF_NUMBERS or any(part in compact for part in OF_NUMBERS)
    if compact == "key":
        return len(value) >= KEY_CHARACTERS
    return compact in WHOLE or any(part in compact for part in PARTS)


def is_secret_value(value: str) -> bool:
    """Whether a text holds a key or a token that can be told by its form."""
    return VALUE.search(value) is not None
