"""`fairtrial pool`: one experiment on many machines, judged here, its claims pooled."""

from pathlib import Path
from typing import Annotated

import typer

from fairtrial.commands.further_reports import DataOptions
from fairtrial.commands.option_groups import with_option_groups


@with_option_groups
def pool(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Results folders of one experiment file, or their records.",
            metavar="RUN...",
        ),
    ],
    data: DataOptions,
    lies: Annotated[
        int | None,
        typer.Option(
            "--lies",
            help="How many machines may lie, whichever they are, and the verdicts still hold. [default: 1, of three "
            "machines 0]",
            min=0,
            metavar="NUMBER",
        ),
    ] = None,
    signers: Annotated[
        Path | None,
        typer.Option(
            "--signers",
            help="Take only records that somebody in this file has signed: allowed signers as ssh-keygen(1) has them, "
            "signatures by ssh-keygen -Y sign -n fairtrial.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Pool the claims of one experiment that many people ran, each on a machine of their own.

    Records are judged again by your own judge. All must be of the same experiment, programs, rows, requests and
    versions. Each machine is one value: the answer is about machines, not about one of them.

    Exit status: 0 all pooled claims upheld; 1 one refuted or equal; 2 wrong use, or runs of different experiments; 3
    one undecided, or none could be pooled.
    """
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from fairtrial.base.csv_text import csv_text
    from fairtrial.base.document import json_text
    from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, REFUTED
    from fairtrial.judge.statistics.random_effects import lies_by_default
    from fairtrial.report.outputs import check_outputs, write_outputs
    from fairtrial.tools.pool.claims import FigureOnMachine, pool_claims
    from fairtrial.tools.pool.document import pool_document
    from fairtrial.tools.pool.lines import pool_lines
    from fairtrial.tools.pool.machines import read_machines
    from fairtrial.tools.pool.signatures import signer_of

    use_stdout = check_outputs(data.paths)
    by_signer = {} if signers is None else {run: signer_of(run, signers) for run in runs}
    machines = read_machines(runs, by_signer)
    may_lie = lies_by_default(len(machines)) if lies is None else lies
    document = pool_document(machines, pool_claims(machines, may_lie), may_lie)
    rows = [figure for claim in document.claims for figure in claim.machines]
    write_outputs(data.paths, {"--json": lambda: json_text(document), "--csv": lambda: csv_text(FigureOnMachine, rows)})
    console = Console(highlight=False, stderr=use_stdout)
    for line in pool_lines(document):
        text = line.lstrip()
        indent = len(line) - len(text)
        console.print(Padding(Text(text), (0, 0, 0, indent), expand=False) if indent else Text(text))
    verdicts = {claim.verdict for claim in document.claims} - {None}
    if verdicts & {"refuted", "equal"}:
        raise typer.Exit(REFUTED)
    raise typer.Exit(ALL_WELL if verdicts == {"upheld"} else IN_DOUBT)
