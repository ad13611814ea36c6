"""`fairtrial explain`: what the documentation says of a name that a report or a message has."""

from typing import Annotated

import typer

from fairtrial.commands.complete import explained_names


def explain(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A check, a metric, a column, a verdict, a key of an experiment, a word of the glossary. [default: "
            "lists them]",
            autocompletion=explained_names,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Explain a name that a report or a message has: what it means, its thresholds with their sources, what to do.

    **Examples**

    `fairtrial explain not-warm`, `fairtrial explain response_time_p99`, `fairtrial explain "closed load"`
    """
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.text import Text

    from fairtrial.base.formatting import enumeration
    from fairtrial.base.locations import shipped
    from fairtrial.judge.checks import all_checks
    from fairtrial.tools.explain import explain as entries_of
    from fairtrial.tools.explain import names_by_page

    console = Console(highlight=False)
    if name is None:
        for page, names in names_by_page().items():
            console.print(Text.assemble((f"{page}: ", "bold"), ", ".join(names)))
        return
    entries, others = entries_of(name)
    for entry in entries:
        console.print(Text.assemble((", ".join(entry.names), "bold"), (f"  {entry.page}, {entry.section}", "dim")))
        console.print(Markdown(entry.text))
        check = all_checks().get(entry.section) if entry.names == (entry.section,) else None
        if check is not None:
            console.print()
            console.print(Markdown(f"**What to do**: {check.remedy}."))
        console.print()
    if others:
        console.print(Text(f"also in {enumeration(dict.fromkeys(entry.page for entry in others))}"))
    console.print(Text(f"the pages are in {shipped('docs')}", style="dim"), soft_wrap=True)
