"""Remedies for errors by the cause that the engine tells: no HTTP, failures of HTTP/2, HTTP/3, WebSocket and TLS."""

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
    "unasked": "bytes came before anything was asked: look for a handler that answers twice, or a port that speaks "
    "first",
    "http1": "the server speaks HTTP/1.1 here: have it speak HTTP/2, which gRPC needs, or leave out --http2 (http2 in "
    "[load])",
    "http2_request": "HTTP/2 and HTTP/3 cannot say this request: look at path and headers, or leave out --http2 or "
    "--http3 (http2, http3 in [load])",
    "http2_preface": "that was not HTTP/2, which begins with SETTINGS: is this the port of a server that speaks it?",
    "http2_settings": "the server's SETTINGS have a value or a length that none may have (RFC 9113, section 6.5)",
    "http2_stream_id": "answer on the stream of the request: the client opens streams 1, 3, 5 … "
    "(RFC 9113, section 5.1.1)",
    "http2_after_end": "send one answer to a request: look for a handler that answers twice, or goes on writing after "
    "its end",
    "http2_push": "do not push: the client's SETTINGS forbid it (RFC 9113, section 8.4)",
    "http2_frame_size": "send frames of 16,384 bytes at most: the client allows no longer ones (RFC 9113, section 4.2)",
    "http2_padding": "a frame's padding is longer than the frame: send none (RFC 9113, section 6.1)",
    "http2_continuation": "send a head's frames one right after the other, the last with END_HEADERS "
    "(RFC 9113, section 6.10)",
    "http2_hpack": "the head cannot be read: server and client disagree about HPACK's table (RFC 7541); try another "
    "client to compare",
    "http2_head_too_long": "head or trailer is above 64 KiB: send fewer or shorter headers; many clients refuse 8 KiB",
    "http2_header_name": "write names of headers in lower case: HTTP/2 has no others (RFC 9113, section 8.2.1)",
    "http2_header_value": "a header's value has no line ends and no control characters (RFC 9113, section 8.2.1)",
    "http2_connection_header": "leave out Connection, Keep-Alive, Transfer-Encoding, Upgrade and Proxy-Connection over "
    "HTTP/2: a proxy or a handler copies them (RFC 9113, section 8.2.2)",
    "http2_pseudo_header": "a head begins with one `:status` of three digits, and trailers have none "
    "(RFC 9113, section 8.3)",
    "http2_content_length": "send as many bytes as Content-Length says: count bytes, not characters, after compression",
    "http2_trailers": "a second head ends the stream as its trailers (END_STREAM), or is not sent "
    "(RFC 9113, section 8.1)",
    "http2_no_head": "send a head with a final status before body and end (RFC 9113, section 8.1)",
    "http2_flow_control": "send no more than the client's windows allow, and open no window beyond 2^31 - 1 bytes "
    "(RFC 9113, section 6.9)",
    "http2_flood": "the server sends frame after frame that says nothing: look for a loop that writes empty pieces",
    "http2_unread": "the server does not read what it is sent: look for a reader that waits, or has ended",
    "http2_frames": "the server breaks HTTP/2 (RFC 9113): the example says what came; try another client to compare",
    "http2_reset": "the server reset single streams, with the code in the example (RST_STREAM): see its log; "
    "ENHANCE_YOUR_CALM is a limit of its, INTERNAL_ERROR and CANCEL are a handler that gave up",
    "http2_goaway": "the server ended the connection with the code in the example (GOAWAY) and left requests "
    "unanswered: see its log; ENHANCE_YOUR_CALM is a limit of its",
    "http2_no_settings": "connections are taken, and no SETTINGS come, with which HTTP/2 begins: does the server speak "
    "it on this port, without TLS by prior knowledge?",
    "http2_no_stream": "the server allows too few streams at once (SETTINGS_MAX_CONCURRENT_STREAMS, in the example): "
    "raise its limit, or ask for fewer at once",
    "http2_window": "the server opens no window for the requests' bodies: look for a handler that does not read them, "
    "or a small initial window",
    "http2_no_end": "answers begin and do not end: send END_STREAM with the last frame; look for a response that is "
    "not closed, or for trailers that are not sent",
}
"""By the `cause` of an example: docs/engine-protocol.md, "HTTP/1.1 as servers speak it" and "HTTP/2"."""

