"""Remedies for bytes that were no answer of HTTP, by what the engine calls their cause."""

from fairtrial.record.engine_summary import EngineSummary

PROTOCOL_REMEDIES = {
    "tls": "the server speaks TLS on this port: ask it by https://",
    "http2": "the server seems to speak HTTP/2 without being asked: let it speak HTTP/1.1 on this port",
    "not_http": "that was not HTTP/1.1: is this the port of an HTTP server?",
    "status_line": "begin an answer with `HTTP/1.1`, a status of three digits, and a reason",
    "head_too_long": "head or trailer is above 64 KiB: send fewer or shorter headers; many clients refuse 8 KiB",
    "header_line": "each header is a name, a colon and a value in one line, without space before the colon "
    "(RFC 9112, section 5)",
    "bad_length": "send the body's length in bytes, in decimal digits, as Content-Length",
    "lengths_disagree": "send one Content-Length: server and proxy may each have added one",
    "bad_chunk": "each chunk is its size in hexadecimal digits, a line end, as many bytes, and a line end "
    "(RFC 9112, section 7)",
    "second_answer": "send one answer to a request: look for a handler that answers twice, or goes on after an error",
    "surplus": "the body is longer than its Content-Length says: count bytes, not characters",
    "http1": "the server speaks HTTP/1.1 here: leave out --http2 (http2 in [load]), or have it speak HTTP/2",
    "http2_frames": "the server breaks HTTP/2 (RFC 9113): the example names the rule; try another client to compare",
    "http2_request": "HTTP/2 cannot say this request: look at path and headers, or leave out --http2 (http2 in [load])",
    "unasked": "bytes came before anything was asked: look for a handler that answers twice, or a port that speaks "
    "first",
}
"""By the `cause` of an example: docs/engine-protocol.md, "HTTP/1.1 as servers speak it"."""


def protocol_remedy(summary: EngineSummary, otherwise: str) -> str:
    """The remedy for errors of the kind `protocol`, by the first example whose cause is known; else `otherwise`."""
    remedies = (PROTOCOL_REMEDIES.get(example.cause or "") for example in summary.examples)
    return next((remedy for remedy in remedies if remedy), otherwise)
