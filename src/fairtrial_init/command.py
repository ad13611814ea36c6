"""`fairtrial init`: put the service of a folder on trial."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer


def init(
    folder: Annotated[Path, typer.Argument(help="The service's folder, its repository as a rule.")] = Path(),
    command: Annotated[
        str | None,
        typer.Option(
            metavar="'…'",
            help="How it is started, as you type it: 'node server.js'. Variables may stand in "
            "it: 'uvicorn app:app --port $PORT'. [default: proposed]",
        ),
    ] = None,
    build: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'…'", help="A command that builds its copy; may be repeated. '' for none. [default: proposed]"
        ),
    ] = None,
    port: Annotated[
        str | None,
        typer.Option(
            metavar="N|PORT",
            help="Where it always listens: a number, or PORT if it takes what that variable says. [default: proposed]",
        ),
    ] = None,
    ready: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|tcp",
            help="What answers 200 once it can serve; tcp: its port accepts connections. [default: a path such as "
            "/healthz in the source; without one, any answer to GET /]",
        ),
    ] = None,
    requests: Annotated[
        str | None,
        typer.Option(
            metavar="…",
            help="What it is asked: paths ('/items /items/7'), or a file that `fairtrial import` "
            "reads: an OpenAPI document, a HAR file. [default: a document that lies there, or what the started service "
            "says]",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing, and take what is proposed.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are there already.")] = False,
    ci: Annotated[
        Literal["github", "gitlab"] | None,
        typer.Option(
            "--ci",
            metavar="github|gitlab",
            help="Also write the file by which that service tries each change; where fairtrial.toml is there already, "
            "nothing else.",
        ),
    ] = None,
    examples: Annotated[
        bool, typer.Option("--examples", help="Copy Fairtrial's own examples into the folder, and do nothing else.")
    ] = False,
) -> None:
    """Write what puts a service on trial: an experiment and its requests; then try it once for two seconds.

    Looks at the folder (package.json, go.mod, requirements.txt and pyproject.toml, Cargo.toml, pom.xml, build.gradle,
    Gemfile, Dockerfile, OpenAPI documents), proposes how the service is started, where it listens and what it is asked,
    and asks you; options answer before that. Then it writes `fairtrial.toml` and NAME.workload.toml, builds a copy,
    starts it, asks each request once, and offers load from 16 connections. **The service is built and run as you.**

    **Examples**

    `fairtrial init`   in the service's repository; then `fairtrial ab-test`

    `fairtrial init --yes --requests openapi.yaml`

    `fairtrial init --ci github`   afterwards: each pull request is tried

    `fairtrial init shop --command 'node server.js' --port 3000 --ready /healthz --requests '/items /items/7'`

    Exit status: 0 tried, and all is well; 3 tried, and something has to be mended; 4 it could not be built or started
    (the files are written all the same); 2 wrong use, or files that are there already; 130 interrupted.
    """
    from rich.console import Console

    from fairtrial.engine.binary import assert_engine
    from fairtrial_init.ask import InitOptions
    from fairtrial_init.examples import copy_examples
    from fairtrial_init.initialise import Init, initialise

    if examples:
        copy_examples(folder, Console(highlight=False))
        return
    options = InitOptions(command=command, build=build or None, port=port, ready=ready, requests=requests)
    ask = _ask if sys.stdin is not None and sys.stdin.isatty() else None
    call = Init(folder=folder, options=options, ask=ask, accept=yes, force=force, ci=ci)
    if not call.is_of_ci_alone:
        assert_engine()  # before anything is asked
    raise typer.Exit(initialise(call, Console(highlight=False)))


def _ask(question: str, proposed: str) -> str:
    """The answer that is typed, or what is proposed; Ctrl-C and Ctrl-D end the command as they end any other."""
    from fairtrial.base.printable import printable

    prompt = f"{question} [{printable(proposed)}]" if proposed else question  # what lies in the folder wrote it
    try:
        answer: str = typer.prompt(prompt, default=proposed or None, show_default=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    return answer
