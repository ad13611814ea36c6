"""Each kind of project is recognised by what such a folder holds, and nothing is proposed for other folders."""

import json
from pathlib import Path

import pytest

from fairtrial_init.answers import line_of, paths_to_ask, ready_path
from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects import all_projects, proposals_for

GUNICORN = 'gunicorn --bind "$HOST:$PORT" --workers "$WEB_CONCURRENCY" --threads "$MAX_THREADS" --keep-alive 65'
CONTROLLER = '@RestController\npublic class A {\n@GetMapping("/items")\nint items() { return 1; }\n}\n'
FASTAPI = "from fastapi import FastAPI\napp = FastAPI()\n@app.get('/healthz')\ndef a(): ...\n@app.get('/items/{id}')\n"
PACKAGE = {"scripts": {"start": "node src/server.js"}, "dependencies": {"express": "5"}}
EXPRESS = "const p = process.env.PORT || 3000\napp.get('/items', list)\napp.get('/items/:id', one)\napp.listen(p)\n"

FOLDERS: dict[str, tuple[dict[str, str], str, str, list[str]]] = {
    "python-asgi": (
        {"requirements.txt": "fastapi==0.1\nuvicorn==1\n", "src/shop/main.py": FASTAPI + "@app.get('/items')\n"},
        'FastAPI: .venv/bin/uvicorn shop.main:app --app-dir src --host "$HOST" --port "$PORT" --no-access-log',
        "PORT",
        ["/items"],
    ),
    "python-asgi without a server": (
        {"pyproject.toml": '[project]\ndependencies = ["litestar"]\n', "app.py": "app = Litestar([index])\n"},
        'Litestar: .venv/bin/uvicorn app:app --host "$HOST" --port "$PORT" --no-access-log',
        "PORT",
        [],
    ),
    "python-flask": (
        {"app.py": "from flask import Flask\nx = Flask('x')\n@x.route('/items')\n@x.get('/items/<int:id>')\n"},
        f"Flask: python3 -m {GUNICORN} 'app:x'",
        "PORT",
        ["/items"],
    ),
    "python-django": (
        {
            "manage.py": "",
            "shop/wsgi.py": "",
            "shop/urls.py": "path('items/', items), path('api/', include(api)), path('items/<int:id>', item)",
            "uv.lock": "",
            "pyproject.toml": '[project]\ndependencies = ["django", "gunicorn"]\n',
        },
        f"Django: .venv/bin/{GUNICORN} shop.wsgi:application",
        "PORT",
        ["/items/"],
    ),
    "python-script": (
        {"serve.py": "if self.path == '/items': ...\nHTTPServer(('127.0.0.1', 8123), H).serve_forever()\n"},
        "Python: python3 serve.py",
        "8123",
        ["/items"],
    ),
    "node": (
        {"package.json": json.dumps(PACKAGE), "package-lock.json": "{}", "src/server.js": EXPRESS},
        "Node.js: node src/server.js",
        "PORT",
        ["/items"],
    ),
    "node by a shell": (
        {"package.json": json.dumps({"scripts": {"start": "NODE_ENV=production node a.js"}})},
        "Node.js: npm start",
        "",
        [],
    ),
    "go": (
        {
            "go.mod": "module shop",
            "cmd/tool/main.go": "package main\n",
            "cmd/shop/main.go": 'package main\nmux.HandleFunc("GET /items", f)\nhttp.ListenAndServe(":8080", mux)\n',
        },
        "Go: ./fairtrial-server",
        "8080",
        ["/items"],
    ),
    "rust": (
        {
            "Cargo.toml": '[package]\nname = "shop"\n',
            "src/main.rs": '.route("/items", get(items)) bind("127.0.0.1:3000")',
        },
        "Rust: target/release/shop",
        "3000",
        ["/items"],
    ),
    "maven": (
        {"pom.xml": "<parent>spring-boot-starter-parent</parent>", "src/main/java/A.java": CONTROLLER},
        'Spring Boot: java -jar target/*.jar --server.address="$HOST" --server.port="$PORT"',
        "PORT",
        ["/items"],
    ),
    "gradle": (
        {"build.gradle.kts": 'plugins { id("io.quarkus") }', "gradlew": ""},
        'Quarkus: java -Dquarkus.http.host="$HOST" -Dquarkus.http.port="$PORT" -jar build/quarkus-app/quarkus-run.jar',
        "PORT",
        [],
    ),
    "ruby": (
        {
            "Gemfile": "gem 'rails'\ngem 'puma'\n",
            "config.ru": "",
            "config/routes.rb": "  get '/items', to: 'items#index'",
        },
        'Rails: bundle exec puma --environment production --bind "tcp://$HOST:$PORT"'
        ' --threads "$MAX_THREADS:$MAX_THREADS"',
        "PORT",
        ["/items"],
    ),
    "dockerfile": (
        {"Dockerfile": 'FROM x\nEXPOSE 9000/tcp\nENTRYPOINT ["./serve"]\nCMD ["--fast"]\n'},
        "Dockerfile: ./serve --fast",
        "9000",
        [],
    ),
}
"""By kind (and what is special): files; what is proposed first; the port; the paths to ask."""


