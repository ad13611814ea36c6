"""A language model's API that keeps to a plan: what it says, and when, is known.

    python3 server.py PORT [STALL_EVERY]

Each answer has 20 tokens, the first after 50 ms, the others 10 ms apart. With STALL_EVERY = N, every Nth answer stalls
for 400 ms before its eleventh token.
"""

import itertools
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKENS = 20
FIRST_SECONDS, GAP_SECONDS, STALL_SECONDS = 0.05, 0.01, 0.4
STALLS_BEFORE = 10

numbers = itertools.count(1)


class Chat(BaseHTTPRequestHandler):
    """Answers every POST with the planned tokens."""

    protocol_version = "HTTP/1.1"
    wbufsize = 0
    stall_every = 0

    def do_POST(self) -> None:
        """Stream one answer."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        number = next(numbers)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.say({"role": "assistant", "content": ""})
        due = time.monotonic() + FIRST_SECONDS
        for token in range(TOKENS):
            if token == STALLS_BEFORE and self.stall_every and number % self.stall_every == 0:
                due += STALL_SECONDS
            time.sleep(max(0.0, due - time.monotonic()))
            due += GAP_SECONDS
            self.say({"content": f" {token}"})
        self.chunk({"choices": [], "usage": {"prompt_tokens": 2, "completion_tokens": TOKENS}})
        self.write("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def say(self, delta: dict[str, str]) -> None:
        """Send a part of what the model says."""
        self.chunk({"choices": [{"index": 0, "delta": delta}], "usage": None})

    def chunk(self, value: object) -> None:
        """Send one event of JSON."""
        self.write(f"data: {json.dumps(value)}\n\n")

    def write(self, text: str) -> None:
        """Send text as a chunk of HTTP/1.1."""
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def log_message(self, *_: object) -> None:
        """Log nothing."""


if __name__ == "__main__":
    Chat.stall_every = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Chat)
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
