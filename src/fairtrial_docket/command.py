"""`fairtrial docket`: a site to look results and boards up in."""

from pathlib import Path
from typing import Annotated

import typer

docket_app = typer.Typer(
    help="""Publish results and the boards of others as a static site.

    It loads nothing from elsewhere, and opens from its folder without a server.
    """,
    no_args_is_help=True,
)


@docket_app.command("build")
def build(
    folders: Annotated[
        list[Path],
        typer.Argument(
            help="Folders that are looked through: results, records compressed by xz (.jsonl.xz), and data of boards "
            "as they publish it (.json).",
            metavar="DIR...",
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="The folder for the site: new, empty, or an older docket.", metavar="DIR")
    ] = Path("docket"),
) -> None:
    """Build a page for each experiment, contender, claim, board and row, with tables to filter.

    Records are judged again by your own judge, and rows of boards examined as `fairtrial cross-examine` does. The
    record behind each figure lies beside the pages. Claims have a badge (SVG).

    Exit status: 0 built; 2 wrong use, or nothing to show; 3 built, but a record or a board could not be read, or a
    record is a copy.
    """
    from rich.console import Console
    from rich.markup import escape

    from fairtrial.base.exit_status import IN_DOUBT
    from fairtrial.base.formatting import count
    from fairtrial.base.printable import printable
    from fairtrial_docket.build import build_docket

    console = Console(highlight=False)
    with Console(stderr=True).status("looking for records and boards") as status:
        built = build_docket(folders, out, lambda text: status.update(escape(printable(text))))
    conditions = sum(len(entry.conditions) for entry in built.entries)
    rows = sum(board.verdicts.total() for board in built.boards)
    console.print(
        f"{count(len(built.entries), 'result')} with {count(conditions, 'condition')}, "
        f"{count(len(built.boards), 'board file')} with {count(rows, 'row')}: {count(built.pages, 'page')}"
    )
    for line in built.passed_over:
        console.print(escape(f"passed over: {printable(line)}"), soft_wrap=True)
    console.print(escape(str(out / "index.html")), soft_wrap=True)
    if built.passed_over:
        raise typer.Exit(IN_DOUBT)
