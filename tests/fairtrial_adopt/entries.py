"""Tiny entries in the form of each board: its own files, a Dockerfile, and a server that keeps the board's rules."""

import json
from pathlib import Path

PYTHON_ARENA = """
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

ITEMS = json.load(open("/data/dataset.json"))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        parts = urlsplit(self.path)
        numbers = {name: int(values[0]) for name, values in parse_qs(parts.query).items()}
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        kind = "text/plain"
        if parts.path.startswith("/json/"):
            items = [each | {"total": each["price"] * each["quantity"] * numbers["m"]} for each in ITEMS]
            count = int(parts.path.split("/")[2])
            answer, kind = json.dumps({"items": items[:count], "count": count}), "application/json"
        else:
            answer = "ok" if parts.path == "/pipeline" else str(sum(numbers.values()) + int(body or 0))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer.encode())

    do_POST = do_GET

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("0.0.0.0", 8080), Handler).serve_forever()
"""
NODE = """
const http = require('http');
http.createServer((request, response) => {
  const path = request.url.split('?')[0];
  ANSWERS
}).listen(PORT, '0.0.0.0');
"""
NODE_PLAIN = NODE.replace(
    "ANSWERS",
    """const json = path === '/json';
  const body = json ? JSON.stringify({ message: 'Hello, World!' }) : 'Hello, World!';
  response.setHeader('content-type', json ? 'application/json' : 'text/plain');
  response.end(body);""",
).replace("PORT", "8080")
NODE_ROUTES = NODE.replace("ANSWERS", "response.end(path.startsWith('/user/') ? path.slice(6) : '');").replace(
    "PORT", "3000"
)


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def httparena(root: Path, name: str = "python-plain", dockerfile: str = "", tests: tuple[str, ...] = ()) -> Path:
    """An entry of HttpArena, with the data of its collection."""
    items = [{"id": number, "price": 328, "quantity": 15} for number in range(50)]
    write(root / "data", dataset__json=json.dumps(items))
    meta = {"display_name": "Plain", "language": "Python", "tests": list(tests) or ["baseline", "json", "upload"]}
    usual = 'FROM python:3.13-slim\nWORKDIR /app\nCOPY . .\nEXPOSE 8080\nCMD ["python3", "server.py"]\n'
    folder = root / "frameworks" / name
    return write(folder, meta__json=json.dumps(meta), Dockerfile=dockerfile or usual, server__py=PYTHON_ARENA)


def techempower(root: Path) -> Path:
    """An entry of TechEmpower: a test without a database, and one on each of several databases."""
    plain = {"json_url": "/json", "plaintext_url": "/plaintext", "port": 8080, "language": "JavaScript"}
    rows = {"db_url": "/world", "query_url": "/worlds?queries=", "fortune_url": "/fortunes", "update_url": "/up/"}
    tests = {
        "default": {**plain, "database": "None", "display_name": "Node, plain"},
        "postgres": {**plain, **rows, "database": "Postgres", "docker_cmd": "node server.js --rows"},
        "mysql": {**plain, **rows, "database": "MySQL", "dockerfile": "node.dockerfile"},
        "mongodb": {**plain, "db_url": "/db", "database": "MongoDB", "dockerfile": "node.dockerfile"},
        "oracle": {"db_url": "/db", "database": "Oracle", "dockerfile": "node.dockerfile"},
    }
    dockerfile = "FROM node:20\nENV NODE_ENV production\nCOPY ./ /srv/app/\nWORKDIR /srv/app\nCMD node server.js\n"
    return write(
        root / "frameworks" / "JavaScript" / "node",
        benchmark_config__json=json.dumps({"framework": "node", "tests": [tests]}),
        node__dockerfile=dockerfile,
        **{"node-postgres__dockerfile": dockerfile},
        server__js=NODE_PLAIN,
    )


def the_benchmarker(root: Path, name: str = "plain") -> Path:
    """An entry of the-benchmarker: three files of configuration, and a template of its language."""
    write(root, config__yaml="cloud:\n  config: {}\n")
    language = {
        "language": {"version": 20, "engines": {"node": {"bootstrap": ["true"], "command": "node app.js"}}},
        "framework": {"engines": ["node"], "files": ["**/*.js"]},
    }
    template = (
        "FROM node:{{language.version}}\nWORKDIR /usr/src/app\n"
        "{{#files}}\n  COPY '{{source}}' '{{target}}'\n{{/files}}\n"
        "{{#deps.length}}\n  RUN apt-get -qq update\n{{/deps.length}}\n"
        "{{#bootstrap}}\n  RUN {{{.}}}\n{{/bootstrap}}\n"
        "HEALTHCHECK CMD curl --fail http://0.0.0.0:3000 || exit 1\nENTRYPOINT {{{command}}}\n"
    )
    write(root / "javascript", config__yaml=json.dumps(language), Dockerfile=template)
    folder = root / "javascript" / name
    return write(folder, config__yaml="framework:\n  version: 1\n", app__js=NODE_ROUTES, unused__txt="")
