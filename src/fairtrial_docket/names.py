"""Names of pages: what a record or a board calls something becomes the name of a file, and stays it."""

import hashlib
import re

LONGEST = 80


def page_name(*parts: str) -> str:
    """A name of small letters, digits and hyphens. Where that loses something, a digest tells it from others."""
    text = "--".join(parts)
    plain = "--".join(re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-") for part in parts)[:LONGEST]
    if plain == text:
        return plain
    return f"{plain}-{hashlib.sha256(text.encode()).hexdigest()[:6]}".lstrip("-")