HTTP3_REMEDIES = {
    "http3_no_handshake": "does the server speak HTTP/3 on this port of UDP, and does no firewall drop it? If so, its "
    "handshakes take longer than the time-out: offer less",
    "http3_version": "let the server speak version 1 of QUIC (RFC 9000)",
    "http3_transport": "the server breaks QUIC (RFC 9000): the example says how; try another client to compare",
    "http3_close": "the server ended the connection with the code in the example: see its log; H3_EXCESSIVE_LOAD is a "
    "limit of its",
    "http3_stateless_reset": "the server no longer knew its connections: look for a restart, or a balancer that sends "
    "packets to another worker",
    "http3_idle": "the server keeps silent connections for a short time: raise its idle time-out, or ask more often",
    "http3_reset": "the server reset single streams, with the code in the example: see its log; H3_INTERNAL_ERROR and "
    "H3_REQUEST_CANCELLED are a handler that gave up",
    "http3_goaway": "the server ended the connection (GOAWAY) and left requests unanswered: see its log",
    "http3_frame_unexpected": "the server sends a frame where none of its type may be (RFC 9114, section 7.2): try "
    "another client to compare",
    "http3_frame_error": "a frame is cut, or not as long as it says (RFC 9114, section 7.1): look for a body that is "
    "shorter or longer than was announced",
    "http3_settings": "begin the control stream with SETTINGS, once, without those of HTTP/2 (RFC 9114, section 7.2.4)",
    "http3_streams": "open one control stream and one of each of QPACK's, and end none (RFC 9114, section 6.2)",
    "http3_push": "do not push: the client allows none (RFC 9114, section 4.6)",
    "http3_qpack": "the head cannot be read: the client allows no dynamic table of QPACK (RFC 9204); try another "
    "client to compare",
    "http3_head_too_long": "the head is above 64 KiB: send fewer or shorter headers; many clients refuse 8 KiB",
    "http3_header_name": "write names of headers in lower case: HTTP/3 has no others (RFC 9114, section 4.2)",
    "http3_header_value": "a header's value has no line ends and no control characters (RFC 9114, section 4.2)",
    "http3_connection_header": "leave out Connection, Keep-Alive, Transfer-Encoding, Upgrade and Proxy-Connection over "
    "HTTP/3: a proxy or a handler copies them (RFC 9114, section 4.2)",
    "http3_pseudo_header": "a head begins with one `:status` of three digits, and trailers have none "
    "(RFC 9114, section 4.3)",
    "http3_content_length": "send as many bytes as Content-Length says: count bytes, not characters, after compression",
    "http3_no_head": "send a head with a final status before body and end (RFC 9114, section 4.1)",
    "http3_no_stream": "the server allows too few streams at once (initial_max_streams_bidi): raise its limit, or ask "
    "for fewer at once",
    "http3_no_end": "answers begin and do not end: look for a response that is not closed, or for trailers that are "
    "not sent",
}
"""By the `cause` of an example over HTTP/3: docs/engine-protocol.md, "HTTP/3"."""

