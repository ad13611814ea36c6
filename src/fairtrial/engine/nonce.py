"""Nonces: texts in requests that follow from a secret, so that nobody else knows them before they are sent."""

import hmac
import secrets

KEY_BYTES = 16
NONCE_BYTES = 8


def new_nonce_key() -> str:
    """A secret that nobody else has, as a plan of the engine takes it."""
    return secrets.token_hex(KEY_BYTES)


def nonce_of(key: str, label: str, number: int) -> str:
    """The text that the engine sends for `{{nonce LABEL FROM}}` in the request of this number:
    docs/engine-protocol.md."""
    return hmac.digest(bytes.fromhex(key), f"{label} {number}".encode(), "sha256")[:NONCE_BYTES].hex()