def a_folder(at: Path, files: dict[str, str]) -> ProjectFolder:
    for name, text in files.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_text(text)
    return ProjectFolder(at)


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_project_is_recognised(tmp_path: Path, kind: str) -> None:
    files, started, port, paths = FOLDERS[kind]

    proposals = proposals_for(a_folder(tmp_path, files))

    assert [f"{each.kind}: {line_of(each.command)}" for each in proposals] == [started]
    assert proposals[0].port == port
    assert list(paths_to_ask(proposals[0].paths)) == paths


def test_every_kind_has_a_folder_here() -> None:
    assert {name.partition(" ")[0] for name in FOLDERS} == set(all_projects())


def test_what_a_build_installs(tmp_path: Path) -> None:
    def build(name: str) -> list[str]:
        folder = tmp_path / name.replace(" ", "-")
        return [" ".join(words) for words in proposals_for(a_folder(folder, FOLDERS[name][0]))[0].build]

    venv = "python3 -m venv .venv"
    assert build("python-asgi") == [venv, ".venv/bin/pip install --quiet --requirement requirements.txt"]
    without = [venv, ".venv/bin/pip install --quiet .", ".venv/bin/pip install --quiet uvicorn"]
    assert build("python-asgi without a server") == without
    assert build("python-django") == ["uv sync --frozen --quiet"]
    assert build("python-flask") == []
    assert build("node") == ["npm ci"]
    assert build("go") == ["go build -o fairtrial-server ./cmd/shop"]
    assert build("gradle") == ["./gradlew --quiet --no-daemon assemble"]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"README.md": "python3 app.py"},
        {"package.json": json.dumps({"name": "library", "main": "index.js"}), "index.js": "module.exports = 7"},
        {"package.json": "[" * 100_000},
        {"go.mod": "module library", "library.go": "package library"},
        {"tests/server.py": "HTTPServer(a, b).serve_forever()", "node_modules/x/server.js": "http.listen(3000)"},
        {"env/pyvenv.cfg": "", "env/app.py": "app = FastAPI()"},
        {"Cargo.toml": "[workspace]\nmembers = ['a']"},
        {"Dockerfile": 'FROM x\nENTRYPOINT ["tool"]\nCMD ["--help"]\n'},
    ],
)
def test_what_is_no_service_is_not_taken_for_one(tmp_path: Path, files: dict[str, str]) -> None:
    assert proposals_for(a_folder(tmp_path, files)) == []


def test_a_framework_is_proposed_before_a_language_and_a_file(tmp_path: Path) -> None:
    files = {**FOLDERS["dockerfile"][0], **FOLDERS["node"][0], **FOLDERS["python-asgi"][0]}
    assert [each.kind for each in proposals_for(a_folder(tmp_path, files))] == ["FastAPI", "Node.js", "Dockerfile"]


def test_what_says_whether_a_service_is_ready_is_not_asked_for_its_own_sake() -> None:
    assert ready_path(["/items", "/health", "/healthz"]) == "/healthz"
    assert paths_to_ask(["/healthz", "/items"]) == ("/items",)
    assert paths_to_ask(["/healthz"]) == ("/healthz",)
    assert ready_path(["/items/ready"]) is None


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = a_folder(tmp_path / "outside", {"app.py": "app = FastAPI()"})
    inside = a_folder(tmp_path / "inside", {"README.md": ""})
    (inside.path / "app.py").symlink_to(outside.path / "app.py")
    (inside.path / "src").symlink_to(outside.path)
    assert proposals_for(inside) == []
