"""`fairtrial adopt`: entries of public boards as contenders."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from fairtrial_adopt.registry import Outcome
    from fairtrial_adopt.source import Source


def adopt(
    entry: Annotated[
        str,
        typer.Argument(
            help="The folder of an entry within its board's collection, or the URL of a git repository; with "
            "--registry, a folder with a file NAME.toml for each entry: url, commit, path, and test and sha256 if you "
            "like.",
            metavar="ENTRY",
        ),
    ],
    registry: Annotated[bool, typer.Option("--registry", help="ENTRY is a registry: adopt and try all of it.")] = False,
    commit: Annotated[str, typer.Option(help="Of a URL: the hash of the commit, in full.", metavar="HASH")] = "",
    path: Annotated[str, typer.Option(help="Of a URL: the entry's folder in the repository.", metavar="PATH")] = ".",
    test: Annotated[
        str,
        typer.Option(help="Which of its tests or engines. [default: the first]", metavar="NAME", show_default=False),
    ] = "",
    out: Annotated[Path, typer.Option(help="Where the folder NAME is made.", metavar="DIR")] = Path("adopted"),
    how: Annotated[
        Literal["container", "program"] | None,
        typer.Option(
            "--as",
            help="As a container, or as a program on this machine. [default: a container if docker or podman answers]",
            metavar="container|program",
        ),
    ] = None,
) -> None:
    """Make contenders of entries of TechEmpower, HttpArena and the-benchmarker, and try them.

    An entry's files stay as they are; a container's Dockerfile is that of the test. Beside them come an experiment and
    a workload for each of the board's rules that is asked here, and, for a program, build.sh and start.sh, which do
    what its Dockerfile says. Then `fairtrial check` builds it, starts it and asks it. What cannot be done is refused by
    name. **Unless you are root, builds run as you: read build.sh.**

    **Examples**

    `fairtrial adopt web-frameworks/go/chi`

    `fairtrial adopt https://github.com/MDA2AV/HttpArena --commit HASH --path frameworks/flask`

    `fairtrial adopt --registry entries`

    Exit status: 0 all came up and keep their contract; 2 wrong use; 3 one was refused or breaks it; 130 interrupted.
    """
    from rich.console import Console

    from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT
    from fairtrial.engine.binary import assert_engine
    from fairtrial_adopt.registry import CAME_UP, outcomes_of

    of_one = {"commit": commit, "path": path, "test": test}
    sources = _registry(Path(entry), of_one) if registry else {entry: _source(entry, **of_one)}
    assert_engine()
    console = Console(highlight=False)
    outcomes: list[Outcome] = []
    for number, (name, source) in enumerate(sources.items(), 1):
        with console.status(f"{number} of {len(sources)}: {name}"):
            outcomes += outcomes_of(name, source, out, how, is_alone=not registry)
    _print(console, outcomes, out)
    raise typer.Exit(ALL_WELL if all(each.outcome == CAME_UP for each in outcomes) else IN_DOUBT)


def _registry(folder: Path, of_one: dict[str, str]) -> "dict[str, Source]":
    from fairtrial.base.problem import Problem
    from fairtrial_adopt.registry import read_registry

    if of_one != {"commit": "", "path": ".", "test": ""}:
        raise Problem("--commit, --path and --test are of one entry", "leave them out: a registry's files say it")
    return read_registry(folder)


def _source(entry: str, commit: str, path: str, test: str) -> "Source":
    from pydantic import ValidationError

    from fairtrial.base.fault_words import fault_in_words
    from fairtrial.base.problem import Problem
    from fairtrial_adopt.source import Source

    keys = {"url": entry, "commit": commit, "path": path} if "://" in entry else {"folder": entry}
    if "url" not in keys and (commit or path != "."):
        raise Problem("--commit and --path are of a URL", "leave them out, or name the URL of a repository")
    try:
        return Source(**keys, test=test)
    except ValidationError as error:
        reasons = "; ".join(map(fault_in_words, error.errors()))
        raise Problem(reasons, "give --commit with a URL: its hash in full") from error


def _print(console: "Console", outcomes: "list[Outcome]", out: Path) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table("entry", "board", "language", "workload", "outcome", "why", box=None, pad_edge=False)
    for each in outcomes:
        cells = (each.name, each.board, each.language, each.workload, each.outcome, each.why)
        table.add_row(*(Text(cell, overflow="fold") for cell in cells))
    console.print(table)
    came_up = sum(each.outcome == "came up" for each in outcomes)
    console.print(
        Text(
            f"{came_up} of {len(outcomes)} came up; entries are in {out}/NAME, what was seen in {out}/NAME.*.check.log"
        )
    )
