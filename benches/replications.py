"""The results in docs/replications and experiments/studies, from those kept in experiments/results.

python -m benches.replications                     judges the kept records again, says what changed, writes the pages
python -m benches.replications results/expander-…  keeps the record of a run first
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from benches.front_pages import front_pages, overview
from benches.kept_results import KeptClaim, KeptResult, keep, keep_record, kept, kept_records, summarize
from fairtrial.base.formatting import count
from fairtrial.docs.pages import replace_part
from fairtrial.experiment.studies import STUDIES, Study
from fairtrial.report.markdown import CLAIMS_HEAD, MARKS, claim_row, escape

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "replications.md"
SENTENCES = ROOT / "experiments" / "studies"
"""The pages with each sentence of a study."""

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


def sentences_page(text: str, study: Study, results: Sequence[KeptResult]) -> str:
    """The study's page with each claim's outcome behind its name, and the facts of its runs.

    Raises:
        ValueError: the page has no place for the runs.
    """
    by_name = {result.experiment: result for result in results}
    outcomes = {
        (result.experiment, claim.id): f" **{outcome(claim, result)}**" for result in results for claim in result.claims
    }
    text = REFERENCE.sub(lambda match: match[1] + outcomes.get((match[2], match[3]), ""), text)
    return replace_part(text, "runs", runs([by_name[name] for name in study.experiments if name in by_name]))


def page(text: str, results: Sequence[KeptResult]) -> str:
    """The page of all studies, with the results that belong to none of them.

    Raises:
        ValueError: the page has no place for an experiment.
    """
    of_studies = {name for study in STUDIES.values() for name in study.experiments}
    for result in results:
        if result.experiment not in of_studies:
            text = replace_part(text, result.experiment, part(result))
    return replace_part(text, "studies", overview(results))


def pages(results: Sequence[KeptResult]) -> dict[Path, str]:
    """What each page and each picture have to hold, by path."""
    files = {study: SENTENCES / f"{study.name}.md" for study in STUDIES.values()}
    texts = {path: sentences_page(path.read_text(), study, results) for study, path in files.items()}
    return {**texts, **front_pages(results), PAGE: page(PAGE.read_text(), results)}


def changes(before: KeptResult | None, after: KeptResult) -> list[str]:
    """What a run comes to that it did not before, a line for each claim: `ggm/fibers-answer-all: ~ → ✓`."""
    earlier = {} if before is None else {claim.id: outcome(claim, before) for claim in before.claims}
    later = {claim.id: outcome(claim, after) for claim in after.claims}
    return [
        f"{after.experiment}/{claim}: {earlier.get(claim, '–')} → {later.get(claim, '–')}"
        for claim in {**earlier, **later}
        if earlier.get(claim) != later.get(claim)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Judges the records in experiments/results again, and writes the results in docs/replications and "
        "experiments/studies."
    )
    parser.add_argument("runs", nargs="*", type=Path, help="folders of runs whose records are kept first")
    for folder in parser.parse_args().runs:
        keep_record(folder)
    before = {result.experiment: result for result in kept()}
    for result in map(summarize, kept_records()):
        for change in changes(before.get(result.experiment), result):
            print(change)
        keep(result)
    for path, text in pages(kept()).items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
