"""The tables of docs/replications.md, from the results kept in experiments/results.

python -m benches.replications                    writes the page again
python -m benches.replications results/expander-…  keeps the results of a run first
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benches.document import replace_part
from benches.kept_results import KeptResult, keep, kept, summarize
from benches.models_chart import CHART, chart_svg
from fairtrial.base.formatting import count
from fairtrial.report.markdown import CLAIMS_HEAD, claim_row, escape

PAGE = Path(__file__).resolve().parent.parent / "docs" / "replications.md"


def part(result: KeptResult) -> str:
    """The facts of a run in one line, the table of its claims, and its refusals below."""
    minutes, seconds = divmod(round(result.seconds), 60)
    facts = (
        f"{result.date}, {result.host}. {count(result.blocks, 'block')}: {count(result.trials, 'trial')} in "
        f"{minutes}:{seconds:02} min, {result.valid} valid."
    )
    rows = [claim_row(claim) for claim in result.claims]
    notes = [f"- {escape(note)}" for note in result.notes]
    lines = [facts, "", *CLAIMS_HEAD, *rows, *([""] if notes else []), *notes]
    return "\n".join(lines)


def page(text: str, results: Sequence[KeptResult]) -> str:
    """The page with the part of each result written anew.

    Raises:
        ValueError: the page has no place for an experiment.
    """
    for result in results:
        text = replace_part(text, result.experiment, part(result))
    return text


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Writes the tables of docs/replications.md from the results kept in experiments/results."
    )
    parser.add_argument("runs", nargs="*", type=Path, help="folders of runs whose results are kept first")
    for folder in parser.parse_args().runs:
        keep(summarize(folder))
    results = kept()
    PAGE.write_text(page(PAGE.read_text(), results), encoding="utf-8")
    CHART.write_text(chart_svg(results), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
