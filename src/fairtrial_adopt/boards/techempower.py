"""TechEmpower's FrameworkBenchmarks: `benchmark_config.json` and a Dockerfile for each of the tests that it names."""

from pathlib import Path
from typing import Any

from fairtrial.base.problem import Problem
from fairtrial.base.registry import pick
from fairtrial_adopt.boards import BoardReader
from fairtrial_adopt.described import file_within, slug_of, table_at, table_of, text_of
from fairtrial_adopt.entry import Entry, EntryExamination

NAME = "techempower"
DATABASE_HOST = "tfb-database"
SERVICES = {"postgres": "postgresql", "mysql": "mariadb", "mariadb": "mariadb"}
"""By the name of a database there, the lab's, where a workload file has its rows."""
ROWS = {"postgresql": "hello_world.sql", "mariadb": "hello_world.mariadb.sql"}
WITHOUT_LOGIN = {"mongodb": "MongoDB: its programs log in without a password, and the lab's server asks for one"}
"""By the name of a database there, why the lab's is none for them."""
QUERIES = "?queries="


def read(folder: Path, test: str) -> Entry:
    """The test of this name; empty: the first.

    Raises:
        Problem: there is none, or nothing of it can be asked here.
    """
    config = table_of(folder / "benchmark_config.json")
    tests: dict[str, Any] = {}
    for each in config.get("tests") or []:
        tests |= each if isinstance(each, dict) else {}
    name = test or next(iter(tests), "default")
    keys = table_at({name: pick("test", name, tests)}, name)
    framework = str(config.get("framework") or folder.name)
    database = str(keys.get("database"))
    service = SERVICES.get(database.lower())
    examinations = tuple(each for each in _examinations(keys, service) if each.paths)
    why_not = WITHOUT_LOGIN.get(database.lower(), database)
    if not examinations:
        raise Problem(
            f"{name}: of its tests none can be asked on {why_not}", "adopted are those on PostgreSQL, MySQL or none"
        )
    suffix = "" if name == "default" else name
    dockerfile = keys.get("dockerfile") or f"{'-'.join(filter(None, (framework, suffix)))}.dockerfile"
    unasked = [key for key in ("db_url", "query_url", "fortune_url", "update_url") if keys.get(key) and not service]
    return Entry(
        board=NAME,
        name=slug_of(NAME, framework, suffix),
        title=str(keys.get("display_name") or framework),
        language=str(keys.get("language") or ""),
        folder=folder,
        dockerfile=text_of(file_within(folder, str(dockerfile))),
        command=str(keys.get("docker_cmd") or ""),
        port=int(keys.get("port") or 8080),
        examinations=examinations,
        hosts={DATABASE_HOST: "127.0.0.1"},
        remarks=(
            *((f"{', '.join(unasked)}: not asked on {why_not}",) if unasked else ()),
            *(("MariaDB takes the place of MySQL",) if database.lower() == "mysql" else ()),
        ),
    )


def _examinations(keys: dict[str, Any], service: str | None) -> list[EntryExamination]:
    plain = _paths(keys, {"/json": "json_url", "/plaintext": "plaintext_url"})
    data = {service: ROWS[service]} if service else {}  # which entries read when they start
    examinations = [
        EntryExamination(name="techempower", workload="techempower", paths=plain, service=service or "none", data=data)
    ]
    if service is not None:
        read_paths = {
            **_paths(keys, {"/db": "db_url", "/fortunes": "fortune_url"}),
            **_with_count("/queries", str(keys.get("query_url") or "")),
        }
        updates = _with_count("/updates", str(keys.get("update_url") or ""))
        examinations += [
            EntryExamination(name="techempower-db", workload="techempower-db", paths=read_paths, service=service),
            EntryExamination(
                name="techempower-updates", workload="techempower-updates", paths=updates, service=service, writes=True
            ),
        ]
    return examinations


def _paths(keys: dict[str, Any], names: dict[str, str]) -> dict[str, str]:
    return {path: str(keys[name]) for path, name in names.items() if keys.get(name)}


def _with_count(path: str, url: str) -> dict[str, str]:
    """The entry's path for one that ends with a number of rows, and for one that lacks it."""
    return {f"{path}{QUERIES}": url, path: url.partition("?")[0].removesuffix("/") or url} if url else {}


BOARD = BoardReader(NAME, "benchmark_config.json", read)