WEBSOCKET_REMEDIES = {
    "websocket_refused": "the server opens no WebSocket at this path: look at the path, and at headers that it wants",
    "websocket_upgrade": "answer the handshake with `Upgrade: websocket` and `Connection: Upgrade`: a proxy before the "
    "server may drop them",
    "websocket_accept": "answer with Sec-WebSocket-Accept as RFC 6455, section 4.2.2 makes it of the key",
    "websocket_extension": "agree on no extension: the client offers none",
    "websocket_subprotocol": "the server wants another subprotocol: name one of its in the header "
    "Sec-WebSocket-Protocol",
    "websocket_no_handshake": "connections are taken, and their handshakes not answered: is this the port and the path "
    "of a WebSocket?",
    "websocket_handshake_closed": "the server, or what stands before it, ended the connection within the handshake: "
    "see its log; often a limit of connections, or a crash",
    "websocket_unknown_id": "messages came that answer none: are they pushed, or is the id elsewhere ([websocket] id)?",
    "websocket_unasked": "messages came before any was sent: where servers push, have answers found by an id "
    "([websocket] id)",
    "websocket_no_id": "write the id into the message, at the pointer of [websocket] id",
    "websocket_same_id": "give each message an id of its own ({{sequence 1}}): it tells answers from each other",
    "websocket_flood": "the server sends frame after frame that says nothing: look for a loop that pings",
    "websocket_unfinished": "messages begin and do not end: look for a handler that hangs, or a length that counts too "
    "many bytes",
    "websocket_no_close": "the server cut the connection without a close frame: look for a crash, a worker's restart, "
    "or a proxy's time-out",
    "websocket_no_copy": "a message did not reach each connection: look at whom the server sends it on to, and at what "
    "it drops under load",
    "websocket_second_copy": "a connection got a message twice, or its own: [websocket] broadcast says to whom it goes",
    "websocket_copies_differ": "send each connection the same message: leave what differs to messages of its own",
    "websocket_masked": "send frames without a mask: only clients have one (RFC 6455, section 5.1)",
    "websocket_reserved": "set no reserved bit: no extension was agreed on (RFC 6455, section 5.2)",
    "websocket_opcode": "send opcodes 0, 1, 2, 8, 9 and 10 alone (RFC 6455, section 5.2)",
    "websocket_control": "a control frame has at most 125 bytes and is whole (RFC 6455, section 5.5)",
    "websocket_continuation": "send the fragments of a message one behind the other (RFC 6455, section 5.4)",
    "websocket_length": "write lengths in as few bytes as they need (RFC 6455, section 5.2)",
    "websocket_too_long": "allow longer messages ([websocket] message_bytes), or send shorter ones",
    "websocket_utf8": "send bytes that are no UTF-8 as binary messages (RFC 6455, section 8.1)",
    "websocket_close_frame": "close with a code that may be sent, or with none (RFC 6455, section 7.4)",
    "websocket_close_1005": "the server closed without a code while answers were awaited: see its log",
    "websocket_close_1000": "the server closed as if all were done: look for a limit of messages or of time",
    "websocket_close_1001": "the server goes away: look for a restart, or an idle time-out",
    "websocket_close_1002": "the server says that the client breaks RFC 6455: see its log, and try another client",
    "websocket_close_1003": "the server takes no such messages: send text in place of binary ones, or the reverse",
    "websocket_close_1007": "the server cannot read the message: look at its form",
    "websocket_close_1008": "the server forbids it: look at credentials, origin and limits",
    "websocket_close_1009": "the message is too long for the server: raise its limit, or send shorter ones",
    "websocket_close_1010": "the server wants an extension, and the client offers none",
    "websocket_close_1011": "the server's handler failed: see its log",
    "websocket_close_1012": "the server restarts: look for a worker's limit of messages or memory",
    "websocket_close_1013": "the server is overloaded, and says so: offer less",
    "websocket_close_1014": "a gateway got no right answer from the server behind it: see both logs",
    "websocket_close_other": "the code is the application's own: see what it means there",
}
"""By the `cause` of an example over WebSocket: docs/engine-protocol.md, "WebSocket"."""

