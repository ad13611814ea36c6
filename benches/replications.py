"""The results in docs/replications.md and experiments/studies, from those kept in experiments/results.

python -m benches.replications                    writes the pages again
python -m benches.replications results/expander-…  keeps the results of a run first
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from benches.kept_results import KeptClaim, KeptResult, keep, kept, summarize
from benches.models_chart import CHART, chart_svg
from benches.studies import PAGES, STUDIES, experiments_of
from fairtrial.base.formatting import count
from fairtrial.docs.pages import replace_part
from fairtrial.report.markdown import CLAIMS_HEAD, MARKS, claim_row, escape

PAGE = PAGES.parents[1] / "docs" / "replications.md"

REFERENCE = re.compile(r"(`([a-z0-9-]+)/([a-z0-9-]+)`)(?: \*\*[^*]*\*\*)?")
"""A claim by its experiment and its id, and its outcome in bold type."""

SIGNS = {"at least ": "≥ ", "at most ": "≤ ", "between ": "between "}
"""How a bound begins, and its sign."""

TRIALS = re.compile(r", trials? [\d, and]+(?=:)")


def minutes(result: KeptResult) -> str:
    """The duration of all trials, as `6:14`."""
    whole, seconds = divmod(round(result.seconds), 60)
    return f"{whole}:{seconds:02}"


def part(result: KeptResult) -> str:
    """The facts of a run in one line, the table of its claims, and its refusals below."""
    facts = (
        f"{result.date}, {result.host}. {count(result.blocks, 'block')}: {count(result.trials, 'trial')} in "
        f"{minutes(result)} min, {result.valid} valid."
    )
    rows = [claim_row(claim) for claim in result.claims]
    notes = [f"- {escape(note)}" for note in result.notes]
    lines = [facts, "", *CLAIMS_HEAD, *rows, *([""] if notes else []), *notes]
    return "\n".join(lines)


def outcome(claim: KeptClaim, result: KeptResult) -> str:
    """The verdict's sign, the estimate with its interval, and the bound that was asked for, where there are any: the
    study's sentence and the claim say what else was asked, and what was published."""
    parts = []
    if claim.measured != "–":
        parts.append(escape(claim.measured.replace(" to ", "–")))
        asked = claim.asked.removeprefix("a ratio ")
        parts += [sign + escape(asked.removeprefix(words)) for words, sign in SIGNS.items() if asked.startswith(words)]
    if claim.blocks != result.blocks:
        parts.append(f"in {count(claim.blocks, 'block')}")
    return f"{MARKS[claim.verdict]} {', '.join(parts)}".rstrip()


def runs(results: Sequence[KeptResult]) -> str:
    """When and where the runs were, how many of their trials are valid, and the refusals."""
    dates = sorted(result.date for result in results)
    hosts = "; ".join(dict.fromkeys(result.host for result in results))
    valid, trials = sum(result.valid for result in results), sum(result.trials for result in results)
    notes = [f"- `{result.experiment}`: {_headline(note)}" for result in results for note in result.notes]
    facts = f"{dates[0]} to {dates[-1]}, on {hosts}: {valid} of {count(trials, 'trial')} valid."
    return "\n".join([facts, *([""] if notes else []), *notes])


def _headline(note: str) -> str:
    """A note without its evidence: `errors refuses rust-axum at 10`."""
    head, _, rest = TRIALS.sub("", note).partition(": ")
    return escape(head if " refuses " in head else f"{head}: {rest.partition(': ')[0]}")


def study_page(text: str, study: str, results: Sequence[KeptResult]) -> str:
    """The study's page with each claim's outcome behind its name, and the facts of its runs.

    Raises:
        ValueError: the page has no place for the runs.
    """
    by_name = {result.experiment: result for result in results}
    outcomes = {
        (result.experiment, claim.id): f" **{outcome(claim, result)}**" for result in results for claim in result.claims
    }
    text = REFERENCE.sub(lambda match: match[1] + outcomes.get((match[2], match[3]), ""), text)
    names = [path.stem for path in experiments_of(study)]
    return replace_part(text, "runs", runs([by_name[name] for name in names if name in by_name]))


def page(text: str, results: Sequence[KeptResult]) -> str:
    """The page of results that belong to no study, with the part of each written anew.

    Raises:
        ValueError: the page has no place for an experiment.
    """
    of_studies = {path.stem for study in STUDIES for path in experiments_of(study)}
    for result in results:
        if result.experiment not in of_studies:
            text = replace_part(text, result.experiment, part(result))
    return text


def pages(results: Sequence[KeptResult]) -> dict[Path, str]:
    """What each page and the picture have to hold, by its path."""
    of_studies = {study: PAGES / f"{study}.md" for study in STUDIES}
    texts = {path: study_page(path.read_text(), study, results) for study, path in of_studies.items()}
    return {**texts, PAGE: page(PAGE.read_text(), results), CHART: chart_svg(results)}


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Writes the results in docs/replications.md and experiments/studies from experiments/results."
    )
    parser.add_argument("runs", nargs="*", type=Path, help="folders of runs whose results are kept first")
    for folder in parser.parse_args().runs:
        keep(summarize(folder))
    for path, text in pages(kept()).items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
