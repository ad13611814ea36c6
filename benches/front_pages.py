"""docs/replications/STUDY.md: a study's main claims as they were published and as they came out, and their picture.

A row of its table is written by hand up to the claim's name; what follows is written from experiments/results.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.kept_results import KeptClaim, KeptResult
from benches.study_chart import Ratio, chart_svg
from fairtrial.base.formatting import plain_in
from fairtrial.base.units import Quantity
from fairtrial.experiment.claims import Bounds, Claim
from fairtrial.experiment.files import load_experiment
from fairtrial.experiment.studies import STUDIES, Study
from fairtrial.report.markdown import MARKS, escape, row_text

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "replications"
HEAD = "| claim | then | now | |"

ROW = re.compile(r"^\| (?P<text>[^|]+) `(?P<experiment>[a-z0-9-]+)/(?P<claim>[a-z0-9-]+)` \|.*$", re.MULTILINE)


@dataclass(frozen=True)
class MainClaim:
    """A row of a study's table."""

    text: str
    experiment: str
    claim: Claim
    result: KeptClaim | None
    """None: it has not been tried yet"""

    @property
    def published(self) -> str:
        """The published figure, in the unit of the claim's bound."""
        value = self.claim.published
        if not isinstance(value, float):
            return value or "–"
        bounds = self.claim.bounds.values() if isinstance(self.claim, Bounds) else ()
        return plain_in(value, next((bound.unit for bound in bounds if isinstance(bound, Quantity)), None))

    @property
    def row(self) -> str:
        """Its line of the table."""
        name = f"{self.text} `{self.experiment}/{self.claim.id}`"
        if self.result is None:
            return row_text([name, escape(self.published), "–", "not tried yet"])
        verdict = f"{MARKS[self.result.verdict]} {self.result.verdict}"
        return row_text([name, escape(self.published), escape(self.result.measured), verdict])

    @property
    def ratio(self) -> Ratio | None:
        """Its line of the picture; None where it is about no ratio, or nothing was measured."""
        result, published = self.result, self.claim.published
        if result is None or result.estimate is None or result.interval is None or self.claim.kind != "ratio":
            return None
        as_published = published if isinstance(published, float) else None
        return Ratio(self.text, as_published, result.estimate, result.interval, result.verdict)


def main_claims(text: str, results: Sequence[KeptResult]) -> list[MainClaim]:
    """The claims that a page's table names, in its order.

    Raises:
        ValueError: an experiment has no such claim.
    """
    outcomes = {(result.experiment, claim.id): claim for result in results for claim in result.claims}
    files = {name: file for study in STUDIES.values() for name, file in study.experiments.items()}
    rows = []
    for match in ROW.finditer(text):
        experiment, name = match["experiment"], match["claim"]
        claim = next((each for each in load_experiment(files[experiment]).claims if each.id == name), None)
        if claim is None:
            raise ValueError(f"{experiment} has no claim {name}")
        rows.append(MainClaim(match["text"], experiment, claim, outcomes.get((experiment, name))))
    return rows


def front_pages(results: Sequence[KeptResult]) -> Mapping[Path, str]:
    """What each study's page and its picture have to hold, by path."""
    texts: dict[Path, str] = {}
    for study in STUDIES.values():
        path = FOLDER / f"{study.name}.md"
        text = path.read_text()
        claims = main_claims(text, results)
        rows = iter(claims)
        texts[path] = ROW.sub(lambda _, rows=rows: next(rows).row, text)  # type: ignore[misc]
        texts[path.with_suffix(".svg")] = chart_svg([ratio for claim in claims if (ratio := claim.ratio)])
    return texts


def overview(results: Sequence[KeptResult]) -> str:
    """The table of studies: how many claims each has, and how they came out."""
    by_name = {result.experiment: result for result in results}
    head = ["study", "experiments", "minutes", "claims", *(f"{MARKS[each]} {each}" for each in MARKS), "not tried yet"]
    rows = [row_text(_counts(study, by_name)) for study in STUDIES.values()]
    return "\n".join([row_text(head), "| --- " * len(head) + "|", *rows])


def _counts(study: Study, by_name: Mapping[str, KeptResult]) -> list[str]:
    """The cells of a study's row."""
    all_claims = [
        (name, claim.id) for name, file in study.experiments.items() for claim in load_experiment(file).claims
    ]
    kept_results = [by_name[name] for name in study.experiments if name in by_name]
    verdicts = {(each.experiment, claim.id): claim.verdict for each in kept_results for claim in each.claims}
    judged = [verdicts.get(claim) for claim in all_claims]
    return [
        f"[{study.title}](replications/{study.name}.md)",
        str(len(study.experiments)),
        str(round(sum(each.seconds for each in kept_results) / 60)),
        str(len(all_claims)),
        *(str(judged.count(each)) for each in MARKS),
        str(judged.count(None)),
    ]