TLS_REMEDIES = {
    "plain_http": "the server speaks plain HTTP on this port: ask it by http://, or at its port for https",
    "plaintext": "that was no TLS: is this the port of an HTTPS server?",
    "handshake_closed": "the server, or what stands before it, closed the connection within the handshake: see its "
    "log; often a port without TLS, a limit of connections, or a server without a certificate for this name",
    "handshake_reset": "the server, or what stands before it, reset the connection within the handshake: look for a "
    "crash, a full backlog or a firewall",
    "handshake_timeout": "does the server speak TLS on this port? If so, its handshakes take longer than "
    "the time-out: keep connections alive, or offer less",
    "tls_version": "let the server speak TLS 1.2 or 1.3: older versions are no longer spoken (RFC 8996)",
    "cipher_suites": "let the server take ECDHE on X25519, P-256 or P-384, with AES-GCM or ChaCha20-Poly1305",
    "alpn_http2": "have the server offer h2 by ALPN, or leave out --http2 (http2 in [load])",
    "alpn_http3": "have the server offer h3 by ALPN, or leave out --http3 (http3 in [load])",
    "alpn_http1": "have the server offer http/1.1 by ALPN, or ask it with --http2 (http2 in [load])",
    "server_name": "ask the server by a name that it has a certificate for",
    "certificate_name": "ask by a name that the certificate has, or make one for this name",
    "certificate_expired": "renew the server's certificate, and compare this machine's clock",
    "certificate_not_yet_valid": "compare this machine's clock with that of who made the certificate",
    "certificate_issuer": "trust its authority with --cacert FILE (in an experiment, among the roots of this machine), "
    "and have the server send what stands between them",
    "certificate_revoked": "give the server a certificate that is not revoked",
    "certificate_purpose": "make the server's certificate with the extended key usage serverAuth",
    "certificate_authority": "have the authority sign a certificate without CA:TRUE for the server",
    "certificate_signature": "give the server the key of its certificate, and the certificate as it was signed",
    "certificate_algorithm": "make the certificate with ECDSA on P-256, or with RSA of 2,048 bits, and SHA-256",
    "certificate_malformed": "make the server's certificate anew, by X.509 version 3; "
    "`openssl s_client -showcerts -connect HOST:PORT` shows what it sends",
    "client_certificate": "show a certificate that the server trusts, with --cert and --key, or let it require none",
    "client_certificate_refused": "is the certificate of --cert valid, for clients, and of an authority that the "
    "server trusts?",
    "bad_record": "bytes came that are no TLS, or were changed on the way: look for a server that writes past its TLS, "
    "and for a proxy between",
    "record_size": "a record holds 16 KiB at most (RFC 8446, section 5.1): look for a server that writes past its TLS",
    "bad_message": "the server breaks TLS (RFC 8446): the example says how; try another client to compare",
    "renegotiation": "a connection has one handshake here, as in TLS 1.3 and HTTP/2: have the server ask for client "
    "certificates in the first, not for some of its paths",
    "tls_flood": "a server has nothing to say by so many records without content: look at its settings for session "
    "tickets and key updates; try another client to compare",
    "tls_alert": "see the server's log for the alert that the example names",
    "no_close_notify": "the server cut the connection within an answer: look for a crash, a worker's restart, a limit "
    "of requests, or a proxy's time-out; without a close_notify, nobody knows that an answer is whole",
    "early_close_notify": "the server ended the connection before its answer was complete: look for keep-alive limits, "
    "worker recycling (max requests) and missing `Connection: close`",
}
"""By the `cause` of an example of kind `tls`, `timeout` or `closed`: docs/engine-protocol.md, "TLS"."""

UNFINISHED_REMEDIES = {
    "no_answer": "new connections end before any answer: look for a crash, a limit of connections, a firewall, or a "
    "port that speaks TLS",
    "head_unfinished": "heads begin and do not end: look for a blank line that is missing, a handler that hangs among "
    "its headers, or a crash",
    "body_unfinished": "bodies begin and do not end: look for a crash, a worker's restart, a handler that hangs, a "
    "proxy's time-out, or a Content-Length that counts too many bytes",
    "no_length": "the head came, the body never ended: it has no Content-Length and no chunks, so only a close ends it "
    "(RFC 9112, section 6.3): send a length, or close behind the answer",
}
"""By the `cause` of an example of kind `closed`, `reset` or `timeout`: how far the answer had come."""

OF_BEGINNINGS = ("head_unfinished", "body_unfinished")
"""Causes of a timeout that an example has, while of others nothing came."""

CAUSE_REMEDIES = PROTOCOL_REMEDIES | HTTP3_REMEDIES | WEBSOCKET_REMEDIES | TLS_REMEDIES | UNFINISHED_REMEDIES


def known_cause(summary: EngineSummary, kind: str) -> str | None:
    """The cause of the first example of this kind of error that has a remedy of its own; None if there is none."""
    causes = (example.cause for example in summary.examples if example.kind == kind)
    return next((cause for cause in causes if cause in CAUSE_REMEDIES), None)


def cause_remedy(summary: EngineSummary, kind: str, otherwise: str) -> str:
    """The remedy for errors of this kind, by the first example of it whose cause is known; else `otherwise`."""
    cause = known_cause(summary, kind)
    if cause is None:
        return otherwise
    if kind == "timeout" and cause in OF_BEGINNINGS:  # only requests of which something had come are examples
        return "; ".join(filter(None, [otherwise, f"some answers had begun: {CAUSE_REMEDIES[cause]}"]))
    return CAUSE_REMEDIES[cause]
