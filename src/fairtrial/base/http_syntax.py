"""The syntax that HTTP allows in a request that a user writes."""

import re

TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
"""The characters of a header's name and of a method (RFC 9110, 5.6.2)."""

RESERVED_HEADERS = {
    "connection": "choose with --no-keepalive or --requests-per-connection",
    "content-length": "it follows from the body: leave it out",
    "transfer-encoding": "bodies are sent whole, with their length: leave it out",
}
"""Headers that follow from how a request is sent, by lower-case name, and what to do instead."""
