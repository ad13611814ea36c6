"""Values that are made up, the same ones every time."""

UUID = "00000000-0000-4000-8000-000000000001"
DATE = "2026-01-01"
TIME = "2026-01-01T00:00:00Z"
HTTP_DATE = "Thu, 01 Jan 2026 00:00:00 GMT"
SECONDS = "1767225600"
"""The same moment since 1970."""
EMAIL = "someone@example.com"

OF_FORMATS = {
    "byte": "dGV4dA==",
    "date": DATE,
    "date-time": TIME,
    "email": EMAIL,
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "time": "00:00:00Z",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uri-reference": "/",
    "uuid": UUID,
}
"""By `format` of a text (JSON Schema 2020-12, Validation, 7.3; OpenAPI 3, Data Types)."""
